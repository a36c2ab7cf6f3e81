"""Checks of a request's host and origin, and the headers that make browsers careful with answers."""

from typing import Any
from urllib.parse import urlsplit

from flask import Request

from dryline.settings import Settings, is_loopback
from dryline.storage.errors import Forbidden
from dryline.web.paths import HEALTH
from dryline.world.outgoing import OUTGOING_HEADER

# A proxy or tunnel adds some of these headers, or one that begins with X-Forwarded.
_FORWARDING_HEADERS = {
    "cf-connecting-ip",
    "forwarded",
    "forwarded-for",
    "true-client-ip",
    "via",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-envoy-external-address",
    "x-original-forwarded-for",
    "x-real-ip",
}


def require_known_host(settings: Settings, environ: dict[str, Any]) -> None:
    """Raise Forbidden if a server on loopback is addressed by a host name that is neither loopback nor in the settings.

    A web page can point its own host name at this machine (DNS rebinding), but cannot choose the Host that the browser
    sends.
    """
    host = environ.get("HTTP_HOST")
    # Only a request over a connection has REMOTE_PORT; one from this process is trusted.
    if host is None or is_this_machine(host) or "REMOTE_PORT" not in environ or environ["PATH_INFO"] == HEALTH:
        return
    known = {*settings.allowed_hosts, urlsplit(settings.public_url or "").hostname}
    if settings.loopback and host_name(host) not in known:
        raise Forbidden(f"This server answers this machine only, not the host {host!r}: --allowed-host admits it.")


def add_browser_headers(response: Any) -> Any:
    """Return the response with headers that stop browsers from guessing its type and from framing pages."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if response.mimetype == "text/html":
        response.headers.setdefault("X-Frame-Options", "DENY")
        response.headers.setdefault("Content-Security-Policy", "frame-ancestors 'none'")
    return response


def require_not_outgoing(request: Request, door: str) -> None:
    """Raise Forbidden for a webhook or a flow's request: a team's key is enough to have dryline send these."""
    if OUTGOING_HEADER in request.headers:
        raise Forbidden(f"The {door} refuses webhooks and requests of flows.")


def require_this_machine(settings: Settings, request: Request, door: str) -> None:
    """Raise Forbidden unless the request comes from this machine. For servers without a token.

    A proxy connects from this machine too, and may replace the Host. Its requests are known by their headers alone.
    """
    if not settings.loopback:
        raise Forbidden(f"The {door} is closed: the server is not bound to loopback and has no --admin-token.")
    host = request.environ.get("HTTP_HOST", request.host)
    if not is_this_machine(host) and host_name(host) not in settings.allowed_hosts:
        raise Forbidden(f"The {door} answers this machine only, not the host {host!r}.")
    names = [name.lower() for name, _ in request.headers]
    if any(name in _FORWARDING_HEADERS or name.startswith("x-forwarded") for name in names):
        raise Forbidden(f"The {door} answers this machine only: behind a proxy it needs --admin-token.")


def is_this_machine(host: str) -> bool:
    """Return whether a Host header names this machine, with any port, as `is_loopback` says."""
    return is_loopback(host_name(host).removeprefix("[").removesuffix("]"))


def host_name(host: str) -> str:
    """Return a Host header without its port and a dot at its end, in lower case."""
    if not host.endswith("]"):  # an IPv6 address without a port ends so
        host = host.rsplit(":", 1)[0]
    return host.lower().removesuffix(".")
