"""The listening socket and its connections, on waitress.

This module uses names of waitress that its documentation does not mention. waitress offers no other way to answer short
requests in the event loop and to write its own errors in the API's form. The names are listed in
tests/test_private_names.py, and pyproject.toml allows only versions of waitress that have them.
"""

import contextlib
import logging
import socket
from typing import Any

import orjson
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, WSGITask

from dryline.serving.lanes import Lanes
from dryline.traffic.faults import CLOSE
from dryline.traffic.real_time import monotonic

MAX_CONNECTIONS = 1000
# A connection needs up to three open files: its socket, and in its thread the database and the write-ahead log.
FILES_PER_CONNECTION = 3
# The first bytes that a client of https:// sends. https://www.rfc-editor.org/rfc/rfc8446#section-5.1
_TLS_RECORD = b"\x16\x03"
# The same warning is logged once in this many seconds.
WARN_EVERY_S = 60
TLS_WARN_EVERY_S = 10  # a person tries again sooner

_HEADERS = {b"\r\nX-Content-Type-Options:": b" nosniff"}
_PAGE_HEADERS = {
    **_HEADERS,
    b"\r\nX-Frame-Options:": b" DENY",
    b"\r\nContent-Security-Policy:": b" frame-ancestors 'none'",
}

log = logging.getLogger("dryline")
# waitress warns of answers that are shorter than announced. Only a fault makes such answers here.
_task_log = logging.getLogger("waitress.dryline")
_task_log.setLevel(logging.ERROR)


class SafeTask(Task):
    """A response with the headers that stop browsers from guessing its type and from framing pages.

    A header that the response already has, as those of the console's pages, stays as it is.
    """

    def build_response_header(self) -> bytes:
        head = super().build_response_header()
        headers = _PAGE_HEADERS if b"\r\nContent-Type: text/html" in head else _HEADERS
        return head[:-4] + b"".join([name + value for name, value in headers.items() if name not in head]) + b"\r\n\r\n"


class ApiErrorTask(SafeTask, ErrorTask):
    """An error of waitress itself, such as a malformed request line or too many headers, with the API's error body."""

    def execute(self) -> None:
        """Write the error and close the connection."""
        error = self.request.error
        body = orjson.dumps({"error": f"{error.reason}: {error.body}"})
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class ApiTask(SafeTask, WSGITask):
    """A request to the application, which can have the connection closed after the response (`faults.CLOSE`)."""

    logger = _task_log

    def build_response_header(self) -> bytes:
        if CLOSE in self.environ:
            self.set_close_on_finish()
        return super().build_response_header()


class ApiChannel(HTTPChannel):
    """A connection."""

    task_class = ApiTask
    error_task_class = ApiErrorTask

    def received(self, data: bytes) -> bool:
        """Parse input, then answer the request in the event loop if the lanes say so.

        waitress calls `add_task` with the connection locked, so the request is answered only here.
        """
        if data.startswith(_TLS_RECORD) and self.request is None:
            self.server.refuse_tls(self)
            return True
        was_taken = super().received(data)
        self.server.task_dispatcher.serve_current()
        if self.total_outbufs_len:
            self.handle_write()
        return was_taken

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send buffered output. The event loop sends a whole response at once, which takes a tenth less work."""
        return self.server.task_dispatcher.current_channel is not self and super()._flush_some(do_close)


class Listener(TcpWSGIServer):
    """The listening socket. At its limit of connections, new ones wait until one is closed."""

    channel_class = ApiChannel

    def __init__(self, app: Any, bound: socket.socket, lanes: Lanes, **settings: Any) -> None:
        self._next_limit_warning = self._next_tls_warning = 0.0
        super().__init__(
            app,
            _sock=bound,
            dispatcher=lanes,
            bind_socket=False,
            sockinfo=(bound.family, bound.type, bound.proto, bound.getsockname()),
            connection_limit=connection_limit(),
            **settings,
        )

    @property
    def busy(self) -> bool:
        """Whether a request is in progress or a response is not yet sent."""
        return any(channel.requests or channel.total_outbufs_len for channel in self.active_channels.values())

    def pull_trigger(self) -> None:
        """Wake the event loop, unless its own thread calls."""
        if not self.task_dispatcher.in_loop:
            self.wake()

    def wake(self) -> None:
        """Wake the event loop. A signal handler, which runs in the loop's own thread, may call this too."""
        super().pull_trigger()

    def readable(self) -> bool:
        """Return whether to accept connections now."""
        is_readable = super().readable()
        if self.in_connection_overflow and monotonic() >= self._next_limit_warning:
            self._next_limit_warning = monotonic() + WARN_EVERY_S
            log.warning("All %d connections are in use: new ones wait until one is closed.", len(self.active_channels))
        return is_readable

    def refuse_tls(self, channel: ApiChannel) -> None:
        """Close a connection that speaks TLS, and log why."""
        channel.will_close = True
        if monotonic() >= self._next_tls_warning:
            self._next_tls_warning = monotonic() + TLS_WARN_EVERY_S
            log.warning("A client speaks https:// to this server, which answers http:// only: change its base URL.")


def connection_limit() -> int:
    """Return the number of connections that the process has enough open files for."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MAX_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft // FILES_PER_CONNECTION))


def raise_file_limit() -> None:
    """Let the process open as many files as MAX_CONNECTIONS need, within the system's hard limit."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = FILES_PER_CONNECTION * MAX_CONNECTIONS
        if hard != resource.RLIM_INFINITY:
            needed = min(needed, hard)
        if soft != resource.RLIM_INFINITY and soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
