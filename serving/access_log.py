"""The access log: a line for each request and background event, as text or as JSON."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from dryline.blueprints.control.requests import decoded, ignored_names
from dryline.world.clock import wire
from dryline.world.events import BackgroundEvent
from dryline.world.request_log import Entry

if TYPE_CHECKING:
    from dryline.app import Dryline

MAX_TEXT = 120

_RESET, _DIM, _RED, _GREEN, _YELLOW, _MAGENTA = (f"\033[{code}m" for code in (0, 2, 31, 32, 33, 35))


class AccessLog:
    """The lines of one world, made from its request log and its event log."""

    def __init__(self, app: Dryline, log_format: str, *, has_colours: bool = False) -> None:
        self._app, self._has_colours = app, has_colours
        self._world = world = app.world
        self._queue, self._last_number = world.requests.subscribe(), world.requests.count
        self._format = self._json_line if log_format == "json" else self._text_line
        self._node = world.settings.node

    def new_lines(self) -> list[str]:
        """Return the lines of what happened since the last call."""
        entries = [self._queue.popleft() for _ in range(len(self._queue))]
        items: list[Entry | BackgroundEvent] = [*entries, *self._world.events.drain()]
        if entries and (lost := entries[-1].number - self._last_number - len(entries)):  # nobody has read the lines
            items.append(BackgroundEvent(time.time(), f"{lost} requests have no line", {}, is_problem=True))
        self._last_number = entries[-1].number if entries else self._last_number
        with self._app.app_context():
            return [self._format(item) for item in sorted(items, key=_real_time)]

    def _text_line(self, item: Entry | BackgroundEvent) -> str:
        node = f" {self._node}" if self._node else ""
        at = self._colour(_DIM, f"{datetime.fromtimestamp(_real_time(item)):%H:%M:%S}{node}")
        if isinstance(item, BackgroundEvent):
            text = printable(item.text)
            return f"{at} {self._colour(_RED, text) if item.is_problem else text}"
        note = printable(first_error(item))
        if ignored := _ignored(item):
            note = printable(f"ignored: {', '.join(ignored)}")
        if item.fault_id is not None:
            note = self._colour(_MAGENTA, f"[fault: {printable(self._describe_fault(item.fault_id))}]")
        colour = _GREEN if _is_success(item) else _YELLOW if (item.status or 999) < 500 else _RED
        address = printable(f"{item.path}?{item.query}" if item.query else item.path)
        outcome = f"{self._colour(colour, str(item.status or 'cut'))} {item.duration_ms:.0f} ms"
        return f"{at} {printable(item.method):<6} {address} {outcome}" + (f"  {note}" if note else "")

    def _colour(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self._has_colours else text

    def _describe_fault(self, id: str) -> str:
        """Return the fault in words, or its id if it was removed."""
        fault = self._world.faults.by_id(id)
        return fault.in_words() if fault else id

    def _json_line(self, item: Entry | BackgroundEvent) -> str:
        if isinstance(item, BackgroundEvent):
            message, members = " ".join(item.text.split()), item.members
        else:
            message, members = f"{item.method} {item.path} {item.status or 'cut'}", self._request_members(item)
        level = "INFO" if _is_success(item) else "WARNING"
        node = {"node": self._node} if self._node else {}
        return json_line(_real_time(item), level, message, **members | node)

    def _request_members(self, entry: Entry) -> dict[str, Any]:
        members: dict[str, Any] = {
            "method": entry.method,
            "path": entry.path,
            "query": entry.query,
            "status": entry.status,
            "durationMs": entry.duration_ms,
            "teamId": entry.team_id,
            "keyId": entry.key_id,
            "client": entry.client,
        }
        if error := first_error(entry):
            members["error"] = error
        if ignored := _ignored(entry):
            members["ignored"] = ignored
        if entry.fault_id is not None:
            members |= {"faultId": entry.fault_id, "fault": self._describe_fault(entry.fault_id)}
        return members


def json_line(at: float, level: str, message: str, **members: Any) -> str:
    """Return a log line as JSON. `at` is real time, in seconds since 1970."""
    line = {"time": wire(datetime.fromtimestamp(at, UTC)), "level": level, "message": message, **members}
    return orjson.dumps(line, default=str).decode()


def first_error(entry: Entry) -> str:
    """Return the error message of an answer, or an empty text."""
    if (entry.status or 0) < 400 or not entry.answer:
        return ""
    try:
        return str(orjson.loads(entry.answer)["error"])
    except (ValueError, TypeError, KeyError):
        return ""


def _ignored(entry: Entry) -> list[str]:
    """Return the query parameters and body members of a request that its operation ignored."""
    return ignored_names(entry, decoded(entry.body)) if entry.query or entry.body else []


def printable(text: str) -> str:
    """Return text without control characters, which could change the terminal, and not longer than MAX_TEXT."""
    text = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in re.sub(r"\s+", " ", text))
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _is_success(item: Entry | BackgroundEvent) -> bool:
    if isinstance(item, BackgroundEvent):
        return not item.is_problem
    return item.status is not None and item.status < 400 and item.fault_id is None


def _real_time(item: Entry | BackgroundEvent) -> float:
    return item.at if isinstance(item, BackgroundEvent) else item.answered_at
