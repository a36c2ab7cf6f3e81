"""The HTTP server: an application on a socket, answered by waitress and the lanes."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from waitress import wasyncore

from dryline.serving.lanes import Lanes
from dryline.serving.listener import Listener
from dryline.settings import BadSetting, Settings
from dryline.traffic.real_time import monotonic

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from dryline.app import Dryline

# How long the requests in progress may take when the server stops, in seconds.
GRACE_S = 1.2


class HttpServer:
    """An application on a socket, which is bound here or passed as `listening`. `run` answers requests until `stop`.

    `wrapped` is the application within another one, which is called in its place. Raises BadSetting if the address is
    not available.
    """

    def __init__(
        self, app: Dryline, listening: socket.socket | None = None, wrapped: WSGIApplication | None = None
    ) -> None:
        settings = app.world.settings
        self.app = app
        self.socket = listening or bind(settings)
        app.world.outgoing.own.append(self.socket.getsockname()[:2])
        app.world.address = self.url
        self._map: dict[int, Any] = {}
        self._lanes = Lanes(app, settings.threads)
        self._listener = Listener(
            wrapped or app,
            self.socket,
            self._lanes,
            map=self._map,
            ident="dryline",
            # A proxy may strip the path of --public-url or pass it on: both work.
            url_prefix=settings.public_path,
            # Flask refuses larger bodies with the API's error. This limit keeps endless ones off the disk.
            max_request_body_size=max(settings.max_body_mb * 1_000_000, 1 << 30),
            max_request_header_size=64 * 1024,
            # Output that a slow client has not read goes into a temporary file, so that no thread waits for it.
            outbuf_high_watermark=1 << 30,
            channel_timeout=300,
            # The control plane refuses forwarded requests by these headers, and nothing trusts them.
            clear_untrusted_proxy_headers=False,
        )
        self._is_stopping = False
        self._stop_lock = threading.RLock()  # reentrant: a signal handler may interrupt its own thread in `stop`

    @property
    def url(self) -> str:
        """The URL of the server, with an address of this machine."""
        host, port = self.socket.getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def run(self) -> None:
        """Answer requests until `stop`. Requests in progress then have GRACE_S to end."""
        self._lanes.start_loop()
        try:
            while not self._is_stopping:
                self._poll(1)
                self._lanes.start_missing_threads()
            deadline = monotonic() + GRACE_S
            self._listener.accepting = False
            while self._listener.busy and monotonic() < deadline:
                self._poll(0.1)
            self._lanes.end(deadline)
        finally:
            with self._stop_lock:  # no thread is about to wake the loop, which is gone now
                self._is_stopping = True
                for channel in list(self._listener.active_channels.values()):
                    channel.handle_close()  # closes the files of responses that are not yet sent
                wasyncore.close_all(self._map, ignore_all=True)

    def _poll(self, timeout_s: float) -> None:
        # Not select(), which fails for file numbers above 1023.
        wasyncore.loop(timeout_s, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        """End `run`, from another thread or from a signal handler. A second call does nothing."""
        with self._stop_lock:
            if not self._is_stopping:
                self._is_stopping = True
                self.app.world.ending.set()
                self._listener.wake()


def bind(settings: Settings) -> socket.socket:
    """Return a listening socket. Raises BadSetting if the address is not available."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as error:
        prefix = f"Cannot listen on {settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"{prefix}: the port is in use. Choose another with --port, or a free one with --port 0 "
                "(make run ARGS='--port 0')."
            ) from error
        # create_server appends the address to its text. A failed look-up has a number of its own.
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise BadSetting(f"{prefix}: {reason}.") from error


@contextmanager
def running(settings: Settings) -> Iterator[Dryline]:
    """Run an application with its jobs, and without a socket, for a block. Raises BadSetting."""
    from dryline.app import create_app

    with closing(create_app(settings)) as app:
        app.jobs.start()
        yield app


@contextmanager
def in_thread(
    settings: Settings,
    listening: Callable[[], socket.socket] | None = None,
    wrap: Callable[[Dryline], WSGIApplication] | None = None,
) -> Iterator[HttpServer]:
    """Run a server in a thread of this process for a block. Raises BadSetting.

    `listening` returns its socket once the application runs, and `wrap` returns an application to answer in its place.
    """
    with running(settings) as app:
        server = HttpServer(app, listening() if listening else None, wrap(app) if wrap else None)
        thread = threading.Thread(target=server.run, name="dryline-server", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()
