"""The HTTP server: an application on a socket, answered by waitress."""

from __future__ import annotations

import errno
import logging
import os
import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waitress import create_server, wasyncore

from dryline.app import Dryline, create_app
from dryline.serving.dispatcher import QuickDispatcher
from dryline.settings import BadSetting, Settings
from dryline.world.processes import ended_by_owner
from dryline.world.real_time import monotonic

# Further connections wait until one is closed.
MAX_CONNECTIONS = 1000
# The socket, and in its thread the database and the write-ahead log.
FILES_OF_A_CONNECTION = 3
# How long the requests in progress may take when the server stops, in seconds.
GRACE_S = 1.2

# The first bytes that a client of https:// sends. https://www.rfc-editor.org/rfc/rfc8446#section-5.1
_TLS_RECORD = b"\x16\x03"

log = logging.getLogger("dryline")
# Its warnings are about what faults do: answers that are shorter than announced, and threads that all wait.
logging.getLogger("waitress").setLevel(logging.ERROR)


class HttpServer:
    """An application on a socket, which is bound here or passed as `listening`. `run` answers requests until `stop`.

    Raises BadSetting if the address is not available.
    """

    def __init__(self, app: Dryline, listening: socket.socket | None = None) -> None:
        settings = app.world.settings
        self.app = app
        self.socket = listening or bind(settings)
        app.world.outgoing.own_sockets.append(self.socket.getsockname()[:2])
        app.world.address = app.world.outgoing.own_url = self.url
        self._map: dict[int, Any] = {}  # the sockets that the event loop watches
        self._dispatcher = QuickDispatcher(app)
        self._waitress = create_server(
            self._dispatcher.answer,
            map=self._map,
            sockets=[self.socket],
            threads=0,  # the dispatcher starts them
            ident="dryline",
            # A proxy may strip the path of --public-url or pass it on: both work.
            url_prefix=settings.public_path,
            connection_limit=_connection_limit(),
            # Flask refuses larger bodies with the API's error. This limit keeps endless ones off the disk.
            max_request_body_size=max(settings.max_body_mb * 1_000_000, 1 << 30),
            max_request_header_size=64 * 1024,
            # Output that a slow client has not read goes into a temporary file, so that no thread waits for it.
            outbuf_high_watermark=1 << 30,
            channel_timeout=300,
            # The control plane refuses forwarded requests by these headers, and nothing trusts them.
            clear_untrusted_proxy_headers=False,
            # An error of a socket ends its connection without a word, and so does a fault that raises one.
            log_socket_errors=False,
        )
        self._dispatcher.threads = self._waitress.task_dispatcher
        self._waitress.task_dispatcher = self._dispatcher
        self._pull_trigger = self._waitress.pull_trigger
        self._waitress.pull_trigger = self._wake_from_thread
        self._is_stopping = self._is_closed = False
        self._close_lock = threading.RLock()  # reentrant: a signal handler may interrupt its own thread in `_wake`

    @property
    def url(self) -> str:
        """The URL of the server, with an address of this machine."""
        host, port = self.socket.getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def run(self) -> None:
        """Answer requests until `stop`. Requests in progress then have GRACE_S to end."""
        self.app.world.db.set_nonblocking()
        try:
            while not self._is_stopping:
                self._poll(1)
            deadline = monotonic() + GRACE_S
            while self._is_busy() and monotonic() < deadline:
                self._poll(0.1)
        finally:
            with self._close_lock:
                self._is_closed = True
            self._dispatcher.threads.set_thread_count(0)
            self._waitress.close()
            for channel in list(self._map.values()):
                channel.handle_close()  # closes the files of responses that are not yet sent

    def stop(self) -> None:
        """End `run`, from another thread or from a signal handler. A second call, which may interrupt, does nothing."""
        if not self._is_stopping:
            self._is_stopping = True
            self.app.world.ending.set()
            self._wake()

    def _poll(self, timeout_s: float) -> None:
        # Not select(), which fails for file numbers above 1023.
        wasyncore.loop(timeout_s, use_poll=True, map=self._map, count=1)
        self._dispatcher.serve_arrived()

    def _is_busy(self) -> bool:
        """Return whether a request is in progress or a response is not yet sent."""
        return any(getattr(each, "requests", None) or each.writable() for each in self._map.values())

    def _wake_from_thread(self) -> None:
        """Wake the event loop after a response. Its own thread looks at the sockets next anyway."""
        if not self.app.world.db.is_nonblocking:
            self._wake()

    def _wake(self) -> None:
        with self._close_lock:  # once it is closed, another file may have the number of the pipe that wakes the loop
            if not self._is_closed:
                self._pull_trigger()


def _connection_limit() -> int:
    """Return how many connections the system's limit of open files allows.

    Without files that are left, waitress cannot accept a connection, and asks again and again.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(MAX_CONNECTIONS, limit // FILES_OF_A_CONNECTION)


class PlainSocket(socket.socket):
    """A socket whose connections end if the client speaks TLS. Without that, each side would wait for the other one."""

    _has_received = False

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its address."""
        connection, address = super().accept()
        return PlainSocket(self.family, self.type, self.proto, connection.detach()), address

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Return received bytes, none of a client that speaks TLS."""
        data = super().recv(size, flags)
        is_first, self._has_received = not self._has_received, True
        if not (is_first and data.startswith(_TLS_RECORD)):
            return data
        log.warning("A client speaks https:// to this server, which answers http:// only: change its base URL.")
        return b""


def bind(settings: Settings) -> socket.socket:
    """Return a listening socket. Raises BadSetting if the address is not available."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.create_server((settings.host, settings.port), family=family, backlog=1024)
        return PlainSocket(bound.family, bound.type, bound.proto, bound.detach())
    except OSError as error:
        prefix = f"Cannot listen on {settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(f"{prefix}: the port is in use. Choose one with --port; 0 is any free port.") from error
        # create_server appends the address to its text. A failed look-up has a number of its own.
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise BadSetting(f"{prefix}: {reason}.") from error


@contextmanager
def running_app(settings: Settings) -> Iterator[Dryline]:
    """Run an application with its jobs, and without a socket, for a block. Raises BadSetting."""
    app = create_app(settings)
    with ended_by_owner(app.close):
        app.jobs.start()
        yield app


@contextmanager
def in_thread(settings: Settings) -> Iterator[HttpServer]:
    """Run a server in a thread of this process for a block. Raises BadSetting."""
    with running_app(settings) as app:
        server = HttpServer(app)
        thread = threading.Thread(target=server.run, name="dryline-server", daemon=True)
        thread.start()

        def end() -> None:
            server.stop()
            thread.join()

        with ended_by_owner(end):
            yield server
