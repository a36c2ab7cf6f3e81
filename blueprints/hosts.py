"""No page of another site reaches a server on loopback, not even by a name of its own that leads there."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Flask, request

from dryline.settings import Settings
from dryline.world.errors import Forbidden

# Answers whoever asks, by any name: for scripts and containers that wait for a start.
HEALTH = "/_dryline/health"


def register(app: Flask, settings: Settings) -> None:
    """Answer only requests that name this machine, or a host from the settings, as the one they were sent to.

    A page can let its own name lead here (DNS rebinding), but it cannot choose what its browser sends as Host.
    """
    if not settings.loopback:
        return
    known = {*settings.allowed_hosts, urlsplit(settings.public_url or "").hostname}

    @app.before_request
    def demand_known_host() -> None:
        """Raises Forbidden."""
        environ = request.environ
        host = environ.get("HTTP_HOST")
        # Only what came over a connection has a port at its other end; a call from this process needs no look.
        if host is None or "REMOTE_PORT" not in environ or is_loopback(host) or environ["PATH_INFO"] == HEALTH:
            return
        if name_of(host) not in known:
            raise Forbidden(
                f"This server answers this machine only, not the host {host!r}: --allowed-host can name it."
            )


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine: `localhost`, 127.x.x.x or [::1], with any port."""
    name = name_of(host)
    if name == "localhost":
        return True
    try:
        return ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def name_of(host: str) -> str:
    """A Host header without its port, in lower case."""
    return (host if host.endswith("]") else host.rsplit(":", 1)[0]).lower()
