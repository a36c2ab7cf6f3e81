"""The turns, steps and model requests of a log, ready to be shown.

Members of a log that hold JSON may come from a state document in any form. This skips what it cannot read; the page
shows all of it as JSON.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from dryline.blueprints.console.template_filters import in_text
from dryline.storage.current_world import current
from dryline.storage.json_values import loads
from dryline.world.clock import parse

_LONGEST_REASON = 5_000  # characters in which a quoted turn is searched
SPEAKERS = {"assistant": "agent", "user": "caller"}
# Details of a step that are shown without their names, and those that are not shown.
_UNNAMED_DETAILS = {"function", "condition", "type", "exception", "error", "text", "why"}
_HIDDEN_DETAILS = {"index", "sure"}
# Steps that are not shown, because a turn or a failure stands beside them.
_HIDDEN_STEPS = {"start", "loop", "end", "say", "talk", "error"}
_LONGEST_S = 1e9  # of a conversation: a number of seconds above it is none that a page can draw


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
    """A step of the flow. `at` is in seconds from the start of the conversation."""

    name: str
    at: float | None
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

    `at` is the time of the request in seconds from the start of the conversation.
    """

    at: float | None
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


def read_turns(log: Any) -> list[Turn]:
    """Return the messages of a log of any channel, with the latencies that it has."""
    messages = _list_or_empty(_dict_or_empty(log.messages).get("messages"))
    turns = [turn for turn in map(_turn, range(1, 10_000), messages) if turn]
    answers = [
        index
        for index, (before, turn) in enumerate(pairwise(turns), start=1)
        if turn.speaker == "agent" and before.speaker == "caller"
    ]
    measured = getattr(log, "latency", None) or _dict_or_empty(getattr(log, "data", None)).get("latency")
    values = _list_or_empty(_dict_or_empty(measured).get("values"))
    latencies = [value for value in values if _seconds_or_none(value) is not None]
    if len(latencies) == len(answers):  # otherwise they cannot be assigned
        for index, latency_ms in zip(answers, latencies, strict=True):
            turns[index] = replace(turns[index], latency_ms=latency_ms)
    return turns


def read_steps(trace: Any) -> list[Step]:
    """Return the steps of a session's trace."""
    return [step for step in map(_step, _list_or_empty(trace)) if step]


def merge(turns: list[Turn], steps: list[Step], exchanges: list[ModelExchange]) -> list[TimedEvent]:
    """Return the turns with the flow's lines, and all that is shown between them, in the order of time.

    In a conversation without times the turns come first.
    """
    lines = {round(step.at, 2): step.line for step in steps if step.at is not None and step.line is not None}
    events: list[TimedEvent] = [
        replace(turn, line=lines.get(round(turn.start, 2)))
        if turn.speaker == "agent" and turn.start is not None
        else turn
        for turn in turns
    ]
    between: list[Step | ModelExchange] = [*exchanges, *(step for step in steps if step.name not in _HIDDEN_STEPS)]
    if any(turn.start is None for turn in turns):
        return [*events, *between]
    events += [event for event in between if event.at is not None]
    # A turn that begins at the moment of a step follows it.
    events.sort(key=lambda event: (event.start, 1) if isinstance(event, Turn) else (event.at, 0))
    return [*events, *(event for event in between if event.at is None)]


def read_failures(records: Sequence[Any], steps: list[Step]) -> list[FailureEvent]:
    """Return the errors of a conversation in their order: its records, or without any those of its trace.

    A record has no time within the conversation. It is that of the step in which the flow failed at the same line.
    """
    failed_steps = [step for step in steps if step.name == "error"]
    if not records:
        return [FailureEvent(_title_of(step), step.at, None, step.line) for step in failed_steps]

    times = {step.line: step.at for step in failed_steps}
    return [
        FailureEvent(record.title, times.get(record.line_number), record.created_at, record.line_number)
        for record in records
        if record.severity != "warning"
    ]


def _title_of(step: Step) -> str:
    details = [step.details.get("exception") or step.details.get("type") or "Error", step.details.get("error")]
    return ": ".join(filter(None, details))


class RunLine(NamedTuple):
    """A line of the flow that ran: the number of the turn that it said or that followed it, and its first time."""

    turn: int | None
    at: float | None


def lines_that_ran(events: list[Event]) -> dict[int, RunLine]:
    """Return the lines of the flow that ran, each with its first turn."""
    lines: dict[int, RunLine] = {}
    waiting: dict[int, float | None] = {}
    last_turn = None
    for event in events:
        if isinstance(event, ModelExchange):
            continue
        at = event.at if isinstance(event, Step) else event.start
        if event.line is not None and event.line not in lines:
            waiting.setdefault(event.line, at)
        if isinstance(event, Turn):
            last_turn = event.number
            lines |= {line: RunLine(last_turn, first) for line, first in waiting.items()}
            waiting = {}
    return lines | {line: RunLine(last_turn, first) for line, first in waiting.items()}


def current_line(events: list[Event]) -> int | None:
    """Return the line of the flow that ran last."""
    lines = (event.line for event in reversed(events) if not isinstance(event, ModelExchange))
    return next((line for line in lines if line is not None), None)


def length_s(log: Any, turns: list[Turn]) -> float:
    """Return the length of the conversation, at least up to the end of its last turn."""
    return max([_seconds_or_none(getattr(log, "duration", None)) or 0, *(turn.end or 0 for turn in turns)])


def elapsed_s(call: Any) -> float:
    """Return the time since a call in progress began."""
    return (current().now() - parse(call.start_time)).total_seconds()


class Transfer(NamedTuple):
    """The first transfer of a call: seconds from the start, and the number that it went to."""

    at: float
    number: str | None


def transfer(log: Any) -> Transfer | None:
    """Return the first transfer of a call, or None."""
    events = [
        _dict_or_empty(event)
        for event in _list_or_empty(_dict_or_empty(getattr(log, "transfer_data", None)).get("transferEvents"))
    ]
    stamped = [(str(event.get("timestamp") or event.get("createdAt")), event.get("toNumber")) for event in events]
    stamp, number = min(stamped, key=lambda pair: pair[0], default=(None, None))
    at = _seconds_after(log.start_time, stamp)
    return None if at is None else Transfer(at, number if isinstance(number, str) else None)


def latency_percentiles(log: Any) -> list[tuple[str, int]]:
    """Return the percentiles of the latency of a log in milliseconds, by name."""
    latency = _dict_or_empty(_dict_or_empty(getattr(log, "data", None)).get("latency"))
    percentiles = ((name, _seconds_or_none(latency.get(name))) for name in ("p50", "p90", "p95", "p99"))
    return [(name, round(value)) for name, value in percentiles if value is not None]


def success_criteria(results: Any, turns: Sequence[Turn]) -> list[dict[str, Any]] | None:
    """Return the success results by criterion; None if they have another form.

    Each has its items, and these in `turn` the number of the turn that their reason quotes, in `score` their value.
    """
    criteria = [one for one in _list_or_empty(_dict_or_empty(results).get("criteria")) if isinstance(one, dict)]
    return [
        {
            **one,
            "items": [
                {**item, "turn": _quoted_turn(item.get("reason"), turns), "score": _score(item)}
                for item in _list_or_empty(one.get("items"))
                if isinstance(item, dict)
            ],
        }
        for one in criteria
    ] or None


def _score(item: dict[str, Any]) -> str | None:
    """Return the value of a success result and the value that it needs; None for one of yes or no."""
    if "value" not in item or isinstance(item["value"], bool):
        return None
    return f"{item['value']} of at least {item['threshold']}" if "threshold" in item else str(item["value"])


def _quoted_turn(reason: Any, turns: Sequence[Turn]) -> int | None:
    quotes = re.findall(r'["“]([^"“”]+)["”]', reason[:_LONGEST_REASON]) if isinstance(reason, str) else []
    quotes = [quote.rstrip(".…") for quote in quotes]
    quotes = [quote for quote in quotes if len(quote) >= 4]
    return next((turn.number for quote in quotes for turn in turns if quote in turn.text), None)


def call_analysis(log: Any) -> dict[str, Any]:
    """Return the analysis of a call, such as its summary and sentiment."""
    return _dict_or_empty(_dict_or_empty(getattr(log, "data", None)).get("call_analysis"))


def model_exchanges(log: Any, llm_logs: list[Any]) -> Iterator[ModelExchange]:
    """Pair the records of requests with the records of answers that follow them."""
    request: Any = None
    for llm_log in llm_logs:
        if llm_log.event_type == "beforeRequestHook":
            if request is not None:
                yield _exchange(log, request, None)
            request = llm_log
        else:
            yield _exchange(log, request, llm_log)
            request = None
    if request is not None:
        yield _exchange(log, request, None)


def _exchange(log: Any, before: Any, after: Any) -> ModelExchange:
    response = _dict_or_empty(_dict_or_empty(_dict_or_empty(after and after.data).get("response")).get("json"))
    message = _dict_or_empty(_dict_or_empty((_list_or_empty(response.get("choices")) or [None])[0]).get("message"))
    return ModelExchange(
        _seconds_after(getattr(log, "start_time", None), (before or after).created_at),
        _answer_text(message),
        _dict_or_empty(response.get("usage")),
    )


def _answer_text(message: dict[str, Any]) -> str:
    """Return what a model answered, in words: a text, the members of an object, or the functions that it calls."""
    content = message.get("content")
    if not content:
        calls = [_dict_or_empty(call).get("function") for call in _list_or_empty(message.get("tool_calls"))]
        return ", ".join(_text(_dict_or_empty(function).get("name")) for function in calls)
    try:
        members = loads(content) if isinstance(content, str) else content
    except ValueError:
        return _text(content)
    return in_text(members) if isinstance(members, dict | list) else _text(content)


def _seconds_after(start: Any, stamp: Any) -> float | None:
    try:
        return max((parse(stamp) - parse(start)).total_seconds(), 0)
    except (TypeError, ValueError):
        return None


def _turn(number: int, value: Any) -> Turn | None:
    message = _dict_or_empty(value)
    if not message:
        return None
    role = str(message.get("role") or "unknown")
    start, end = _seconds_or_none(message.get("start")), _seconds_or_none(message.get("end"))
    stamp = message.get("createdAt") or message.get("timestamp")
    return Turn(
        number,
        SPEAKERS.get(role, role),
        _text(message.get("content")),
        start,
        end if start is None or end is None else max(start, end),
        stamp if isinstance(stamp, str) else None,
    )


def _step(value: Any) -> Step | None:
    """Return a step of a trace; None for one without a name. Traces of other servers may say `type` for `step`."""
    members = _dict_or_empty(value)
    name = members.get("step") or members.get("type")
    if not name:
        return None
    line = members.get("line")
    own_members = {"step", "at", "line", "type" if "step" not in members else "step"}
    details = {
        key: in_text(detail) if isinstance(detail, dict | list) else _text(detail)
        for key, detail in members.items()
        if key not in own_members and detail is not None
    }
    return Step(str(name), _seconds_or_none(members.get("at")), line if type(line) is int else None, details)


def _dict_or_empty(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _seconds_or_none(value: Any) -> float | None:
    return value if type(value) in (int, float) and 0 <= value <= _LONGEST_S else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
