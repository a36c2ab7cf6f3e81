"""Logging of a running server to standard error: requests, background events and other records, as text or as JSON."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
import orjson

from dryline.blueprints.control.requests import decoded_body, ignored_names
from dryline.world.clock import wire
from dryline.world.events import ACCESS, BackgroundEvent
from dryline.world.request_log import Entry
from dryline.world.wording import camel

if TYPE_CHECKING:
    from dryline.app import Dryline

MAX_TEXT = 120
WRITE_EVERY_S = 0.2
# Records that wait while nobody reads standard error. Older ones are dropped.
MAX_WAITING = 10_000
# How long the end of the process waits for a reader, in seconds.
JOIN_TIMEOUT_S = 0.5


class TextFormatter(logging.Formatter):
    """A formatter of lines for a terminal, with colours unless its user wants none (https://no-color.org)."""

    def __init__(self, app: Dryline) -> None:
        self._app = app
        self._has_colours = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        node = app.world.settings.node
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S" + (f" {node}" if node else ""))

    def format(self, record: logging.LogRecord) -> str:
        time = self.formatTime(record, self.datefmt)
        if isinstance(record.msg, Entry):
            return f"{time} {self._request(record.msg)}"
        if isinstance(record.msg, BackgroundEvent):
            return f"{time} {printable(record.msg.text)}"
        return super().format(record)

    def _request(self, entry: Entry) -> str:
        members = request_members(self._app, entry)
        note = printable(entry.error)
        if "ignored" in members:
            note = printable(f"ignored: {', '.join(members['ignored'])}")
        if "fault" in members:
            note = f"[fault: {printable(members['fault'])}]"
        address = printable(f"{entry.path}?{entry.query}" if entry.query else entry.path)
        status = str(entry.status or "cut")
        if self._has_colours:
            status = click.style(status, fg=_colour_of(entry.status))
        line = f"{printable(entry.method):<6} {address} {status} {entry.duration_ms:.0f} ms"
        return f"{line}  {note}" if note else line


def _colour_of(status: int | None) -> str:
    """Return the colour of a status; None is a connection that was cut."""
    if status is None or status >= 500:
        return "red"
    return "yellow" if status >= 400 else "green"


class JsonFormatter(logging.Formatter):
    """A formatter that makes one JSON object a line, with the server's node name if it has one."""

    def __init__(self, app: Dryline) -> None:
        super().__init__()
        self._app = app

    def format(self, record: logging.LogRecord) -> str:
        members: dict[str, Any] = {}
        level = record.levelname
        if isinstance(record.msg, Entry):
            members = request_members(self._app, record.msg)
            status = record.msg.status  # None if the connection was cut
            is_success = status is not None and status < 400 and record.msg.fault_id is None
            level = "INFO" if is_success else "WARNING"
        elif isinstance(record.msg, BackgroundEvent):
            members = record.msg.members
            level = "WARNING" if record.msg.is_problem else "INFO"
        if record.exc_info:
            members = members | {"exception": self.formatException(record.exc_info)}
        if node := self._app.world.settings.node:
            members = members | {"node": node}
        time = wire(datetime.fromtimestamp(record.created, UTC))
        line = {"time": time, "level": level, "message": " ".join(record.getMessage().split()), **members}
        return orjson.dumps(line, default=str).decode()


def request_members(app: Dryline, entry: Entry) -> dict[str, Any]:
    """Return what a line of JSON says about a request."""
    names = ("method", "path", "query", "status", "duration_ms", "team_id", "key_id", "client")
    members: dict[str, Any] = {camel(name): getattr(entry, name) for name in names}
    if entry.error:
        members["error"] = entry.error
    with app.app_context():
        ignored = ignored_names(entry, decoded_body(entry.body)) if entry.query or entry.body else []
    if ignored:
        members["ignored"] = ignored
    if entry.fault_id is not None:
        fault = app.world.faults.by_id(entry.fault_id)  # None if it was removed
        members |= {"faultId": entry.fault_id, "fault": fault.in_words() if fault else entry.fault_id}
    return members


def printable(text: str) -> str:
    """Return text without control characters, which could change the terminal, and not longer than MAX_TEXT."""
    text = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in re.sub(r"\s+", " ", text))
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


class StandardErrorHandler(logging.Handler):
    """A handler whose thread formats the records and writes them to standard error, so that no request waits for it.

    If standard error is a pipe that nobody reads, writing blocks for ever: only this thread waits then.
    """

    def __init__(self) -> None:
        super().__init__()
        self._records: deque[logging.LogRecord] = deque(maxlen=MAX_WAITING)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="dryline-log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)

    def close(self) -> None:
        """Wait until the lines are written, but not long: nobody may read them."""
        super().close()
        self._ending.set()
        self._thread.join(JOIN_TIMEOUT_S)

    def _loop(self) -> None:
        # A stream without a buffer: at its exit the interpreter flushes buffers, and waits for a thread that holds the
        # lock of one and cannot write. A closed pipe ends the thread, and nothing else.
        with suppress(OSError), open(os.dup(2), "wb", buffering=0) as stream:
            while not self._ending.wait(WRITE_EVERY_S):
                stream.write(self._new_text())
            stream.write(self._new_text())

    def _new_text(self) -> bytes:
        text = ""
        for record in [self._records.popleft() for _ in range(len(self._records))]:
            try:
                text += f"{self.format(record)}\n"
            except Exception:
                self.handleError(record)
        return text.encode(errors="replace")


def set_up_logging(app: Dryline) -> None:
    """Log a server to standard error as text or JSON lines. A quiet one logs warnings and errors only."""
    settings = app.world.settings
    handler = StandardErrorHandler()
    is_json = settings.log_format == "json"
    handler.setFormatter(JsonFormatter(app) if is_json else TextFormatter(app))
    logging.basicConfig(level=logging.WARNING if settings.quiet else logging.INFO, handlers=[handler], force=True)
    ACCESS.setLevel(logging.CRITICAL if settings.quiet else logging.INFO)
