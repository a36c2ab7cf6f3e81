"""The HTTP client of a server's control plane. It needs nothing but the standard library.

The helpers of `dryline.testing` and the command line use it. An application in the same process can take the place of
the server.
"""

import http.client
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from dryline.world import clock
from dryline.world.masking import mask_addresses
from dryline.world.wording import camel

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

TIMEOUT_S = 300.0  # for an answer: writing a large state takes a while


class DrylineError(AssertionError):
    """The server refused, or did not answer. `answer` is the JSON of its refusal.

    Credentials of addresses in the message are masked.
    """

    def __init__(self, message: str, answer: dict[str, Any] | None = None) -> None:
        super().__init__(mask_addresses(message))
        self.answer = answer or {}


class NoReply(DrylineError):
    """The server did not answer, or not completely."""


class PlaneReply(NamedTuple):
    """The status and the content of an answer."""

    status: int
    content: bytes


# A function that sends a request to one server, as `send` does; its `path` has the query.
Sender = Callable[..., PlaneReply]


def over_http(url: str) -> Sender:
    """Return a function that sends requests to the server at `url`. Raises DrylineError if that is no address."""
    require_url(url)
    return lambda method, path, *rest: send(method, url + path, *rest)


def require_url(url: str) -> str:
    """Return the address of a server. Raises DrylineError for a text that is none."""
    try:
        address = urlsplit(url)
        if address.scheme in ("http", "https") and address.hostname and address.port != 0:
            return url
    except ValueError:  # the port is no number
        pass
    raise DrylineError(f"{url!r} is not the address of a server, such as http://127.0.0.1:4010.")


def send(
    method: str, url: str, headers: dict[str, str], content: bytes | None = None, *, timeout_s: float | None = None
) -> PlaneReply:
    """Send a request, without a proxy, and return the answer; redirects are not followed. Raises NoReply."""
    address = urlsplit(url)
    timeout_s = timeout_s or TIMEOUT_S
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    target = (address.path or "/") + (f"?{address.query}" if address.query else "")
    place = f"{method} {address.scheme}://{address.netloc}{address.path}"
    try:
        connection = kind(address.netloc, timeout=timeout_s)
        try:
            connection.request(method, target, content, headers)
            response = connection.getresponse()
            return PlaneReply(response.status, response.read())
        finally:
            connection.close()
    except TimeoutError:
        raise NoReply(f"{place}: No answer within {timeout_s:g} s.") from None
    except (http.client.HTTPException, ConnectionResetError, BrokenPipeError) as error:
        raise NoReply(f"{place}: The answer is not complete: {error!r}.") from None
    except (OSError, ValueError) as error:
        raise NoReply(
            f"No dryline answers at {address.scheme}://{address.netloc}: {error}. `dryline serve` starts one."
        ) from None


def in_process(app: Any, url: str) -> Sender:
    """Return a function that sends requests to an application in this process, whose links begin with `url`.

    `app` has no type, so that a type checker of another project does not read the whole application.
    """
    client = app.test_client()

    def call(method: str, path: str, headers: dict[str, str], content: bytes | None = None) -> PlaneReply:
        with client.open(path, base_url=url, method=method, headers=headers, data=content) as answer:
            return PlaneReply(answer.status_code, answer.data)

    return call


def members(**values: Any) -> dict[str, Any]:
    """Return the values that are not None by their names in the API, times as text.

    Raises ValueError for a time without a time zone.
    """
    return {camel(name): _as_json(value) for name, value in values.items() if value is not None}


def _as_json(value: Any) -> Any:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone: add one, such as datetime.UTC.")
    return clock.wire(value)


class ControlPlane:
    """A client of a server's control plane, or of one team's part of it."""

    url: str
    _token: str | None = None
    _send: Sender
    _scope: dict[str, str] = {}  # noqa: RUF012  # in the query of every call; never changed, only replaced

    def __init__(self, url: str, token: str | None, send: Sender) -> None:
        self.url, self._token, self._send = url, token, send

    def plane(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: dict[str, Any] | None = None,
        content: bytes | None = None,
    ) -> Any:
        """Call the control plane, below `/_dryline`, and return the answer's JSON. `content` is JSON text."""
        parameters = {**self._scope, **{name: value for name, value in (query or {}).items() if value is not None}}
        if parameters:
            path += ("&" if "?" in path else "?") + urlencode(parameters)
        if body is not None:
            content = json.dumps(body).encode()
        headers = {"x-dryline-token": self._token or "", "content-type": "application/json"}
        return self._read_json(self._send(method, f"/_dryline{path}", headers, content))

    def _read_json(self, reply: PlaneReply) -> Any:
        try:
            answer: Any = json.loads(reply.content) if reply.content else None
            if reply.status < 300:
                return answer
            message = answer["error"]
        except (ValueError, TypeError, KeyError):
            start = reply.content[:200].decode(errors="replace")
            raise DrylineError(f"{self.url} answered {reply.status}, and not as dryline does: {start!r}") from None
        raise DrylineError(message, answer)
