"""Bounds of what a simulated conversation with a flow keeps, in memory and in its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from dryline.simulator.flow_runner import FlowRun, ModelRequest

# The rows of one conversation, beside the code of its flow and its contact's row.
MAX_BYTES = 1_000_000
# Parts of them. What people say has at most a tenth of it.
_TEXT_BYTES = 100_000
_TRACE_BYTES = 100_000
_EXTRACTED_BYTES = 100_000
_STATE_BYTES = 100_000
_MAX_EVENTS = 3_000
_VALUE_BYTES = 4_000  # of one value in the trace
_PROMPT_CHARACTERS = 50_000  # of one request to a model
_PROMPTS_CHARACTERS = 1_000_000  # of all of them
# Texts are in three columns, the trace is in two. An event has some 150 bytes beside its values.
_TEXT_COPIES, _TRACE_COPIES, _EVENT_BYTES = 3, 2, 150


def bounded(run: FlowRun) -> FlowRun:
    """Return a run whose rows fit into MAX_BYTES, with its `row_bytes`. Values that are too long are shortened."""
    texts, trace = _TEXT_BYTES, _TRACE_BYTES
    events = run.events
    if len(events) > _MAX_EVENTS:
        events = [*events[: _MAX_EVENTS - 1], events[-1]]
    fitting = []
    for event in events:
        spoken = event.type in ("said", "heard")
        left = texts if spoken else trace
        size = _size(event.details)
        if size > min(left, _TEXT_BYTES if spoken else _VALUE_BYTES):
            most = max(0, left if spoken else min(left, _VALUE_BYTES))
            event = replace(event, details={name: shortened(value, most) for name, value in event.details.items()})
            size = _size(event.details)
        texts, trace = (texts - size, trace) if spoken else (texts, trace - size)
        fitting.append(event)
    run.events = fitting
    run.extracted = shortened(run.extracted, _EXTRACTED_BYTES)
    run.state = shortened(run.state, _STATE_BYTES)
    run.requests = _fitting_requests(run.requests)
    run.row_bytes = (
        _TEXT_COPIES * (_TEXT_BYTES - texts)
        + _TRACE_COPIES * (_TRACE_BYTES - trace + _EVENT_BYTES * len(fitting))
        + _size(run.extracted)
        + _size(run.state)
    )
    return run


def _fitting_requests(requests: list[ModelRequest]) -> list[ModelRequest]:
    left = _PROMPTS_CHARACTERS
    fitting = []
    for request in requests:
        most = max(0, min(left, _PROMPT_CHARACTERS))
        if request.size > most:
            tools = tuple(tool[:_VALUE_BYTES] for tool in request.tools[:100]) if most else ()
            about = request.about if request.about is None else request.about[:most]
            request = replace(request, prompt=request.prompt[:most], about=about, tools=tools)
        left -= request.size
        fitting.append(request)
    return fitting


def shortened(value: Any, most: int) -> Any:
    """Return a JSON value, shortened so that it takes about `most` bytes as JSON."""
    size = _size(value)
    if size <= most:
        return value
    if isinstance(value, str):
        return value[: max(0, len(value) * most // size - 1)] + "…"
    left = most
    if isinstance(value, list):
        items: list[Any] = []
        for item in value:
            if left <= 0:
                break
            items.append(shortened(item, left))
            left -= _size(items[-1])
        return items
    if isinstance(value, dict):
        members: dict[str, Any] = {}
        for number, (name, member) in enumerate(value.items()):
            left -= _size(name)
            if left <= 0:
                break
            members[name] = shortened(member, left // (len(value) - number))  # a short one leaves more to the next
            left -= _size(members[name])
        return members
    return value


def _size(value: Any) -> int:
    return len(orjson.dumps(value))
