"""The HTTP client for requests that the stand-in sends: webhooks, requests of flows, and another service.

Requests to another service (`send`) use the proxy that the environment names. Webhooks and requests of flows use none:
most are to this machine, and all others to hosts that the settings name. No redirect is followed, which could lead
elsewhere.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NamedTuple

from dryline import __version__
from dryline.world.proxies import BadProxy, find_proxy

# The one place on its own server that a world may write to.
INBOX = "/inbox/"
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
    """There was no response. The message is a sentence."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
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


def send(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    timeout_s: float = 10,
    total_s: float | None = None,
    max_bytes: int = MAX_ANSWER_BYTES,
) -> HttpResponse:
    """Send one request, through a proxy if the environment names one for this address.

    Raises Unanswered, also for an answer of more than `max_bytes`, unpacked.
    `timeout_s` limits the connection and each read of the answer, `total_s` the whole request.
    """
    exchange = _Exchange(url, timeout_s, may_use_proxy=True)
    with exchange.open(), contextlib.nullcontext() if total_s is None else exchange.limit(total_s):
        answer = exchange.ask(method, headers, body, max_bytes + 1)
        if len(answer.body) > max_bytes:
            raise Unanswered(f"The answer has more than {max_bytes // 1_000_000} MB.")
        return answer


class Outgoing:
    """The HTTP client for requests on behalf of a team: webhooks, and requests of flows. It limits time and size.

    It reaches this machine and the hosts that the settings name; of the world's own server only the inbox, because the
    control plane asks nobody on this machine for a key.
    """

    def __init__(self, hosts: tuple[str, ...] = ()) -> None:
        self._hosts = {host.lower() for host in hosts}
        # Where the world answers, as host and port of each listening socket: its server says so.
        self.own: list[tuple[str, int]] = []
        self._lock = threading.Lock()
        self._open: set[_Exchange] = set()
        self._ended = False

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, within_s: float, max_bytes: int
    ) -> HttpResponse:
        """Send a request once, within `within_s` seconds, and return at most `max_bytes` bytes of the response's body.

        Reserved headers are left out. Raises Unanswered: Refused, NoAddress, Cut, or when no response came in time.
        """
        exchange = _Exchange(url, within_s)
        if not self.may_reach(exchange.host):
            raise Refused(f"The host {exchange.host} is neither loopback nor named by --webhook-hosts.")
        with self._registered(exchange), exchange.open(), exchange.limit(within_s):
            peer, here = exchange.connect()
            if self._is_own(peer, here) and not exchange.target.startswith(INBOX):
                raise Refused(f"{url} leads to this server itself.", own_server=True)
            return exchange.ask(method, _marked(headers), body, max_bytes)

    def may_reach(self, host: str) -> bool:
        """Return whether a host is certainly this machine, or is one of the allowed hosts."""
        if host in self._hosts or host == "localhost":
            return True
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return False

    def end(self) -> None:
        """Cut the requests in progress: each such `send` raises Cut at once, and so does every later one."""
        with self._lock:
            self._ended = True
            in_progress = list(self._open)
        for exchange in in_progress:
            exchange.cut(_stopped_error())

    @contextlib.contextmanager
    def _registered(self, exchange: _Exchange) -> Iterator[None]:
        """Register an exchange for a block, so that `end` cuts it. Raises Cut if the world has ended."""
        with self._lock:
            if self._ended:
                raise _stopped_error()
            self._open.add(exchange)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(exchange)

    def _is_own(self, peer: tuple[str, int], here: tuple[str, int]) -> bool:
        """Return whether a connection from `here` to `peer` leads to a socket of this world."""
        address = _plain(peer[0])
        for host, port in self.own:
            listens = _plain(host)
            on_this_machine = address.is_loopback or address == _plain(here[0])
            if port == peer[1] and (listens == address or (listens.is_unspecified and on_this_machine)):
                return True
        return False


def _marked(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers without reserved ones, and with OUTGOING_HEADER. Raises ValueError for an invalid one."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"Invalid header name {name!r}")
        if "\r" in value or "\n" in value:
            raise ValueError(f"The header {name} has a line break in its value")
    allowed = {name: value for name, value in headers.items() if name.lower() not in _RESERVED_HEADERS}
    return {**allowed, "Connection": "close", OUTGOING_HEADER: "1"}


def _stopped_error() -> Cut:
    return Cut("The server stopped before there was an answer.")


def _plain(host: str) -> IPv4Address | IPv6Address:
    """Return the address of a host. An IPv4 address in IPv6 form is the same host."""
    address = ip_address(host)
    return getattr(address, "ipv4_mapped", None) or address


def _proxy(scheme: str, host: str, port: int) -> Any:
    try:
        return find_proxy(scheme, host, port)
    except BadProxy as error:
        raise Refused(str(error)) from None


class _Exchange:
    """A request and its response, over a connection that another thread may cut."""

    def __init__(self, url: str, timeout_s: float, *, may_use_proxy: bool = False) -> None:
        import urllib3  # imported late: a start does not need it

        try:
            address = urllib3.util.parse_url(url)
        except urllib3.exceptions.HTTPError as error:
            raise NoAddress(f"The URL is not valid: {error}.") from None
        kinds = {"http": urllib3.connection.HTTPConnection, "https": urllib3.connection.HTTPSConnection}
        if address.scheme not in kinds or not address.host:
            raise Refused(f"The URL must be of http or https, not {url}.")
        self.host = address.host.strip("[]")
        self.target = address.request_uri
        self._timeout_s = timeout_s
        kind = kinds[address.scheme]
        port = address.port or kind.default_port
        self._proxy: Any = _proxy(address.scheme, self.host, port) if may_use_proxy else None
        self._proxy_headers: dict[str, str] = {}
        if self._proxy is None:
            self._connection: Any = kind(self.host, port, timeout=timeout_s)
        else:
            self._connect_through(self._proxy, address, port)
        self._cut_for: Unanswered | None = None
        self._socket: socket.socket | None = None  # the connection gives its own up when the answer has no length

    def _connect_through(self, proxy: Any, address: Any, port: int) -> None:
        """Use a proxy: a tunnel for https, or the whole address as the target."""
        from urllib.parse import unquote

        from urllib3.connection import HTTPConnection, HTTPSConnection, ProxyConfig
        from urllib3.util import make_headers

        is_tunnel = address.scheme == "https"
        kind = HTTPSConnection if is_tunnel or proxy.scheme == "https" else HTTPConnection
        config = ProxyConfig(None, False, None, None) if is_tunnel else None
        place = proxy.host.strip("[]"), proxy.port or kind.default_port
        self._connection = kind(*place, timeout=self._timeout_s, proxy=proxy, proxy_config=config)
        headers = make_headers(proxy_basic_auth=unquote(proxy.auth)) if proxy.auth else {}
        if is_tunnel:
            self._connection.set_tunnel(self.host, port, headers, scheme=proxy.scheme)
        else:
            self._proxy_headers, self.target = headers, address._replace(auth=None, fragment=None).url

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Turn the errors of a block into Unanswered, and close the connection at its end."""
        from http.client import HTTPException

        from urllib3.exceptions import HTTPError, NewConnectionError
        from urllib3.exceptions import TimeoutError as Late

        try:
            yield
        except Unanswered:
            raise
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            if self._cut_for is not None:
                raise self._cut_for from None
            # In urllib3, the error of a refused connection is a kind of timeout.
            if isinstance(error, (Late, TimeoutError)) and not isinstance(error, NewConnectionError):
                raise Unanswered(f"No answer within {self._timeout_s:g} s.", timed_out=True) from None
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            place = f" (the proxy {self._proxy.host} of the environment was used)" if self._proxy else ""
            raise Unanswered(f"{type(cause).__name__}: {cause}{place}") from None
        finally:
            self._connection.close()

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Cut the exchange off when a block takes longer. The connection's own time limit is for each read."""
        late = Unanswered(f"No answer within {seconds:g} s.", timed_out=True)
        deadline = threading.Timer(seconds, self.cut, (late,))
        deadline.daemon = True
        deadline.start()
        try:
            yield
        finally:
            deadline.cancel()

    def connect(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Connect. Return the address and port of the other end, then of this end."""
        self._connection.connect()
        self._require_not_cut()  # `cut` may have come before there was a connection
        line = self._connection.sock
        return line.getpeername()[:2], line.getsockname()[:2]

    def ask(self, method: str, headers: Mapping[str, str] | None, body: bytes | None, max_bytes: int) -> HttpResponse:
        """Send the request, and read at most `max_bytes` bytes of the response's body."""
        headers = {"User-Agent": f"dryline/{__version__}", **(headers or {}), **self._proxy_headers}
        self._connection.request(method, self.target, body=body, headers=headers, preload_content=False)
        self._socket = self._connection.sock
        response = self._connection.getresponse()
        content = bytearray()
        # In pieces: a few kilobytes can unpack to megabytes, and a Content-Length can be of any size.
        while piece := response.read(min(_PIECE_BYTES, max_bytes - len(content))):
            content += piece
        answer = HttpResponse(response.status, response.headers, bytes(content))
        self._require_not_cut()  # a cut looks like the end of the body
        return answer

    def _require_not_cut(self) -> None:
        if self._cut_for is not None:
            raise self._cut_for

    def cut(self, error: Unanswered) -> None:
        """Break the connection off from another thread. The thread that waits raises `error`."""
        self._cut_for = self._cut_for or error  # first, because the other thread continues at once
        line = self._socket or self._connection.sock
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
