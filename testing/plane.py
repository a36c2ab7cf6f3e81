"""The ways to a stand-in: over HTTP with the standard library, or by a call where it is in this process."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from dryline.world import clock
from dryline.world.wire_names import camel

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

# How long an answer may take, in seconds: a large state takes a while.
TIMEOUT_S = 300


class DrylineError(AssertionError):
    """The stand-in refused: the message is its answer's, and `answer` the whole of it."""

    def __init__(self, message: str, answer: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.answer = answer or {}


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: bytes


# Method, path with its query, headers and body to the answer. Raises DrylineError where there is none.
Way = Callable[[str, str, dict[str, str], bytes | None], Answer]


def over_http(url: str) -> Way:
    """The way to a server, past any proxy of the environment."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Answer:
        request = urllib.request.Request(url + path, data=body, headers=headers, method=method)
        try:
            with opener.open(request, timeout=TIMEOUT_S) as answer:
                return Answer(answer.status, answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.code, refused.read())
        except http.client.HTTPException as error:  # as a fault has it, or a server that ends
            raise DrylineError(f"{method} {path} had no whole answer: {error!r}.") from None
        except (OSError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", None) or error
            raise DrylineError(f"No dryline answers at {url}: {reason}. `dryline serve` starts one.") from None

    return ask


def by_call(app: Any, url: str) -> Way:
    """The way to an application of this process, which answers with links below `url`.

    Its type is left out: who checks their own need not have the whole application read.
    """
    client = app.test_client()

    def ask(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Answer:
        answer = client.open(path, base_url=url, method=method, headers=headers, data=body)
        return Answer(answer.status_code, answer.data)

    return ask


def read(answer: Answer) -> Any:
    """An answer's JSON, None where it has none. Raises DrylineError for a refusal."""
    try:
        told = json.loads(answer.body) if answer.body else None
    except ValueError:
        told = None
    if answer.status < 400:
        return told
    if isinstance(told, dict) and "error" in told:
        raise DrylineError(told["error"], told)
    raise DrylineError(f"{answer.status}, and not as dryline answers: {answer.body[:200]!r}")


def given(**values: Any) -> dict[str, Any]:
    """What was given, by the wire's names; times as the API writes them. Raises ValueError for a time of no zone."""
    return {camel(name): _wire(value) for name, value in values.items() if value is not None}


def _wire(value: Any) -> Any:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{value!r} says no time zone: give it one, such as datetime.UTC.")
    return clock.wire(value)


class Plane:
    """A control plane, or one team's part of it, and who may use it."""

    url: str
    api_key: str
    _token: str | None = None
    _way: Way
    _scope: dict[str, str] = {}  # noqa: RUF012  # what every call has in its query; never changed, only replaced

    def plane(self, method: str, path: str, body: Any = None, *, query: dict[str, Any] | None = None) -> Any:
        """Any call of the control plane, below `/_dryline`; its answer's JSON. Raises DrylineError."""
        asked = urlencode({**self._scope, **(query or {})})
        path = f"/_dryline{path}" + (f"{'&' if '?' in path else '?'}{asked}" if asked else "")
        return self._ask(method, path, {"x-dryline-token": self._token or ""}, body)

    def _ask(self, method: str, path: str, headers: dict[str, str], body: Any) -> Any:
        content = None if body is None else json.dumps(body).encode()
        return read(self._way(method, path, headers | {"content-type": "application/json"}, content))
