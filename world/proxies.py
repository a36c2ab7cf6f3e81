"""Proxies of the environment: requests to outside services use them, requests to a stand-in never do."""

import os
from importlib.util import find_spec
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from dryline.settings import is_loopback

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def direct_variables(url: str) -> dict[str, str]:
    """Return variables with which clients reach the host of `url` and this machine without a proxy.

    httpx makes no client at all if a SOCKS proxy is named and its package for SOCKS is missing: then the variables of
    that proxy become empty.
    """
    named = [name for name, value in os.environ.items() if value and name[-6:].lower() == "_proxy"]
    if not named:
        return {}
    before = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    hosts = [*before.replace(" ", "").split(","), *_THIS_MACHINE, urlsplit(url).hostname or ""]
    value = "*" if "*" in hosts else ",".join(host for host in dict.fromkeys(hosts) if host)
    return {"no_proxy": value, "NO_PROXY": value} | dict.fromkeys(_unusable_variables(named), "")


def _unusable_variables(names: list[str]) -> list[str]:
    socks = [name for name in names if os.environ[name].startswith("socks")]
    return [] if socks and find_spec("socksio") else socks


def find_proxy(scheme: str, host: str, port: int | None) -> str | None:
    """Return the URL of the proxy for requests to a host, or None for a direct connection."""
    proxies = getproxies()
    named = proxies.get(scheme) or proxies.get("all")
    address = host if port is None else f"{host}:{port}"
    return None if not named or is_loopback(host) or proxy_bypass(address) else named
