"""Proxies of the environment: requests to outside services use them, requests to a stand-in never do.

The pytest plugin imports this module at its start, so it imports other modules late.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urllib3.util import Url

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


class BadProxy(ValueError):
    """A proxy of the environment that cannot be used. The message is a sentence."""


def direct_variables(url: str) -> dict[str, str]:
    """Return variables with which clients reach the host of `url` and this machine without a proxy.

    httpx makes no client at all if a SOCKS proxy is named and its package for SOCKS is missing: then the variables of
    that proxy become empty.
    """
    from urllib.parse import urlsplit

    named = [name for name, value in os.environ.items() if value and name[-6:].lower() == "_proxy"]
    if not named:
        return {}
    before = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    hosts = [*before.replace(" ", "").split(","), *_THIS_MACHINE, urlsplit(url).hostname or ""]
    value = "*" if "*" in hosts else ",".join(host for host in dict.fromkeys(hosts) if host)
    return {"no_proxy": value, "NO_PROXY": value} | dict.fromkeys(_unusable_variables(named), "")


def _unusable_variables(names: list[str]) -> list[str]:
    socks = [name for name in names if os.environ[name].startswith("socks")]
    if socks:
        from importlib.util import find_spec

        if find_spec("socksio"):
            return []
    return socks


def find_proxy(scheme: str, host: str, port: int) -> Url | None:
    """Return the proxy for requests to a host, or None for a direct connection. Raises BadProxy."""
    from urllib.request import getproxies, proxy_bypass

    from urllib3.exceptions import LocationParseError
    from urllib3.util import parse_url

    proxies = getproxies()
    named = proxies.get(scheme) or proxies.get("all")
    if not named or _is_this_machine(host) or proxy_bypass(f"{host}:{port}"):
        return None
    try:
        proxy = parse_url(named if "://" in named else f"http://{named}")
    except LocationParseError:
        raise BadProxy(f"The environment names a proxy that is no address: {named!r}.") from None
    if proxy.scheme not in ("http", "https") or not proxy.host:
        raise BadProxy(
            f"The environment names the proxy {proxy._replace(auth=None)}, and dryline uses those of http and "
            f"https only. To connect without it, add {host} to NO_PROXY."
        )
    return proxy


def _is_this_machine(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
