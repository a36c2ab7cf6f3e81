"""The HTTP client of a server's control plane. It needs nothing but the standard library.

The helpers of `dryline.testing` and the command line use it. An application in the same process can take the place of
the server.
"""

import http.client
import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from dryline.world import clock
from dryline.world.masking import mask_addresses
from dryline.world.wording import camel

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

# How long an answer may take: to a helper in a test, and to what takes a while in a large state or runs flows.
TIMEOUT_S, LONG_TIMEOUT_S = 30.0, 300.0
LONGEST_TIMEOUT_S = 86_400.0
_LONG_PATHS = ("/state", "/reset", "/snapshots", "/undo", "/simulate", "/talk")
_HEALTH_TIMEOUT_S = 2.0


class DrylineError(AssertionError):
    """The server refused, or did not answer. `answer` is the JSON of its refusal.

    Credentials of addresses in the message are masked.
    """

    def __init__(self, message: str, answer: dict[str, Any] | None = None) -> None:
        super().__init__(mask_addresses(message))
        self.answer = answer or {}


class NoReply(DrylineError):
    """The server did not answer, or not completely."""


class NoReplyInTime(NoReply):
    """The server did not answer within the time limit."""


class PlaneReply(NamedTuple):
    """The status and the content of an answer."""

    status: int
    content: bytes


# A function that sends a request to one server, as `send` does, and takes `timeout_s`; its `path` has the query.
Sender = Callable[..., PlaneReply]


def over_http(url: str) -> Sender:
    """Return a function that sends requests to the server at `url`. Raises DrylineError if that is no address."""
    require_url(url)
    return lambda method, path, *rest, **options: send(method, url + path, *rest, **options)


def require_url(url: str) -> str:
    """Return the address of a server. Raises DrylineError for a text that is none."""
    try:
        address = urlsplit(url)
        is_address = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except (ValueError, AttributeError):  # the port is no number, or the address no text
        is_address = False
    if not is_address:
        raise DrylineError(f"{url!r} is not the address of a server, such as http://127.0.0.1:4010.")
    return url


def send(
    method: str, url: str, headers: dict[str, str], content: bytes | None = None, *, timeout_s: float | None = None
) -> PlaneReply:
    """Send a request, without a proxy, and return the answer; redirects are not followed. Raises NoReply."""
    address = urlsplit(url)
    timeout_s = timeout_s or LONG_TIMEOUT_S
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    target = (address.path or "/") + (f"?{address.query}" if address.query else "")
    request_line = f"{method} {address.scheme}://{address.netloc}{address.path}"
    try:
        connection = kind(address.netloc, timeout=timeout_s)
        try:
            connection.request(method, target, content, headers)
            response = connection.getresponse()
            return PlaneReply(response.status, response.read())
        finally:
            connection.close()
    except TimeoutError:
        raise NoReplyInTime(f"{request_line}: No answer within {timeout_s:g} s.") from None
    except (http.client.HTTPException, ConnectionResetError, BrokenPipeError) as error:
        raise NoReply(f"{request_line}: The answer is not complete: {error!r}.") from None
    except (OSError, ValueError) as error:
        raise NoReply(
            f"No dryline answers at {address.scheme}://{address.netloc}: {error}. `dryline serve` starts one."
        ) from None


def in_process(app: Any, url: str) -> Sender:
    """Return a function that sends requests to an application in this process, whose links begin with `url`.

    `app` has no type, so that a type checker of another project does not read the whole application.
    """
    client = app.test_client()

    def call(
        method: str,
        path: str,
        headers: dict[str, str],
        content: bytes | None = None,
        *,
        timeout_s: float = LONG_TIMEOUT_S,
    ) -> PlaneReply:
        reply: Future[PlaneReply] = Future()

        def answer() -> None:
            try:
                with client.open(path, base_url=url, method=method, headers=headers, data=content) as response:
                    reply.set_result(PlaneReply(response.status_code, response.data))
            except BaseException as error:
                reply.set_exception(error)

        # In a thread, so that a request that never ends cannot stop the test.
        threading.Thread(target=answer, name="dryline-helper", daemon=True).start()
        try:
            return reply.result(timeout_s)
        except TimeoutError:
            if reply.done():  # the application itself has raised it
                raise
            request_line = f"{method} {url}{path.partition('?')[0]}"
            raise NoReplyInTime(f"{request_line}: No answer within {timeout_s:g} s.") from None

    return call


def require_timeout(timeout_s: float, *, may_be_0: bool = False) -> float:
    """Return a time limit. Raises DrylineError for one that is not between 0 and a day."""
    is_number = isinstance(timeout_s, int | float) and 0 <= timeout_s <= LONGEST_TIMEOUT_S
    if not is_number or (timeout_s == 0 and not may_be_0):
        bounds = f"{'from' if may_be_0 else 'above'} 0 and at most {LONGEST_TIMEOUT_S:,.0f}"
        raise DrylineError(f"timeout_s must be a number of seconds {bounds}, not {timeout_s!r}.")
    return timeout_s


def require_exact_or_bounds(times: int | None, at_least: int | None, at_most: int | None) -> Any:
    """Return an expected number, or its bounds. Raises DrylineError for both."""
    bounds = members(min=at_least, max=at_most)
    if times is not None and bounds:
        raise DrylineError("times is the exact number: leave out at_least and at_most.")
    return bounds or times


def members(**values: Any) -> dict[str, Any]:
    """Return the values that are not None by their names in the API."""
    return {camel(name): value for name, value in values.items() if value is not None}


def members_in(values: Any) -> Any:
    """Return a mapping by its names in the API, and any other value as it is."""
    return {camel(str(name)): value for name, value in values.items()} if isinstance(values, Mapping) else values


def milliseconds(value: float | timedelta | None) -> float | None:
    """Return a time in milliseconds, which may be a timedelta."""
    return round(value.total_seconds() * 1000) if isinstance(value, timedelta) else value


def as_number(value: Decimal) -> int | float:
    """Return a decimal number as a number of JSON."""
    number = float(value)
    return int(value) if number.is_integer() else number


def as_json(body: Any, *, decimal: Callable[[Decimal], Any] = as_number) -> bytes:
    """Return a body as JSON; times, dates, UUIDs and members of an Enum in the API's form, and Decimals as `decimal`.

    Raises DrylineError, with the name of the member, for a value that JSON does not have.
    """

    def in_api_format(value: Any) -> Any:
        if isinstance(value, datetime):
            if value.tzinfo is None:
                raise ValueError(f"{value!r} has no time zone: add one, such as datetime.UTC.")
            return clock.wire(value)
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, UUID):
            return str(value)
        if isinstance(value, Decimal):
            return decimal(value)
        if isinstance(value, Enum):
            return value.value
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"A value of the type {type(value).__name__} has no form in JSON.")

    def write(value: Any) -> str:
        return json.dumps(value, default=in_api_format, allow_nan=False)

    try:
        return write(body).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise DrylineError(f"{_refused_member(body, write)}: {error}") from None


def _refused_member(body: Any, write: Callable[[Any], str]) -> str:
    """Return the path of the innermost member that `write` refuses, such as `json.startDate`."""

    def is_refused(value: Any) -> bool:
        try:
            write(value)
        except (TypeError, ValueError, RecursionError):
            return True
        return False

    path: list[str] = []
    while len(path) < 10:  # a value that contains itself has no innermost member
        items: Iterable[tuple[Any, Any]] = ()
        if isinstance(body, Mapping):
            items = body.items()
        elif isinstance(body, list | tuple):
            items = enumerate(body)
        refused = next(((name, value) for name, value in items if is_refused(value)), None)
        if refused is None:
            break
        name, body = refused
        path.append(str(name))
    return ".".join(path) or "body"


def hint_at_loop(call: str) -> str:
    """Return a sentence with the way out if an event loop of asyncio runs in this thread, else nothing.

    `call` is the helper's call in the form of `asyncio.to_thread`.
    """
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return ""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return ""
    return (
        " The event loop of this thread waited meanwhile. If it has to answer, call the helper in another thread, such "
        f"as: await asyncio.to_thread({call})."
    )


class ControlPlane:
    """A client of a server's control plane, or of one team's part of it."""

    url: str
    timeout_s: float = LONG_TIMEOUT_S
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
        timeout_s: float | None = None,
    ) -> Any:
        """Call the control plane, below `/_dryline`, and return the answer's JSON. `content` is JSON text.

        `timeout_s` limits the real time of the answer; it is by default the stand-in's, and at least 300 for state,
        reset, snapshots, simulations and talks.
        """
        parameters = {**self._scope, **{name: value for name, value in (query or {}).items() if value is not None}}
        if parameters:
            path += ("&" if "?" in path else "?") + urlencode(json.loads(as_json(parameters)))
        if body is not None:
            content = as_json(body)
        headers = {"x-dryline-token": self._token or "", "content-type": "application/json"}
        if timeout_s is None:
            timeout_s = max(self.timeout_s, LONG_TIMEOUT_S) if path.startswith(_LONG_PATHS) else self.timeout_s
        try:
            return self._read_json(self._send(method, f"/_dryline{path}", headers, content, timeout_s=timeout_s))
        except NoReplyInTime as error:
            hint = "The limit is the argument timeout_s of the stand-in, or dryline_timeout in pytest's configuration."
            work = self._describe_work()
            raise NoReplyInTime(f"{error}{work} {hint}{hint_at_loop('dryline.advance, 1')}") from None

    def _describe_work(self) -> str:
        """Return a sentence about what the server does, or nothing if it does not say that."""
        try:
            reply = self._send("GET", "/_dryline/health", {}, timeout_s=_HEALTH_TIMEOUT_S)
            work = [f"{task['name']} (for {task['seconds']:.1f} s)" for task in self._read_json(reply)["work"]]
        except (DrylineError, TypeError, KeyError):
            return ""
        return f" The server was working on: {', '.join(work)}." if work else " The server was working on nothing."

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
