"""The access log: a line per request and background event on standard error, as text or as JSON.

A thread makes the lines from the request log and the event log, five times a second, so that no request waits for them.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from io import BytesIO, RawIOBase
from typing import TYPE_CHECKING, Any, Self

import orjson

from dryline.blueprints.control.requests import decoded, ignored_names
from dryline.serving.log_setup import JOIN_TIMEOUT_S, json_line
from dryline.traffic.request_log import Entry
from dryline.world.events import BackgroundEvent

if TYPE_CHECKING:
    from dryline.app import Dryline

WRITE_EVERY_S = 0.2
# Lines of text at a time: a person cannot read more, and each takes as long as a part of a request.
MAX_LINES = 100
MAX_TEXT = 120

_RESET, _DIM, _RED, _GREEN, _YELLOW, _MAGENTA = (f"\033[{code}m" for code in (0, 2, 31, 32, 33, 35))


class AccessLog:
    """A writer of one world's lines to a stream, in a thread that runs for a `with` block."""

    def __init__(self, app: Dryline, log_format: str, stream: RawIOBase | BytesIO) -> None:
        self._app, self._stream = app, stream
        self._world = world = app.world
        self._queue, self._last_number = world.requests.subscribe(), world.requests.count
        self._format: Callable[[list[Entry | BackgroundEvent], int], Iterable[str]] = (
            self._format_json if log_format == "json" else self._format_text
        )
        self._has_colours = _supports_colours(self._stream)
        node = world.settings.node
        self._node_suffix, self._node_member = (f" {node}", {"node": node}) if node else ("", {})
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="dryline-log", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._ending.set()
        self._thread.join(JOIN_TIMEOUT_S)  # not longer: nobody may read the stream

    def _loop(self) -> None:
        with suppress(OSError), self._stream:  # a closed pipe ends the thread, and nothing else
            while not self._ending.wait(WRITE_EVERY_S):
                self.write_new()
            self.write_new()

    def write_new(self) -> None:
        """Write what happened since the last call."""
        events = self._world.events.drain()
        entries = [self._queue.popleft() for _ in range(len(self._queue))]
        if not entries and not events:
            return
        dropped = entries[-1].number - self._last_number - len(entries) if entries else 0
        self._world.metrics.lost_log_lines += dropped
        self._last_number += dropped + len(entries)
        items: list[Entry | BackgroundEvent] = [*entries, *events]
        items.sort(key=_real_time)
        with self._app.app_context():
            lines = [f"{line}\n" for line in self._format(items, dropped)]
        self._stream.write("".join(lines).encode(errors="replace"))

    # Text

    def _format_text(self, items: list[Entry | BackgroundEvent], dropped: int) -> Iterable[str]:
        printed = items
        if len(items) > MAX_LINES:  # errors first
            printed = sorted(sorted(items, key=_is_success)[:MAX_LINES], key=_real_time)
        for item in printed:
            yield self._format_request(item) if isinstance(item, Entry) else self._format_event(item)
        if more := dropped + len(items) - len(printed):
            yield self._colour(_DIM, f"         … and {more:,} more: GET /_dryline/requests")

    def _format_request(self, entry: Entry) -> str:
        query = f"?{entry.query}" if entry.query else ""
        notes = [printable(first_error(entry))]
        if ignored := _ignored(entry):
            notes.append(printable(f"ignored: {', '.join(ignored)}"))
        if entry.fault_id is not None:
            fault = self._colour(_MAGENTA, f"[fault: {printable(self._describe_fault(entry.fault_id))}]")
            notes.append(fault)
        note = "  ".join(filter(None, notes))
        colour = _GREEN if _is_success(entry) else _YELLOW if (entry.status or 999) < 500 else _RED
        request = f"{printable(entry.method):<6} {printable(entry.path + query)}"
        outcome = f"{self._colour(colour, str(entry.status or 'cut'))} {entry.duration_ms:.0f} ms"
        return f"{self._clock(entry.answered_at)} {request} {outcome}" + (f"  {note}" if note else "")

    def _format_event(self, event: BackgroundEvent) -> str:
        text = printable(event.text)
        return f"{self._clock(event.at)} {self._colour(_RED, text) if event.is_problem else text}"

    def _clock(self, at: float) -> str:
        return self._colour(_DIM, f"{datetime.fromtimestamp(at):%H:%M:%S}{self._node_suffix}")

    def _colour(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self._has_colours else text

    def _describe_fault(self, id: str) -> str:
        """Return the fault in words, or its id if it was removed."""
        fault = self._world.faults.by_id(id)
        return fault.in_words() if fault else id

    # JSON

    def _format_json(self, items: list[Entry | BackgroundEvent], dropped: int) -> Iterable[str]:
        for item in items:
            members = self._request_members(item) if isinstance(item, Entry) else _event_members(item)
            yield json_line(**members | self._node_member)
        if dropped:
            message = f"{dropped} requests are missing here: there were too many at once."
            yield json_line(time.time(), "WARNING", message, **self._node_member)

    def _request_members(self, entry: Entry) -> dict[str, Any]:
        members: dict[str, Any] = {
            "at": entry.answered_at,
            "level": "INFO" if _is_success(entry) else "WARNING",
            "message": f"{entry.method} {entry.path} {entry.status or 'cut'}",
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
    if not text.isprintable():
        text = re.sub(r"\s+", " ", text)
        text = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _is_success(item: Entry | BackgroundEvent) -> bool:
    if isinstance(item, BackgroundEvent):
        return not item.is_problem
    return item.status is not None and item.status < 400 and item.fault_id is None


def _real_time(item: Entry | BackgroundEvent) -> float:
    return item.at if isinstance(item, BackgroundEvent) else item.answered_at


def _event_members(event: BackgroundEvent) -> dict[str, Any]:
    return {
        "at": event.at,
        "level": "WARNING" if event.is_problem else "INFO",
        "message": " ".join(event.text.split()),
        **event.members,
    }


def _supports_colours(stream: RawIOBase | BytesIO) -> bool:
    """Return whether a stream is a terminal with colours, unless its user wants none (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
