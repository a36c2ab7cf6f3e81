"""The turns, steps and model requests of a log, ready to be shown.

Members of a log that hold JSON may come from a state document in any form. This skips what it cannot read; the page
shows all of it as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from dryline.storage.current_world import current
from dryline.world.clock import parse

SPEAKERS = {"assistant": "agent", "user": "caller"}
# Details of a step that are shown without their names, and those that are not shown.
_UNNAMED_DETAILS = {"function", "condition", "type", "exception", "error", "text", "why"}
_HIDDEN_DETAILS = {"index", "sure"}
# Steps that are not shown, because a turn stands beside them.
_HIDDEN_STEPS = {"start", "loop", "end", "say", "talk"}


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


def read_turns(log: Any) -> list[Turn]:
    """Return the messages of a log of any channel, with the latencies that it has."""
    messages = _list(_dict(log.messages).get("messages"))
    turns = [turn for turn in map(_turn, range(1, 10_000), messages) if turn]
    answers = [
        index
        for index, (before, turn) in enumerate(pairwise(turns), start=1)
        if turn.speaker == "agent" and before.speaker == "caller"
    ]
    latencies = _latencies(log)
    if len(latencies) == len(answers):  # otherwise they cannot be assigned
        for index, latency_ms in zip(answers, latencies, strict=True):
            turns[index] = replace(turns[index], latency_ms=latency_ms)
    return turns


def _latencies(log: Any) -> list[float]:
    measured = getattr(log, "latency", None) or _dict(getattr(log, "data", None)).get("latency")
    return [value for value in _list(_dict(measured).get("values")) if _number(value) is not None]


def read_steps(trace: Any) -> list[Step]:
    """Return the steps of a session's trace."""
    return [step for step in map(_step, _list(trace)) if step]


def merge(turns: list[Turn], steps: list[Step]) -> list[Turn | Step]:
    """Return the turns with the flow's lines, and the steps that are shown between them, in the order of time."""
    lines = {round(step.at, 2): step.line for step in steps if step.at is not None and step.line is not None}
    events: list[Turn | Step] = [
        replace(turn, line=lines.get(round(turn.start, 2)))
        if turn.speaker == "agent" and turn.start is not None
        else turn
        for turn in turns
    ]
    if any(turn.start is None for turn in turns):
        return events
    events += [step for step in steps if step.at is not None and step.name not in _HIDDEN_STEPS]
    # A turn that begins at the moment of a step follows it.
    return sorted(events, key=lambda event: (event.start, 1) if isinstance(event, Turn) else (event.at, 0))


def length_s(log: Any, turns: list[Turn]) -> float:
    """Return the length of the conversation, at least up to the end of its last turn."""
    return max([_number(getattr(log, "duration", None)) or 0, *(turn.end or 0 for turn in turns)])


def elapsed_s(call: Any) -> float:
    """Return the time since a call in progress began."""
    return (current().clock.now() - parse(call.start_time)).total_seconds()


def transferred_s(log: Any) -> float | None:
    """Return the time from the start of a call to its first transfer, or None."""
    events = [_dict(event) for event in _list(_dict(getattr(log, "transfer_data", None)).get("transferEvents"))]
    stamps = [str(event.get("timestamp") or event.get("createdAt")) for event in events]
    try:
        return max((parse(min(stamps)) - parse(log.start_time)).total_seconds(), 0) if stamps else None
    except (TypeError, ValueError):
        return None


def success_criteria(results: Any) -> list[dict[str, Any]] | None:
    """Return the success results by criterion, each with its items; None if they have another form."""
    criteria = [one for one in _list(_dict(results).get("criteria")) if isinstance(one, dict)]
    return [
        {**one, "items": [item for item in _list(one.get("items")) if isinstance(item, dict)]} for one in criteria
    ] or None


def call_analysis(log: Any) -> dict[str, Any]:
    """Return the analysis of a call, such as its summary and sentiment."""
    return _dict(_dict(getattr(log, "data", None)).get("call_analysis"))


@dataclass(frozen=True)
class ModelExchange:
    """A request to a language model and its answer. Either may be missing."""

    requested_at: str | None
    answered_at: str | None
    last_message: str
    answer: str
    tokens: dict[str, Any]


def model_exchanges(llm_logs: list[Any]) -> Iterator[ModelExchange]:
    """Pair the records of requests with the records of answers that follow them."""
    request: Any = None
    for log in llm_logs:
        if log.event_type == "beforeRequestHook":
            if request is not None:
                yield _exchange(request, None)
            request = log
        else:
            yield _exchange(request, log)
            request = None
    if request is not None:
        yield _exchange(request, None)


def _exchange(before: Any, after: Any) -> ModelExchange:
    request = _dict(_dict(_dict(before and before.data).get("request")).get("json"))
    response = _dict(_dict(_dict(after and after.data).get("response")).get("json"))
    messages = _list(request.get("messages"))
    choices = _list(response.get("choices"))
    return ModelExchange(
        before and before.created_at,
        after and after.created_at,
        _text(_dict(messages[-1]).get("content")) if messages else "",
        _text(_dict(_dict(choices[0]).get("message")).get("content")) if choices else "",
        _dict(response.get("usage")),
    )


def _turn(number: int, value: Any) -> Turn | None:
    message = _dict(value)
    if not message:
        return None
    role = str(message.get("role") or "unknown")
    start, end = _number(message.get("start")), _number(message.get("end"))
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
    members = _dict(value)
    name = members.get("step") or members.get("type")
    if not name:
        return None
    line = members.get("line")
    own_members = {"step", "at", "line", "type" if "step" not in members else "step"}
    details = {key: _text(detail) for key, detail in members.items() if key not in own_members and detail is not None}
    return Step(str(name), _number(members.get("at")), line if type(line) is int else None, details)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    return value if type(value) in (int, float) and value >= 0 else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
