"""waitress as it serves dryline: the listening socket, its connections, and each request's task."""

from __future__ import annotations

import contextlib
import errno
import logging
import socket
import time
from typing import Any

import orjson
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, WSGITask

from dryline.blueprints.interception import CLOSE
from dryline.serving.lanes import Lanes

MOST_CONNECTIONS = 1000
# A connection that was used less than this long ago, in seconds, is not closed to make room.
FRESH_S = 1.0
# What a client sends first that speaks https://. https://www.rfc-editor.org/rfc/rfc8446#section-5.1
_TLS = b"\x16\x03"
# What is read, and thrown away, of a client that is refused and sends on, in bytes.
MOST_UNREAD = 16_000_000
# What accepting a connection fails with where the process or the system has no more to give.
_OUT_OF_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

_FOR_ALL = {b"\r\nX-Content-Type-Options:": b" nosniff"}
_FOR_PAGES = {
    **_FOR_ALL,
    b"\r\nX-Frame-Options:": b" DENY",
    b"\r\nContent-Security-Policy:": b" frame-ancestors 'none'",
}

log = logging.getLogger("dryline")
# waitress warns of answers that are shorter than announced. Here a fault asked for that: it is nothing for the log of a
# process that tests a program.
_of_tasks = logging.getLogger("waitress.dryline")
_of_tasks.setLevel(logging.ERROR)


class SafeTask(Task):
    """What every answer tells a browser: its type is what it says, and no page is shown within another.

    An answer that has such a header itself, as the console's pages have, keeps its own alone.
    """

    def build_response_header(self) -> bytes:
        """The answer's head."""
        head = super().build_response_header()
        ours = _FOR_PAGES if b"\r\nContent-Type: text/html" in head else _FOR_ALL
        return head[:-4] + b"".join([name + value for name, value in ours.items() if name not in head]) + b"\r\n\r\n"


class ApiErrorTask(SafeTask, ErrorTask):
    """What waitress itself refuses (a garbled request line, headers too large) has the API's error body too."""

    def execute(self) -> None:
        """Answer and close the connection."""
        error = self.request.error
        body = orjson.dumps({"error": f"{error.reason}: {error.body}"})
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.channel.refused = True
        self.content_length = len(body)
        self.write(body)


class ApiTask(SafeTask, WSGITask):
    """A request. Its connection stays open after an answer without a body (204), which waitress takes for endless."""

    logger = _of_tasks

    def build_response_header(self) -> bytes:
        """The answer's head."""
        closing = self.request.headers.get("CONNECTION", "").lower() == "close"
        if CLOSE in self.environ:
            closing = True
            self.set_close_on_finish()
        head = super().build_response_header()
        if self.version == "1.1" and not self.has_body and not closing:
            self.close_on_finish = False
            head = head.replace(b"Connection: close\r\n", b"", 1)
        return head


class Channel(HTTPChannel):
    """A connection. What comes in whole is answered by the loop's own thread where `lanes.lane` says so."""

    task_class = ApiTask
    error_task_class = ApiErrorTask

    close_when_flushed: bool
    refused = False  # its last answer goes out before all was read that it sends
    _unread = 0  # bytes that may still come, once that answer is out

    def received(self, data: bytes) -> bool:
        """Take what came in; called by the loop. It answers here: `add_task` has the connection locked."""
        if data.startswith(_TLS) and self.request is None:
            self.server.refuse_tls(self)
            return True
        if self._unread:
            self._unread = max(0, self._unread - len(data))
            self.will_close = not self._unread
            return True
        taken = super().received(data)
        self.server.task_dispatcher.answer()
        if self.total_outbufs_len:
            self.handle_write()
        return taken

    def handle_write(self) -> None:
        """Send what is ready, and close once the last answer is out; called by the loop.

        A connection that is closed while its client sends is reset, and the answer lost: one that is refused is told
        that nothing more comes, and closes itself. https://www.rfc-editor.org/rfc/rfc9112#section-9.6
        """
        ending = self.refused and self.close_when_flushed
        if ending:
            self.close_when_flushed = False  # which would close it with the last byte
        super().handle_write()
        if ending and self.total_outbufs_len:
            self.close_when_flushed = True
        elif ending and self.connected:
            self._unread = MOST_UNREAD
            with contextlib.suppress(OSError):  # it has gone already, which the next look tells
                self.socket.shutdown(socket.SHUT_WR)

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send what is ready. In the loop that is a whole answer: a tenth less work than head and body one by one."""
        return self.server.task_dispatcher.in_hand is not self and super()._flush_some(do_close)


class Listener(TcpWSGIServer):
    """The listening socket, with at most `most` connections: for another, the one that was idle longest is closed."""

    channel_class = Channel

    def __init__(self, app: Any, bound: socket.socket, lanes: Lanes, most: int, **settings: Any) -> None:
        where = (bound.family, bound.type, bound.proto, bound.getsockname())
        self._most = most
        self._accept_again = self._said = self._told_of_tls = 0.0
        super().__init__(
            app, _sock=bound, dispatcher=lanes, bind_socket=False, sockinfo=where, connection_limit=most * 2, **settings
        )

    @property
    def busy(self) -> bool:
        """Whether a request is being answered, or an answer still on its way."""
        return any(channel.requests or channel.total_outbufs_len for channel in self.active_channels.values())

    def pull_trigger(self) -> None:
        """Wake the loop. What its own thread has done it sees without that."""
        if not self.task_dispatcher.in_loop:
            self.wake()

    def wake(self) -> None:
        """Wake the loop, also from a signal's handler, which runs in the loop's own thread while that waits."""
        super().pull_trigger()

    def refuse_tls(self, channel: Channel) -> None:
        """Close a connection that would wait for an answer in vain, and say why, at most once a minute."""
        channel.will_close = True
        if time.monotonic() >= self._told_of_tls:
            self._told_of_tls = time.monotonic() + 60
            log.warning("A client speaks https:// to this server, which answers http:// only: change its base URL.")

    def readable(self) -> bool:
        """Whether to accept now; asked before each look at the connections."""
        if len(self.active_channels) >= self._most:
            self._make_room()
            return False
        return super().readable() and time.monotonic() >= self._accept_again

    def accept(self) -> Any:
        """The next connection and its address, or None. Raises OSError."""
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in _OUT_OF_FILES:
                raise
            if not self._make_room():
                # It would fail as often as it is tried: a second later there may be room.
                self._accept_again = time.monotonic() + 1
            return None

    def _make_room(self) -> bool:
        """Close the connection that was idle longest, or say that none is. Says whether there was one."""
        before = time.time() - FRESH_S
        idle = [one for one in self.active_channels.values() if not one.requests and one.last_activity <= before]
        if idle:
            min(idle, key=lambda one: one.last_activity).will_close = True
        elif time.monotonic() >= self._said:
            self._said = time.monotonic() + 60
            log.warning("All %d connections are in use; new ones wait.", len(self.active_channels))
        return bool(idle)


def most_connections() -> int:
    """How many connections the process has files for.

    Each may need three: its socket, and in its own thread the database and the database's log.
    """
    try:
        import resource
    except ImportError:  # Windows knows no such limit
        return MOST_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else max(1, min(MOST_CONNECTIONS, files // 3))


def allow_more_files() -> None:
    """Let the process open as many files as MOST_CONNECTIONS need, or as many as it may."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 3 * MOST_CONNECTIONS if most == resource.RLIM_INFINITY else min(3 * MOST_CONNECTIONS, most)
        if files != resource.RLIM_INFINITY and files < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
