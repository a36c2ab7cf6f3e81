"""Around every request but the control plane's: faults strike, the request is recorded and counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import orjson
from flask import Request, Response, current_app, g, request
from waitress.channel import ClientDisconnected
from werkzeug.wsgi import ClosingIterator

from dryline.blueprints import cors
from dryline.blueprints.base import sent_key
from dryline.blueprints.errors import answer
from dryline.models.teams import authenticate
from dryline.storage.errors import DomainError
from dryline.traffic.faults import CLOSE, GIVES_UP, Fault
from dryline.traffic.masking import mask_header, mask_json, mask_query
from dryline.traffic.request_log import ANSWER_BYTES, Entry
from dryline.world.world import World

# The headers whose names in a WSGI environ do not begin with HTTP_.
_OTHER_HEADERS = {"CONTENT_TYPE", "CONTENT_LENGTH"}

# How often a slow body goes on, in seconds.
PIECE_S = 0.05


def around(world: World, asked: Request, view: Callable[[], Any]) -> Any:
    """Answer what is asked by `view`, unless a fault says otherwise; then record what happened."""
    began = time.perf_counter()
    stamp = world.clock.stamp()
    method, path = asked.method, asked.path
    fault, limits = _struck(world, asked) if world.faults and not _is_preflight(world, asked) else (None, None)
    response = view() if fault is None else strike(world, fault, view)
    if limits:
        response.headers.extend({name: value for name, value in limits.items() if name not in response.headers})
    if fault is not None and fault.forgotten:  # what was called in another world is not this one's to record
        return response
    seconds = time.perf_counter() - began
    status = None if isinstance(response, Dropped) else response.status_code
    rule, key = asked.url_rule, g.get("key")
    world.metrics.answered(method, rule.rule if rule else "unknown", status or 0, seconds)
    if fault is not None:
        world.metrics.faulted(_effect(fault))
    sent, sent_bytes = _answer(response, method)
    world.requests.add(
        Entry(
            time=stamp,
            method=method,
            path=path,
            query=mask_query(asked.environ.get("QUERY_STRING", "")),
            headers=_request_headers(asked.environ),
            body=_body(asked),
            status=status,
            duration_ms=round(seconds * 1000, 3),
            fault_id=fault.id if fault else None,
            team_id=key.team_id if key else _team_id(asked) if fault else None,
            answer_headers=tuple([_answer_header(name, value) for name, value in response.headers]),
            unmasked_answer=sent,
            answer_bytes=sent_bytes,
        )
    )
    return response


def strike(world: World, fault: Fault, view: Callable[[], Any]) -> Any:
    """The answer that a fault leaves of a request. `Fault` says when the view runs."""
    response = view() if fault.phase == "after" else None
    delay_ms = fault.next_delay_ms()
    if delay_ms and not _left(delay_ms) and not fault.delay(world.ending, delay_ms):
        return Dropped()
    if fault.drop:
        return Dropped()
    if fault.status is not None:
        response = current_app.process_response(_instead(fault))  # adds the CORS headers
    elif response is None:
        response = view()
    if fault.malformed is not None:
        response = _spoil(response, fault.malformed)
    for name, value in (fault.headers or {}).items():
        if name.lower() == "connection":
            request.environ[CLOSE] = True
        else:
            response.headers[name] = value
    return response if fault.bytes_per_second is None else Slow.of(response, fault, world.ending)


def _is_preflight(world: World, request: Request) -> bool:
    """Whether a browser sent the request by itself: faults are for the requests of the program under test."""
    return bool(world.settings.cors_origins) and cors.is_preflight(request)


def _struck(world: World, asked: Request) -> tuple[Fault | None, dict[str, str]]:
    caller = sent_key(asked) or asked.headers.get("x-brainbase-api-key") or ""
    team_id = _team_id(asked)
    # A rate limit counts in the team's time.
    return world.faults.apply(asked.method, asked.path, team_id, caller, world.clock.of(team_id).now())


def _left(delay_ms: float) -> bool:
    gives_up = request.environ.get(GIVES_UP)
    return gives_up is not None and gives_up(delay_ms / 1000)


class Dropped(Response):
    """No answer: the connection is closed as soon as it would be sent."""

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Raises what waitress takes for a connection that is gone: it closes the socket and sends nothing."""
        raise ClientDisconnected


class Truncated(Response):
    """An answer that ends before the length that it announces; waitress then closes the connection."""

    automatically_set_content_length = False


class Slow(Response):
    """An answer whose body is sent bit by bit, as fast as its fault says, until that is taken away."""

    fault: Fault
    ending: threading.Event

    @classmethod
    def of(cls, response: Any, fault: Fault, ending: threading.Event) -> Any:
        """An answer, slowed down."""
        if isinstance(response, Dropped):
            return response
        response.direct_passthrough = False
        slow = cls(response.response, response.status_code, response.headers)
        slow.fault, slow.ending = fault, ending
        slow.call_on_close(response.close)
        return slow

    def get_app_iter(self, environ: Any) -> Any:
        """Its body in pieces. Raises what closes the connection where the request is of a time that is gone."""
        whole: Any = super().get_app_iter(environ)
        return whole if isinstance(whole, tuple) else ClosingIterator(self._pieces(whole), whole.close)

    def _pieces(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        size = max(1, round((self.fault.bytes_per_second or 1) * PIECE_S))
        pause_ms = 1000 * size / (self.fault.bytes_per_second or 1)
        for chunk in chunks:
            for at in range(0, len(chunk), size):
                if not self.fault.delay(self.ending, pause_ms):
                    raise ClientDisconnected
                yield chunk[at : at + size]


def _instead(fault: Fault) -> Any:
    assert fault.status is not None
    if fault.body is None:
        return answer(fault.status, f"Fault {fault.id} was asked for.")
    if isinstance(fault.body, str):
        return Response(fault.body, fault.status, mimetype="text/plain")
    return Response(orjson.dumps(fault.body), fault.status, mimetype="application/json")


def _spoil(response: Any, how: str) -> Any:
    response.direct_passthrough = False
    data = response.get_data()
    if how == "garbage":
        response.set_data(data[: len(data) // 2] + b'\x00<garbage>"{[')
        return response
    spoiled = Truncated(data[: len(data) // 2], response.status_code, response.headers)
    spoiled.headers["Content-Length"] = str(max(len(data), 1))
    return spoiled


def _effect(fault: Fault) -> str:
    if fault.drop:
        return "drop"
    if fault.malformed:
        return fault.malformed
    if fault.status:
        return f"status {fault.status}"
    return "slow" if fault.bytes_per_second else "delay"


def _team_id(asked: Request) -> str | None:
    try:
        return authenticate(sent_key(asked) or asked.headers.get("x-brainbase-api-key")).team_id
    except DomainError:
        return None


def _request_headers(environ: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    # Runs for every request: a list and a slice are faster than a generator and startswith().
    return tuple(
        [
            _request_header(key, value) if len(value) < 200 else _request_header.__wrapped__(key, value)
            for key, value in environ.items()
            if key[:5] == "HTTP_" or key in _OTHER_HEADERS
        ]
    )


# Most requests have the headers of the one before. These caches let the entries of the request log share them, which
# halves an entry's memory.
@lru_cache(maxsize=1_000)
def _request_header(key: str, value: str) -> tuple[str, str]:
    """Return the masked header that a WSGI environ has under a key."""
    return mask_header(key.removeprefix("HTTP_").replace("_", "-").title(), value)


_answer_header = lru_cache(maxsize=1_000)(mask_header)


def _answer(response: Any, method: str) -> tuple[bytes, int]:
    """Return the beginning of an answer's body, and the length of all of it. Of a file there is only the length."""
    if isinstance(response, Dropped):
        return b"", 0
    if response.direct_passthrough or response.is_streamed:
        return b"", 0 if method == "HEAD" else response.content_length or 0
    chunks = response.response
    whole = chunks[0] if isinstance(chunks, list) and len(chunks) == 1 else response.get_data()
    # A copy: orjson returns short texts in blocks of 4 kB, and the request log would hold all of each block.
    return memoryview(whole)[:ANSWER_BYTES].tobytes(), len(whole)


def _body(asked: Request) -> bytes:
    if asked.environ.get("CONTENT_LENGTH") in (None, "", "0"):
        return b""
    length = asked.content_length
    if length is None or length > current_app.config["MAX_CONTENT_LENGTH"]:
        return b""
    return mask_json(asked.get_data())
