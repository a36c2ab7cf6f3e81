"""The HTTP client for requests that the stand-in sends: webhooks, requests of flows, and another service.

It does not follow redirects, which could lead elsewhere, and repeats nothing.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import unquote

from urllib3 import PoolManager, ProxyManager
from urllib3.exceptions import HTTPError
from urllib3.util import make_headers, parse_url

from dryline.settings import is_loopback
from dryline.storage.current_world import find_task
from dryline.world.exchange import Cut, Exchange, HttpResponse, Unanswered, authorization_header
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
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class NoAddress(Unanswered):
    """The URL is not valid. Another attempt is of no use."""


class Refused(Unanswered):
    """Requests to the URL are not allowed. `own_server` says that it leads to this server."""

    def __init__(self, message: str, *, own_server: bool = False) -> None:
        super().__init__(message)
        self.own_server = own_server


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
    exchange = Exchange(method, _parse_url(url), headers or {}, body, within_s, max_bytes + 1)
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
        exchange = Exchange(method, address, _without_reserved_headers(headers), body, within_s, max_bytes)
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
            sent = authorization_header(address) | _without_reserved_headers(headers)
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
