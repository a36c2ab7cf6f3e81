"""httpx transports that call the application without a socket, and fail as a socket would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx

from dryline.world.faults import GIVES_UP, ConnectionCut

if TYPE_CHECKING:
    from dryline.testing.servers import Started

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class Transport(httpx.BaseTransport):
    """A transport that calls the application in the calling thread. `dryline` is its stand-in."""

    def __init__(self, dryline: Started, *, owned: bool = False) -> None:
        self.dryline, self._owned = dryline, owned

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response. Raises httpx's errors if a fault cuts it off or outlasts the client's timeout."""
        return _respond(self.dryline.app, request)

    def close(self) -> None:
        """Stop the stand-in if this transport started it."""
        if self._owned:
            self._owned = False
            self.dryline.stop()


class AsyncTransport(httpx.AsyncBaseTransport):
    """A transport for async clients, which calls the application in a thread for each request.

    A flow may send requests to a server in the same event loop, so the application must not block it.
    """

    def __init__(self, dryline: Started, *, owned: bool = False) -> None:
        self.dryline, self._owned = dryline, owned

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response. Raises like `Transport.handle_request`."""
        await request.aread()
        # A cancelled client abandons the request, as it would with a server.
        limiter = anyio.CapacityLimiter(1)
        app = self.dryline.app
        return await anyio.to_thread.run_sync(_respond, app, request, abandon_on_cancel=True, limiter=limiter)

    async def aclose(self) -> None:
        """Stop the stand-in if this transport started it."""
        if self._owned:
            self._owned = False
            self.dryline.stop()


def _respond(app: Callable[..., Iterable[bytes]], request: httpx.Request) -> httpx.Response:
    read_timeout_s = request.extensions.get("timeout", {}).get("read")
    gave_up = False

    def gives_up(delay_s: float) -> bool:
        nonlocal gave_up
        gave_up = read_timeout_s is not None and delay_s > read_timeout_s
        return gave_up

    def wrapped(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # The raw path: an id may contain an encoded slash.
        environ["REQUEST_URI"] = request.url.raw_path.decode("ascii")
        environ[GIVES_UP] = gives_up
        return app(environ, start_response)

    try:
        answer = httpx.WSGITransport(app=wrapped).handle_request(request)
    except ConnectionCut:
        message = "Server disconnected without sending a response."
        raise _timed_out(request) if gave_up else httpx.RemoteProtocolError(message, request=request) from None
    try:
        assert isinstance(answer.stream, httpx.SyncByteStream)
        content = b"".join(answer.stream)
    finally:
        answer.close()
    if gave_up:
        raise _timed_out(request)
    return httpx.Response(answer.status_code, headers=answer.headers, stream=_body(request, answer, content))


def _timed_out(request: httpx.Request) -> httpx.ReadTimeout:
    return httpx.ReadTimeout("timed out", request=request)


def _body(request: httpx.Request, answer: httpx.Response, content: bytes) -> httpx.ByteStream | _Cut:
    announced = int(answer.headers.get("content-length", len(content)))
    if request.method == "HEAD" or announced == len(content):
        return httpx.ByteStream(content)
    message = (
        "peer closed connection without sending complete message body "
        f"(received {len(content)} bytes, expected {announced})"
    )
    return _Cut(content, httpx.RemoteProtocolError(message, request=request))


class _Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A response body that ends before its announced length."""

    def __init__(self, content: bytes, error: httpx.RemoteProtocolError) -> None:
        self._content, self._error = content, error

    def __iter__(self) -> Iterator[bytes]:
        yield self._content
        raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content
        raise self._error
