"""Logging of a running server: records and the access log, written to standard error by a thread of their own."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dryline.serving.access_log import AccessLog, json_line

if TYPE_CHECKING:
    from dryline.app import Dryline


WRITE_EVERY_S = 0.2
# Records that wait while nobody reads standard error. Older ones are dropped.
MAX_WAITING = 1_000
# How long the end of the process waits for a reader, in seconds.
JOIN_TIMEOUT_S = 0.5


class StandardErrorHandler(logging.Handler):
    """A handler whose thread writes to standard error, with the lines of an access log between the records.

    No request waits for lines to be made. If standard error is a pipe that nobody reads, writing blocks for ever: only
    this thread waits then.
    """

    def __init__(self, access_log: AccessLog | None) -> None:
        super().__init__()
        self._access_log = access_log
        self._lines: deque[str] = deque(maxlen=MAX_WAITING)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="dryline-log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))

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
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        if self._access_log is not None:
            lines += self._access_log.new_lines()
        return "".join(f"{line}\n" for line in lines).encode(errors="replace")


class JsonFormatter(logging.Formatter):
    """A formatter that makes one JSON object a line, with the server's node name if it has one."""

    def __init__(self, node: str | None = None) -> None:
        super().__init__()
        self._node = {"node": node} if node else {}

    def format(self, record: logging.LogRecord) -> str:
        members: dict[str, Any] = getattr(record, "fields", {})
        if record.exc_info:
            members = members | {"exception": self.formatException(record.exc_info)}
        return json_line(record.created, record.levelname, record.getMessage(), **members | self._node)


def set_up_logging(app: Dryline) -> None:
    """Log a server to standard error as text or JSON lines. A quiet one logs warnings and errors only."""
    settings = app.world.settings
    node = settings.node
    log = None if settings.quiet else AccessLog(app, settings.log_format, has_colours=has_colours())
    handler = StandardErrorHandler(log)
    text = logging.Formatter(f"%(asctime)s {f'{node} ' if node else ''}%(levelname)s %(message)s", "%H:%M:%S")
    handler.setFormatter(JsonFormatter(node) if settings.log_format == "json" else text)
    logging.basicConfig(level=logging.WARNING if settings.quiet else logging.INFO, handlers=[handler], force=True)


def has_colours() -> bool:
    """Return whether standard error is a terminal with colours, unless its user wants none (https://no-color.org)."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
