"""Logging of a running server: records as text or JSON lines, written to standard error by a thread of their own."""

import logging
import os
import queue
import threading
from contextlib import suppress
from datetime import UTC, datetime
from io import RawIOBase
from typing import Any

import orjson

from dryline.world.clock import wire

# Lines that wait while nobody reads standard error. Further ones are dropped.
MAX_WAITING = 1_000
# How long the end of the process waits for a reader, in seconds.
JOIN_TIMEOUT_S = 0.5


class StandardErrorHandler(logging.Handler):
    """A handler whose thread writes to standard error.

    If standard error is a pipe that nobody reads, writing blocks for ever. Only this thread waits then, not the event
    loop or another thread that logs.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._write_lines, name="dryline-log-records", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(queue.Full):
            self._lines.put_nowait(self.format(record))

    def close(self) -> None:
        """Wait until the lines are written, but not long: nobody may read them."""
        super().close()
        with suppress(queue.Full):
            self._lines.put_nowait(None)
            self._thread.join(JOIN_TIMEOUT_S)

    def _write_lines(self) -> None:
        with suppress(OSError), standard_error() as stream:  # a closed pipe ends the thread, and nothing else
            while (line := self._lines.get()) is not None:
                stream.write(f"{line}\n".encode(errors="replace"))


class JsonFormatter(logging.Formatter):
    """A formatter that makes one JSON object a line, with the server's node name if it has one."""

    def __init__(self, node: str | None = None) -> None:
        super().__init__()
        self._node = {"node": node} if node else {}

    def format(self, record: logging.LogRecord) -> str:
        members = getattr(record, "fields", {})
        if record.exc_info:
            members = members | {"exception": self.formatException(record.exc_info)}
        return json_line(record.created, record.levelname, record.getMessage(), **members | self._node)


def set_up_logging(log_format: str, *, node: str | None = None, quiet: bool = False) -> None:
    """Log to standard error as text or JSON lines. A quiet server logs warnings and errors only."""
    handler = StandardErrorHandler()
    text = logging.Formatter(f"%(asctime)s {f'{node} ' if node else ''}%(levelname)s %(message)s", "%H:%M:%S")
    handler.setFormatter(JsonFormatter(node) if log_format == "json" else text)
    logging.basicConfig(level=logging.WARNING if quiet else logging.INFO, handlers=[handler], force=True)


def json_line(at: float, level: str, message: str, **members: Any) -> str:
    """Return a log line as JSON. `at` is real time, in seconds since 1970."""
    time = wire(datetime.fromtimestamp(at, UTC))
    return orjson.dumps({"time": time, "level": level, "message": message, **members}, default=str).decode()


def standard_error() -> RawIOBase:
    """Return standard error as a stream without a buffer.

    At its exit the interpreter flushes buffers, and waits for a thread that holds the lock of one and cannot write.
    """
    return open(os.dup(2), "wb", buffering=0)
