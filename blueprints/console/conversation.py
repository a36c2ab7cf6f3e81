"""The turns, steps and model requests of a log, ready to be shown.

The JSON of a log was checked when it came in (storage/json_shapes.py). What has another shape is shown as JSON.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from dryline.blueprints.console.template_filters import in_text
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.json_shapes import LONGEST_S
from dryline.storage.json_values import loads
from dryline.world.clock import parse

_MOST_TURNS = 10_000  # of a page
_LONGEST_REASON = 5_000  # characters in which a quoted turn is searched
SPEAKERS = {"assistant": "agent", "user": "caller"}
# Details of a step that are shown without their names, and those that are not shown.
_UNNAMED_DETAILS = {"function", "condition", "type", "exception", "error", "text", "why"}
_HIDDEN_DETAILS = {"index", "sure"}
# Steps that are not shown, because a turn or a failure stands beside them.
_HIDDEN_STEPS = {"start", "loop", "end", "say", "talk", "error"}


@dataclass(frozen=True)
class Turn:
    """One message. `start` and `end` are seconds from the start of the conversation.

    `speaker` is agent, caller, or the message's own role. `latency_ms` is how long the caller waited for it, `line` the
    flow's line that said it.
    """

    number: int
    speaker: str
    text: str
    start: float | None = None
    end: float | None = None
    stamp: str | None = None
    latency_ms: float | None = None
    line: int | None = None

    @property
    def party(self) -> str:
        """The speaker: agent, caller or other."""
        return self.speaker if self.speaker in ("agent", "caller") else "other"


@dataclass(frozen=True)
class Step:
    """A step of the flow. `start` is in seconds from the start of the conversation."""

    name: str
    start: float | None
    line: int | None
    details: dict[str, Any]

    @property
    def text(self) -> str:
        """The details in one line."""
        details = ((name, value) for name, value in self.details.items() if name not in _HIDDEN_DETAILS)
        return " · ".join(value if name in _UNNAMED_DETAILS else f"{name} {value}" for name, value in details)


@dataclass(frozen=True)
class ModelExchange:
    """A request to a language model and its answer. Either may be missing.

    `start` is the time of the request in seconds from the start of the conversation.
    """

    start: float | None
    answer: str
    tokens: dict[str, Any]


@dataclass(frozen=True)
class FailureEvent:
    """A runtime error. `start` is in seconds from the start of the conversation; `stamp` is the time of its record."""

    title: str
    start: float | None
    stamp: str | None
    line: int | None
    is_failure = True


TimedEvent = Turn | Step | ModelExchange
Event = TimedEvent | FailureEvent


def read_turns(log: Log) -> list[Turn]:
    """Return the messages of a log of any channel, with the latencies that it has."""
    turns = [_read_turn(number, message) for number, message in enumerate(log.said[:_MOST_TURNS], start=1)]
    answers = [
        index
        for index, (before, turn) in enumerate(pairwise(turns), start=1)
        if turn.speaker == "agent" and before.speaker == "caller"
    ]
    latencies = [value for value in _latency(log).get("values") or () if value is not None]
    if len(latencies) == len(answers):  # otherwise they cannot be assigned
        for index, latency_ms in zip(answers, latencies, strict=True):
            turns[index] = replace(turns[index], latency_ms=latency_ms)
    return turns


def _latency(log: Log) -> dict[str, Any]:
    """Return the latency of a log of any channel: calls have it in `data`, conversations of a widget as a column."""
    return log.readable("latency") or (log.readable("data") or {}).get("latency") or {}


def read_steps(trace: Iterable[dict[str, Any]]) -> list[Step]:
    """Return the steps of a trace."""
    return [_read_step(step) for step in trace]


def events_in_order(turns: list[Turn], steps: list[Step], exchanges: list[ModelExchange]) -> list[TimedEvent]:
    """Return the turns with the flow's lines, and all that is shown between them, in the order of time.

    In a conversation without times the turns come first.
    """
    lines = {round(step.start, 2): step.line for step in steps if step.start is not None and step.line is not None}
    events: list[TimedEvent] = []
    for turn in turns:
        if turn.speaker == "agent" and turn.start is not None:
            events.append(replace(turn, line=lines.get(round(turn.start, 2))))
        else:
            events.append(turn)
    between: list[Step | ModelExchange] = [*exchanges, *(step for step in steps if step.name not in _HIDDEN_STEPS)]
    if any(turn.start is None for turn in turns):
        return [*events, *between]
    events += [event for event in between if event.start is not None]
    # A turn that begins at the moment of a step follows it.
    events.sort(key=lambda event: (event.start, isinstance(event, Turn)))
    return [*events, *(event for event in between if event.start is None)]


def read_failures(records: Sequence[Any], steps: list[Step]) -> list[FailureEvent]:
    """Return the errors of a conversation in their order: its records, or without any those of its trace.

    A record has no time within the conversation. It is that of the step in which the flow failed at the same line.
    """
    failed_steps = [step for step in steps if step.name == "error"]
    if not records:
        return [FailureEvent(_failure_title(step), step.start, None, step.line) for step in failed_steps]

    times = {step.line: step.start for step in failed_steps}
    return [
        FailureEvent(record.title, times.get(record.line_number), record.created_at, record.line_number)
        for record in records
        if record.severity != "warning"
    ]


def _failure_title(step: Step) -> str:
    details = [step.details.get("exception") or step.details.get("type") or "Error", step.details.get("error")]
    return ": ".join(filter(None, details))


class RunLine(NamedTuple):
    """A line of the flow that ran: the number of the turn that it said or that followed it, and its first time."""

    turn: int | None
    start: float | None


def lines_that_ran(events: list[Event]) -> dict[int, RunLine]:
    """Return the lines of the flow that ran, each with its first turn."""
    lines: dict[int, RunLine] = {}
    waiting: dict[int, float | None] = {}
    last_turn = None
    for event in events:
        if isinstance(event, ModelExchange):
            continue
        if event.line is not None and event.line not in lines:
            waiting.setdefault(event.line, event.start)
        if isinstance(event, Turn):
            last_turn = event.number
            lines |= {line: RunLine(last_turn, first) for line, first in waiting.items()}
            waiting = {}
    return lines | {line: RunLine(last_turn, first) for line, first in waiting.items()}


def last_line_that_ran(events: list[Event]) -> int | None:
    """Return the line of the flow that ran last."""
    lines = (event.line for event in reversed(events) if not isinstance(event, ModelExchange))
    return next((line for line in lines if line is not None), None)


def length_s(log: VoiceLog, turns: list[Turn]) -> float:
    """Return the length of the conversation, at least up to the end of its last turn."""
    return max([min(log.duration or 0, LONGEST_S), *(turn.end or 0 for turn in turns)])


def elapsed_s(call: VoiceLog) -> float:
    """Return the time since a call in progress began."""
    begun_at: Any = call.start_time
    return (current().now() - parse(begun_at)).total_seconds()


class Transfer(NamedTuple):
    """The first transfer of a call: seconds from the start, and the number that it went to."""

    start: float
    number: str | None


def first_transfer(log: VoiceLog) -> Transfer | None:
    """Return the first transfer of a call, or None."""
    events = log.transfer_data["transferEvents"] if log.transfer_data else []
    start_time: str | None = log.start_time
    if not events or start_time is None:
        return None
    first = min(events, key=_moment_of)
    seconds = (_moment_of(first) - parse(start_time)).total_seconds()
    return Transfer(max(seconds, 0), first.get("toNumber"))


def _moment_of(event: dict[str, Any]) -> datetime:
    return parse(event.get("timestamp") or event["createdAt"])


def latency_percentiles(log: VoiceLog) -> list[tuple[str, int]]:
    """Return the percentiles of the latency of a call in milliseconds, by name."""
    latency = _latency(log)
    percentiles = ((name, latency.get(name)) for name in ("p50", "p90", "p95", "p99"))
    return [(name, round(value)) for name, value in percentiles if value is not None]


def success_criteria(results: dict[str, Any] | None, turns: Sequence[Turn]) -> list[dict[str, Any]] | None:
    """Return the success results by criterion, or None if there are none.

    Each has its items, and these in `turn` the number of the turn that their reason quotes, in `score` their value.
    """
    if not results or not results["criteria"]:
        return None
    criteria = []
    for criterion in results["criteria"]:
        items = []
        for item in criterion.get("items") or ():
            turn = _number_of_quoted_turn(item.get("reason"), turns)
            items.append({**item, "turn": turn, "score": _score_text(item)})
        criteria.append({**criterion, "items": items})
    return criteria


def _score_text(item: dict[str, Any]) -> str | None:
    """Return the value of a success result and the value that it needs; None for one of yes or no."""
    if "value" not in item or isinstance(item["value"], bool):
        return None
    return f"{item['value']} of at least {item['threshold']}" if "threshold" in item else str(item["value"])


def _number_of_quoted_turn(reason: str | None, turns: Sequence[Turn]) -> int | None:
    quotes = re.findall(r'["“]([^"“”]+)["”]', (reason or "")[:_LONGEST_REASON])
    quotes = [quote.rstrip(".…") for quote in quotes]
    quotes = [quote for quote in quotes if len(quote) >= 4]
    return next((turn.number for quote in quotes for turn in turns if quote in turn.text), None)


def model_exchanges(log: Log, llm_logs: list[LlmLog]) -> Iterator[ModelExchange]:
    """Pair the records of requests with the records of answers that follow them."""
    request: LlmLog | None = None
    for llm_log in llm_logs:
        if llm_log.event_type == "beforeRequestHook":
            if request is not None:
                yield _model_exchange(log, request, None)
            request = llm_log
        else:
            yield _model_exchange(log, request, llm_log)
            request = None
    if request is not None:
        yield _model_exchange(log, request, None)


def _model_exchange(log: Log, before: LlmLog | None, after: LlmLog | None) -> ModelExchange:
    """Return a request and its answer, of which one may be missing. An answer of another shape is shown as JSON."""
    created_at = (before or after).created_at  # type: ignore[union-attr]  # one of them is there
    start = None
    if log.start_time is not None:
        start = max((parse(created_at) - parse(log.start_time)).total_seconds(), 0)
    other_json = after.unreadable("data") if after is not None else None
    if other_json is not None:
        return ModelExchange(start, text_of(other_json), {})
    answer = (after.readable("data") or {}) if after else {}
    completion = (answer.get("response") or {}).get("json") or {}
    choices = completion.get("choices") or [{}]
    message = choices[0].get("message") or {}
    return ModelExchange(start, _answer_text(message), completion.get("usage") or {})


def _answer_text(message: dict[str, Any]) -> str:
    """Return what a model answered, in words: a text, the members of an object, or the functions that it calls."""
    content = message.get("content")
    if not content:
        functions = [call.get("function") or {} for call in message.get("tool_calls") or []]
        return ", ".join(text_of(function.get("name")) for function in functions)
    try:
        members = loads(content) if isinstance(content, str) else content
    except ValueError:
        return text_of(content)
    return in_text(members) if isinstance(members, dict | list) else text_of(content)


def _read_turn(number: int, message: dict[str, Any]) -> Turn:
    role = message["role"] or "unknown"
    start, end = message.get("start"), message.get("end")
    return Turn(
        number,
        SPEAKERS.get(role, role),
        text_of(message.get("content")),
        start,
        end if start is None or end is None else max(start, end),
        message.get("createdAt") or message.get("timestamp"),
    )


def _read_step(step: dict[str, Any]) -> Step:
    """Return a step of a trace. Its name is `step`, or `type` in traces of other servers."""
    name_member = "step" if step.get("step") else "type"
    named_members = {"at", "line", name_member}
    details = {
        key: in_text(value) if isinstance(value, dict | list) else text_of(value)
        for key, value in step.items()
        if key not in named_members and value is not None
    }
    return Step(step[name_member], step.get("at"), step.get("line"), details)


def text_of(value: Any) -> str:
    """Return text as it is, nothing for null, and other JSON as its text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False)
