"""An httpx transport that calls the application without a socket, and fails as a socket would."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx

from dryline.world.faults import GIVES_UP, ConnectionCut

if TYPE_CHECKING:
    from dryline.testing.servers import Started

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport for `httpx.Client` and `httpx.AsyncClient`. `dryline` is its stand-in.

    A sync client calls the application in its own thread, an async one in a thread for each request: a flow may send
    requests to a server in the same event loop, which must not be blocked.
    """

    def __init__(self, dryline: Started, *, owned: bool = False) -> None:
        self.dryline, self._owned = dryline, owned

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response. Raises httpx's errors if a fault cuts it off or outlasts the client's timeout."""
        return _respond(self.dryline.app, request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response. Raises like `handle_request`."""
        await request.aread()
        # A cancelled client abandons the request, as it would with a server.
        limiter = anyio.CapacityLimiter(1)
        app = self.dryline.app
        return await anyio.to_thread.run_sync(_respond, app, request, abandon_on_cancel=True, limiter=limiter)

    def close(self) -> None:
        """Stop the stand-in if this transport started it."""
        if self._owned:
            self._owned = False
            self.dryline.stop()

    async def aclose(self) -> None:
        """Stop the stand-in if this transport started it."""
        self.close()


def _respond(app: Callable[..., Iterable[bytes]], request: httpx.Request) -> httpx.Response:
    read_timeout_s = request.extensions.get("timeout", {}).get("read")
    gave_up = False
    bodies = contextlib.ExitStack()

    def gives_up(delay_s: float) -> bool:
        nonlocal gave_up
        gave_up = read_timeout_s is not None and delay_s >= read_timeout_s
        return gave_up

    def wrapped(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # The raw path: an id may contain an encoded slash.
        environ["REQUEST_URI"] = request.url.raw_path.decode("ascii")
        environ[GIVES_UP] = gives_up
        body = app(environ, start_response)
        bodies.callback(getattr(body, "close", lambda: None))  # of a download, which has its file open
        return body

    failure = "Server disconnected without sending a response."
    try:
        answer = httpx.WSGITransport(app=wrapped).handle_request(request)
        content = b"".join(answer.stream)  # type: ignore[arg-type]  # WSGITransport answers with a sync stream
        announced = int(answer.headers.get("content-length", len(content)))
        if not gave_up and (request.method == "HEAD" or announced == len(content)):
            return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(content))
        failure = (
            "peer closed connection without sending complete message body "
            f"(received {len(content)} bytes, expected {announced})"
        )
    except ConnectionCut:
        pass
    finally:
        bodies.close()
    if gave_up:
        raise httpx.ReadTimeout("timed out", request=request)
    raise httpx.RemoteProtocolError(failure, request=request)
