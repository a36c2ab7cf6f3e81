"""The HTTP client for requests that the stand-in sends: webhooks, requests of flows, and another service.

It does not follow redirects, which could lead elsewhere, and repeats nothing.
"""

from __future__ import annotations

import base64
import contextlib
import re
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError, ProtocolError
from urllib3.exceptions import TimeoutError as Late
from urllib3.util import make_headers, parse_url

from dryline import __version__
from dryline.settings import is_loopback
from dryline.storage.current_world import find_task
from dryline.world.masking import mask_addresses
from dryline.world.proxies import find_proxy

if TYPE_CHECKING:
    from urllib3.util import Url

# The one place on its own server that a world may write to.
INBOX = "/inbox/"
# The name under which a document's webhooks reach the inbox of the server that has loaded it, whatever its port.
OWN_INBOX = "inbox.dryline.invalid"
# The header of each request that a world sends on behalf of a team: a webhook, or a request of a flow. The control
# plane and the console of every dryline server refuse such requests, because a team's key is not a key to them.
OUTGOING_HEADER = "X-Dryline-Outgoing"
# Headers that a team may not set: OUTGOING_HEADER, and those that delimit a message or control its connection. With a
# Content-Length of its own, a flow could send a second request in the body of the first.
_RESERVED_HEADERS = {
    *("connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"),
    OUTGOING_HEADER.lower(),
}
# The longest answer of another service, unpacked: a page of a list has a tenth of it.
MAX_ANSWER_BYTES = 100_000_000
_PIECE_BYTES = 64_000
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


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


class NoAddress(Unanswered):
    """The URL is not valid. Another attempt is of no use."""


class Refused(Unanswered):
    """Requests to the URL are not allowed. `own_server` says that it leads to this server."""

    def __init__(self, message: str, *, own_server: bool = False) -> None:
        super().__init__(message)
        self.own_server = own_server


class Cut(Unanswered):
    """The world was closed before there was a response."""

    def __init__(self) -> None:
        super().__init__("The server stopped before there was an answer.")


def send(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    within_s: float = 10,
    max_bytes: int = MAX_ANSWER_BYTES,
) -> HttpResponse:
    """Send one request, through the proxy that the environment names, if any.

    Raises Unanswered when the whole response has not come within `within_s` seconds, or has more than `max_bytes`
    bytes, unpacked.
    """
    exchange = _Exchange(method, _parse_url(url), headers or {}, body, within_s, max_bytes + 1)
    answer = exchange.run(_pool_manager_for(exchange.address))
    if len(answer.body) > max_bytes:
        raise Unanswered(f"The answer has more than {max_bytes // 1_000_000} MB.")
    return answer


class Outgoing:
    """The HTTP client for requests on behalf of a team: webhooks, and requests of flows. It limits time and size.

    It reaches this machine and the hosts that the settings name, without a proxy; of the world's own server only the
    inbox, because the control plane asks nobody on this machine for a key.
    """

    def __init__(self, hosts: tuple[str, ...] = ()) -> None:
        self._hosts = {host.lower() for host in hosts}
        # Where the world answers: its server says so. `own` has the host and the port of each listening socket.
        self.own_sockets: list[tuple[str, int]] = []
        self.own_url: str | None = None
        # Of a world without a socket: the host of its links, and a function that sends a request to its inbox.
        self.own_host: str | None = None
        self.send_to_own_inbox: Callable[..., HttpResponse] | None = None
        self._ended: Future[None] = Future()

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, within_s: float, max_bytes: int
    ) -> HttpResponse:
        """Send a request once, within `within_s` seconds, and return at most `max_bytes` bytes of the response's body.

        Reserved headers are left out. Raises Unanswered: Refused, NoAddress, Cut, or when no response came in time.
        """
        address = _parse_url(url)
        if self.send_to_own_inbox is not None and address.host in (OWN_INBOX, self.own_host):
            return self._send_without_socket(method, address, headers, body, within_s)
        if address.host == OWN_INBOX:
            if self.own_url is None:
                raise Refused("This server has no address of its own.")
            address = _parse_url(f"{self.own_url}{address.path}")
        host = _host_of(address)
        if not (host in self._hosts or is_loopback(host)):
            raise Refused(
                f"The host {host} is neither loopback nor named by --webhook-hosts "
                "(--dryline-webhook-hosts of the fixtures)."
            )
        if self._ended.done():
            raise Cut()
        exchange = _Exchange(method, address, _without_reserved_headers(headers), body, within_s, max_bytes)
        if not (address.path or "").startswith(INBOX):
            exchange.check = self._require_not_own
        return exchange.run(PoolManager(), self._ended)

    def _send_without_socket(
        self, method: str, address: Url, headers: Mapping[str, str], body: bytes | None, within_s: float
    ) -> HttpResponse:
        """Send a request to the inbox of this world, which has no socket. Raises Unanswered and EpochEnded."""
        path = address.request_uri
        if self.send_to_own_inbox is None or not path.startswith(INBOX):
            raise Refused(f"{address.host} leads to this server itself.", own_server=True)
        if self._ended.done():
            raise Cut()
        task = find_task()
        sending = task.world.epochs.sending(task) if task else contextlib.nullcontext()
        with sending:
            sent = _authorization_header(address) | _without_reserved_headers(headers)
            return self.send_to_own_inbox(method, path, sent, body, timeout_s=within_s)

    def end(self) -> None:
        """Give up the requests in progress: each such `send` raises Cut at once, and so does every later one."""
        if not self._ended.done():
            self._ended.set_result(None)

    def _require_not_own(self, connected: socket.socket) -> None:
        """Raise Refused if a connection leads to a socket of this world, whatever name it was opened by."""
        (peer, peer_port), here = connected.getpeername()[:2], connected.getsockname()[0]
        address = _unmapped_address(peer)
        for host, port in self.own_sockets:
            listens = _unmapped_address(host)
            on_this_machine = address.is_loopback or address == _unmapped_address(here)
            if port == peer_port and (listens == address or (listens.is_unspecified and on_this_machine)):
                raise Refused(f"{peer}:{port} leads to this server itself.", own_server=True)


def _without_reserved_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers without reserved ones, and with OUTGOING_HEADER. Raises Unanswered for an invalid one."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or "\r" in value or "\n" in value:
            raise Unanswered(f"ValueError: Invalid header {name!r}")
    allowed = {name: value for name, value in headers.items() if name.lower() not in _RESERVED_HEADERS}
    return {**allowed, "Connection": "close", OUTGOING_HEADER: "1"}


def _unmapped_address(host: str) -> IPv4Address | IPv6Address:
    """Return the address of a host. An IPv4 address in IPv6 form is the same host."""
    address = ip_address(host)
    return getattr(address, "ipv4_mapped", None) or address


def _parse_url(url: str) -> Url:
    """Return the parts of a URL. Raises NoAddress, and Refused for a URL of another scheme."""
    try:
        address = parse_url(url)
    except HTTPError as error:
        raise NoAddress(f"The URL is not valid: {error}.") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise Refused(f"The URL must be of http or https, not {url}.")
    return address


def _host_of(address: Url) -> str:
    return (address.host or "").strip("[]")


def _authorization_header(address: Url) -> dict[str, str]:
    """Return the header for the user and the password in a URL. https://www.rfc-editor.org/rfc/rfc7617."""
    if not address.auth:
        return {}
    user, _, password = address.auth.partition(":")
    pair = unquote_to_bytes(user) + b":" + unquote_to_bytes(password)
    return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _pool_manager_for(address: Url) -> PoolManager:
    """Return a client that uses the proxy of the environment, if it names one for a URL. Raises Refused."""
    named = find_proxy(address.scheme or "http", _host_of(address), address.port)
    if named is None:
        return PoolManager()
    try:
        proxy = parse_url(named if "://" in named else f"http://{named}")
        headers = make_headers(proxy_basic_auth=unquote(proxy.auth)) if proxy.auth else None
        return ProxyManager(proxy._replace(auth=None).url, proxy_headers=headers)
    except HTTPError as error:
        raise Refused(f"The proxy of the environment cannot be used: {error}.") from None


@dataclass
class _Exchange:
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
        credentials = {} if has_authorization else _authorization_header(self.address)
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
