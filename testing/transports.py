"""httpx transports that call an application without a socket, and fail as one over a socket would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx
from waitress.channel import ClientDisconnected

from dryline.traffic.faults import GIVES_UP

if TYPE_CHECKING:
    from dryline.testing.servers import Started


class Transport(httpx.BaseTransport):
    """Calls a stand-in's application in the calling thread. `dryline` drives it."""

    def __init__(self, dryline: Started, *, owned: bool = False) -> None:
        self.dryline, self._owned = dryline, owned

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer. Raises httpx's errors where a fault cuts it off, or delays it longer than the client waits."""
        return _answered(self.dryline.app, request)

    def close(self) -> None:
        """End a stand-in that was made for it."""
        if self._owned:
            self._owned = False
            self.dryline.stop()


class AsyncTransport(httpx.AsyncBaseTransport):
    """The same for async clients: in the loop's own thread where nothing can make the answer wait, else in another."""

    def __init__(self, dryline: Started, *, owned: bool = False) -> None:
        self.dryline, self._owned = dryline, owned

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, as of `Transport`. Raises as it does."""
        await request.aread()
        app: Any = self.dryline.app
        if not app.world.faults.may_delay():
            return _answered(app, request)
        # A client that is cancelled leaves the request to itself, as it leaves a server.
        alone = anyio.CapacityLimiter(1)
        return await anyio.to_thread.run_sync(_answered, app, request, abandon_on_cancel=True, limiter=alone)

    async def aclose(self) -> None:
        """End a stand-in that was made for it."""
        if self._owned:
            self._owned = False
            self.dryline.stop()


def _answered(app: Callable[..., Iterable[bytes]], request: httpx.Request) -> httpx.Response:
    patience_s = request.extensions.get("timeout", {}).get("read")
    gave_up = False

    def gives_up(delay_s: float) -> bool:
        nonlocal gave_up
        gave_up = patience_s is not None and delay_s > patience_s
        return gave_up

    def called(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # The path as it was sent: an id may hold a slash.
        environ["REQUEST_URI"] = request.url.raw_path.decode("ascii")
        environ[GIVES_UP] = gives_up
        return app(environ, start_response)

    try:
        answer = httpx.WSGITransport(app=called).handle_request(request)
    except ClientDisconnected:
        message = "Server disconnected without sending a response."
        raise _given_up(request) if gave_up else httpx.RemoteProtocolError(message, request=request) from None
    try:
        assert isinstance(answer.stream, httpx.SyncByteStream)
        content = b"".join(answer.stream)
    finally:
        answer.close()
    if gave_up:
        raise _given_up(request)
    return httpx.Response(answer.status_code, headers=answer.headers, stream=_body(request, answer, content))


def _given_up(request: httpx.Request) -> httpx.ReadTimeout:
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
    """A body that breaks off."""

    def __init__(self, content: bytes, error: httpx.RemoteProtocolError) -> None:
        self._content, self._error = content, error

    def __iter__(self) -> Iterator[bytes]:
        yield self._content
        raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content
        raise self._error
