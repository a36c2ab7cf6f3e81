"""One request to another server, within a time that holds whatever it waits for."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError, ProtocolError
from urllib3.exceptions import TimeoutError as Late

from dryline import __version__
from dryline.storage.current_world import find_task
from dryline.world.masking import mask_addresses

if TYPE_CHECKING:
    from urllib3.util import Url

_PIECE_BYTES = 64_000


class HttpResponse(NamedTuple):
    """A response. The names of `headers` have no case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unanswered(Exception):
    """There was no response. The message is a sentence, in which credentials of an address are masked."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(mask_addresses(message))
        self.timed_out = timed_out


class Cut(Unanswered):
    """The world was closed before there was a response."""

    def __init__(self) -> None:
        super().__init__("The server stopped before there was an answer.")


@dataclass
class Exchange:
    """One request, sent in a thread of its own and given up after `within_s` seconds, whatever it waits for.

    urllib3's own limits are not enough: they leave out the look-up of a host's name, and an answer that comes byte by
    byte begins each of them anew. The user and the password of the address are sent, unless `headers` have an
    Authorization. `check` gets the connected socket before anything is sent, and may raise Unanswered.

    When one of the futures is done, nobody waits for the answer any longer, and nothing is sent if that has not
    happened yet. The end of the world also ends the connection; after that of the epoch the other server may finish its
    answer.
    """

    method: str
    address: Url
    headers: Mapping[str, str]
    body: bytes | None
    within_s: float
    max_bytes: int
    check: Callable[[socket.socket], None] | None = None
    world_ended: Future[None] | None = None
    epoch_ended: Future[None] | None = None
    _socket: socket.socket | None = None
    _is_over: bool = False

    def run(self, manager: PoolManager, world_ended: Future[None] | None = None) -> HttpResponse:
        """Return the response. Raises Unanswered, also Cut once the world has ended.

        Raises EpochEnded as soon as the epoch of the running task has ended; then nothing is sent any more.
        """
        task, self.world_ended = find_task(), world_ended
        if task is None:  # a command, without a world
            return self._run_in_thread(manager)
        epochs = task.world.epochs
        with epochs.sending(task) as self.epoch_ended:
            try:
                return self._run_in_thread(manager)
            except Cut:
                epochs.require_current(task)
                raise

    def _run_in_thread(self, manager: PoolManager) -> HttpResponse:
        outcome: Future[HttpResponse] = Future()

        def exchange() -> None:
            try:
                outcome.set_result(self._send(manager))
            except Exception as error:
                outcome.set_exception(error)

        pools: Any = {  # urllib3's types want classes; it calls whatever is there
            "http": partial(_HttpPool, on_connected=self._on_connected),
            "https": partial(_HttpsPool, on_connected=self._on_connected),
        }
        manager.pool_classes_by_scheme = pools
        threading.Thread(target=exchange, name="outgoing request", daemon=True).start()
        wait([outcome, *self._futures_of_end()], self.within_s, FIRST_COMPLETED)
        if outcome.done():
            return outcome.result()

        self._is_over = True
        if self.epoch_ended and self.epoch_ended.done():
            later = threading.Timer(self.within_s, self._shut_down)
            later.daemon = True
            later.start()
        else:
            self._shut_down()
        raise Cut() if self._has_ended() else self._late_error()

    def _futures_of_end(self) -> list[Future[Any]]:
        return [end for end in (self.world_ended, self.epoch_ended) if end is not None]

    def _has_ended(self) -> bool:
        return any(end.done() for end in self._futures_of_end())

    def _shut_down(self) -> None:
        """End the reading of the other thread."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _on_connected(self, connected: socket.socket) -> None:
        self._socket = connected
        if self._is_over or self._has_ended():
            raise Cut()
        if self.check is not None:
            self.check(connected)

    def _send(self, manager: PoolManager) -> HttpResponse:
        """Send the request, and read at most `max_bytes` bytes of the response's body. Raises Unanswered."""
        has_authorization = any(name.lower() == "authorization" for name in self.headers)
        credentials = {} if has_authorization else authorization_header(self.address)
        headers = {"User-Agent": f"dryline/{__version__}", **credentials, **self.headers}
        url = self.address._replace(auth=None).url
        options: Any = {"timeout": self.within_s, "retries": False, "redirect": False, "preload_content": False}
        try:
            with manager.request(self.method, url, body=self.body, headers=headers, **options) as response:
                content = bytearray()
                # In pieces: a few kilobytes can unpack to megabytes, and a Content-Length can be of any size.
                while piece := response.read(min(_PIECE_BYTES, self.max_bytes - len(content))):
                    content += piece
                return HttpResponse(response.status, response.headers, bytes(content))
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            raise self._as_unanswered(error, manager.proxy) from None

    def _as_unanswered(self, error: Exception, proxy: Url | None) -> Unanswered:
        # In urllib3, the error of a refused connection is a kind of timeout.
        if isinstance(error, (Late, TimeoutError)) and not isinstance(error, NewConnectionError):
            return self._late_error()
        cause = error.args[-1] if isinstance(error, ProtocolError) else error.__cause__
        if not isinstance(cause, OSError):
            cause = error
        proxy_used = f" (the proxy {proxy.host} of the environment was used)" if proxy else ""
        return Unanswered(f"{type(cause).__name__}: {cause}{proxy_used}")

    def _late_error(self) -> Unanswered:
        return Unanswered(f"No answer within {self.within_s:g} s.", timed_out=True)


def authorization_header(address: Url) -> dict[str, str]:
    """Return the header for the user and the password in a URL. https://www.rfc-editor.org/rfc/rfc7617."""
    if not address.auth:
        return {}
    user, _, password = address.auth.partition(":")
    pair = unquote_to_bytes(user) + b":" + unquote_to_bytes(password)
    return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


class _HttpConnection(HTTPConnection):
    """A connection that passes its socket to `on_connected` before anything is sent."""

    def __init__(self, *arguments: Any, on_connected: Callable[[Any], None], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._on_connected = on_connected

    def connect(self) -> None:
        super().connect()
        self._on_connected(self.sock)


class _HttpsConnection(_HttpConnection, HTTPSConnection):
    """The same for https, after the handshake."""


class _HttpPool(HTTPConnectionPool):
    """A pool that passes `on_connected` on to its connections, as it does with options that it does not know."""

    ConnectionCls = _HttpConnection


class _HttpsPool(HTTPSConnectionPool):
    """The same for https."""

    ConnectionCls = _HttpsConnection
