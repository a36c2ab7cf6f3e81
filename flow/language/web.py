"""HTTP requests of flows, through `requests` and `api`.

The creator of the engine supplies the function that sends them, and so decides which hosts can be reached. Other
requests raise what `requests` raises on a machine without a network.
"""

from collections.abc import Callable
from http.client import responses
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from dryline.world.exchange import HttpResponse, Unanswered
from dryline.world.masking import mask_addresses
from dryline.world.outgoing import Outgoing
from dryline.world.outgoing import Refused as Forbidden

LONGEST_S = 10.0
LONGEST_URL = 50_000  # characters, the query included
_LARGEST = 1_000_000  # bytes of a response
# A function of method, address, headers, body and a time limit in seconds. It returns a response or raises Unanswered.
Fetch = Callable[[str, str, dict[str, str], bytes | None, float], HttpResponse]


class RequestFailed(Exception):
    """A request without a response. The message is that of `requests`, with credentials of an address masked."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(mask_addresses(message))
        self.timed_out = timed_out


def fetcher(outgoing: Outgoing) -> Fetch:
    """Return a Fetch over HTTP that reaches the hosts that the settings allow."""

    def fetch(method: str, url: str, headers: dict[str, str], body: bytes | None, timeout_s: float) -> HttpResponse:
        return outgoing.send(method, url, headers=headers, body=body, within_s=timeout_s, max_bytes=_LARGEST)

    return fetch


def no_network(*_: Any) -> HttpResponse:
    """Refuse every request: a Fetch without a network."""
    raise Forbidden("no network")


def fetch_response(fetch: Fetch, method: str, url: str, named: dict[str, Any]) -> dict[str, Any]:
    """Send a request with the parameters of `requests`, and return the response. Raises RequestFailed."""
    url = _with_params(url, named.get("params"))
    if len(url) > LONGEST_URL:
        raise RequestFailed(f"Invalid URL: it has more than {LONGEST_URL:,} characters.")
    values = named.get("headers") or {}
    if not isinstance(values, dict):
        raise RequestFailed(f"Headers are a dict, not {type(values).__name__}.")
    headers = {str(name): str(value) for name, value in values.items() if value is not None}
    body = _encode_body(named, headers)
    try:
        answer = fetch(method, url, headers, body, _bounded_timeout_s(named.get("timeout")))
    except Unanswered as fault:
        raise RequestFailed(_unreached_message(url, fault), timed_out=fault.timed_out) from None
    except ValueError as fault:
        raise RequestFailed(f"Invalid URL {url!r}: {fault}") from None
    return {
        "status": answer.status,
        "text": answer.body.decode(errors="replace"),
        "url": url,
        "headers": {str(name): str(value) for name, value in answer.headers.items()},
        "reason": responses.get(answer.status, ""),
    }


def _with_params(url: str, params: Any) -> str:
    if isinstance(params, dict):
        params = urlencode({name: value for name, value in params.items() if value is not None}, doseq=True)
    if not params:
        return url
    separator = "&" if "?" in url else "?"
    return f"{url}{separator}{params}"


def _encode_body(named: dict[str, Any], headers: dict[str, str]) -> bytes | None:
    """Return the body of a request, and set its Content-Type in `headers` if they have none."""
    data, json = named.get("data"), named.get("json")
    if isinstance(data, dict):
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        return urlencode(data, doseq=True).encode()
    if data:
        return str(data).encode()
    if json is None:
        return None
    headers.setdefault("Content-Type", "application/json")
    return orjson.dumps(json)


def _bounded_timeout_s(timeout: Any) -> float:
    """Return the time limit; of a pair, that of the answer."""
    last = timeout[-1] if isinstance(timeout, list) and timeout else timeout
    if not isinstance(last, (int, float)):
        return LONGEST_S
    return min(max(float(last), 0.001), LONGEST_S)


def _unreached_message(url: str, fault: Unanswered) -> str:
    """Return the message that `requests` has for a request without a response."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as invalid:
        return f"Invalid URL {url!r}: {invalid}"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"Invalid URL {url!r}: It is no address of HTTP."
    pool = f"{parts.scheme.upper()}ConnectionPool(host={parts.hostname!r}, port={port})"
    if fault.timed_out:
        return f"{pool}: Read timed out."
    # A host that may not be reached looks as on a machine without a network; the own server has an address.
    is_hidden = isinstance(fault, Forbidden) and not fault.own_server
    cause = f'NameResolutionError("Failed to resolve {parts.hostname!r}")' if is_hidden else str(fault)
    target = parts._replace(scheme="", netloc="", path=parts.path or "/").geturl()
    return f"{pool}: Max retries exceeded with url: {target} (Caused by {cause})"
