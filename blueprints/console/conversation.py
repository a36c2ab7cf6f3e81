"""What a log tells, made ready to be read: who said what when, and what the flow did meanwhile.

Members of a log that hold JSON came from the engine or from a state document: whatever is in them that this cannot read
is passed over here, and stands in the page's raw JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from dryline.storage.current_world import current
from dryline.world.clock import parse

ROLES = {"assistant": "agent", "user": "caller"}
# Details of steps that need no name.
_PLAIN = {"function", "condition", "type", "exception", "error", "text", "why"}
_FOR_PROGRAMS = {"index", "sure"}
# Steps that say no more than the turn beside them.
_SILENT = {"start", "loop", "end", "say", "talk"}


@dataclass(frozen=True)
class Turn:
    """One message. Times are in seconds from the conversation's start, where it has such times.

    `who` is agent or caller, or else the role that it names. `latency_ms` is how long the caller waited for it, `line`
    the line of the flow that it comes from.
    """

    number: int
    who: str
    text: str
    start: float | None = None
    end: float | None = None
    stamp: str | None = None
    latency_ms: float | None = None
    line: int | None = None


@dataclass(frozen=True)
class Step:
    """Something that the flow did. `at` is in seconds from the start."""

    name: str
    at: float | None
    line: int | None
    details: dict[str, Any]

    @property
    def text(self) -> str:
        """What it was, in a line."""
        told = ((name, value) for name, value in self.details.items() if name not in _FOR_PROGRAMS)
        return " · ".join(value if name in _PLAIN else f"{name} {value}" for name, value in told)


def turns(log: Any) -> list[Turn]:
    """The messages of a log, of whatever channel; a call's with their latencies and the flow's lines."""
    read = [turn for turn in map(_turn, range(1, 10_000), _list(_dict(log.messages).get("messages"))) if turn]
    answers = _answers(read)
    waits = latencies(log)
    if len(waits) == len(answers):  # else nobody can say which is which
        for index, wait in zip(answers, waits, strict=True):
            read[index] = replace(read[index], latency_ms=wait)
    return read


def latencies(log: Any) -> list[float]:
    """How long the caller waited for each answer, in milliseconds."""
    measured = getattr(log, "latency", None) or _dict(getattr(log, "data", None)).get("latency")
    return [value for value in _list(_dict(measured).get("values")) if _number(value) is not None]


def _answers(read: list[Turn]) -> list[int]:
    """Which turns are the agent's to what a caller said."""
    pairs = enumerate(pairwise(read), start=1)
    return [index for index, (before, turn) in pairs if turn.who == "agent" and before.who == "caller"]


def steps(trace: Any) -> list[Step]:
    """What a flow did, from a session's trace."""
    return [step for step in map(_step, _list(trace)) if step]


def course(said: list[Turn], done: list[Step]) -> list[Turn | Step]:
    """Turns with the lines that they come from, and between them what else the flow did, in the order of time."""
    lines = {round(step.at, 2): step.line for step in done if step.at is not None and step.line is not None}
    told: list[Turn | Step] = [
        replace(turn, line=lines.get(round(turn.start, 2))) if turn.who == "agent" and turn.start is not None else turn
        for turn in said
    ]
    if any(turn.start is None for turn in said):
        return told
    told += [step for step in done if step.at is not None and step.name not in _SILENT]
    # A turn that begins as a step is taken follows it.
    return sorted(told, key=lambda one: (one.start, 1) if isinstance(one, Turn) else (one.at, 0))


def length_s(log: Any, said: list[Turn]) -> float:
    """How long the conversation took, at least up to the end of its last turn."""
    return max([_number(getattr(log, "duration", None)) or 0, *(turn.end or 0 for turn in said)])


def elapsed_s(call: Any) -> float:
    """For how long a call in progress has been going on."""
    return (current().clock.now() - parse(call.start_time)).total_seconds()


def transferred_at(log: Any) -> float | None:
    """When a call was handed over to a person, in seconds from its start."""
    events = [_dict(event) for event in _list(_dict(getattr(log, "transfer_data", None)).get("transferEvents"))]
    stamps = [str(event.get("timestamp") or event.get("createdAt")) for event in events]
    try:
        return max((parse(min(stamps)) - parse(log.start_time)).total_seconds(), 0) if stamps else None
    except (TypeError, ValueError):
        return None


def criteria(results: Any) -> list[dict[str, Any]] | None:
    """The success results by criterion, each with its items; None where they are of another form."""
    read = [one for one in _list(_dict(results).get("criteria")) if isinstance(one, dict)]
    return [
        {**one, "items": [item for item in _list(one.get("items")) if isinstance(item, dict)]} for one in read
    ] or None


def analysis(log: Any) -> dict[str, Any]:
    """What was found out about a call after it: summary, sentiment, and the like."""
    return _dict(_dict(getattr(log, "data", None)).get("call_analysis"))


@dataclass(frozen=True)
class Exchange:
    """A request to a language model and what came back; either may be missing."""

    asked_at: str | None
    answered_at: str | None
    asked: str
    answer: str
    tokens: dict[str, Any]


def exchanges(llm_logs: list[Any]) -> Iterator[Exchange]:
    """The gateway's records of what was asked before and what came after, put together in their order."""
    waiting: Any = None
    for log in llm_logs:
        if log.event_type == "beforeRequestHook":
            if waiting is not None:
                yield _exchange(waiting, None)
            waiting = log
        else:
            yield _exchange(waiting, log)
            waiting = None
    if waiting is not None:
        yield _exchange(waiting, None)


def _exchange(before: Any, after: Any) -> Exchange:
    request = _dict(_dict(_dict(before and before.data).get("request")).get("json"))
    response = _dict(_dict(_dict(after and after.data).get("response")).get("json"))
    said = _list(request.get("messages"))
    choices = _list(response.get("choices"))
    return Exchange(
        before and before.created_at,
        after and after.created_at,
        _text(_dict(said[-1]).get("content")) if said else "",
        _text(_dict(_dict(choices[0]).get("message")).get("content")) if choices else "",
        _dict(response.get("usage")),
    )


def _turn(number: int, message: Any) -> Turn | None:
    told = _dict(message)
    if not told:
        return None
    role = str(told.get("role") or "unknown")
    start, end = _number(told.get("start")), _number(told.get("end"))
    stamp = told.get("createdAt") or told.get("timestamp")
    return Turn(
        number,
        ROLES.get(role, role),
        _text(told.get("content")),
        start,
        end if start is None or end is None else max(start, end),
        stamp if isinstance(stamp, str) else None,
    )


def _step(told: Any) -> Step | None:
    name = _dict(told).get("step") or _dict(told).get("type")
    if not name:
        return None
    line = told.get("line")
    details = {
        key: _text(value)
        for key, value in told.items()
        if key not in ("step", "at", "line", "type" if "step" not in told else "") and value is not None
    }
    return Step(str(name), _number(told.get("at")), line if type(line) is int else None, details)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    return value if type(value) in (int, float) and value >= 0 else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
