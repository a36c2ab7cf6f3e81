"""The handling of every recorded request: faults, the request log, metrics."""

import time
from collections.abc import Callable
from functools import lru_cache
from sys import intern
from typing import Any

from flask import Request, current_app, g

from dryline.blueprints.faulty_responses import Dropped, apply_fault, effect_of, find_fault, team_of
from dryline.traffic.masking import mask_header, mask_json, mask_query
from dryline.traffic.request_log import ANSWER_BYTES, Entry
from dryline.world.world import World

# The headers whose names in a WSGI environ do not begin with HTTP_.
_OTHER_HEADERS = {"CONTENT_TYPE", "CONTENT_LENGTH"}


def answer_and_record(world: World, request: Request, view: Callable[[], Any]) -> Any:
    """Return the view's response, unless a fault changes it, and record the request."""
    start = time.perf_counter()
    stamp = world.clock.stamp()
    method, path = request.method, request.path
    fault, rate_limit_headers = find_fault(world, request)
    response = view() if fault is None else apply_fault(world, fault, view)
    if rate_limit_headers:
        response.headers.extend(
            {name: value for name, value in rate_limit_headers.items() if name not in response.headers}
        )
    if fault is not None and fault.forgotten:  # the world was reset meanwhile; its log is of another time
        return response
    seconds = time.perf_counter() - start
    status = None if isinstance(response, Dropped) else response.status_code
    rule, key = request.url_rule, g.get("key")
    world.metrics.count_request(method, rule.rule if rule else "unknown", status or 0, seconds)
    if fault is not None:
        world.metrics.count_fault(effect_of(fault))
    world.requests.add(
        Entry(
            time=stamp,
            method=method,
            path=path,
            query=mask_query(request.environ.get("QUERY_STRING", "")),
            headers=_request_headers(request.environ),
            body=_body(request),
            status=status,
            duration_ms=round(seconds * 1000, 3),
            fault_id=fault.id if fault else None,
            team_id=key.team_id if key else team_of(request) if fault else None,
            answer_headers=_answer_headers(response),
            unmasked_answer=_answer(response),
            # Interned: the entries of the log share these texts.
            key_id=intern(key.id) if key else None,
            client=intern(request.environ.get("REMOTE_ADDR", "")) or None,
            endpoint=request.endpoint,
        )
    )
    return response


def _request_headers(environ: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    # Runs for every request: a list and a slice are faster than a generator and startswith().
    return tuple(
        [
            (_request_header if len(key) + len(value) < 200 else _request_header.__wrapped__)(key, value)
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


def _answer_headers(response: Any) -> tuple[tuple[str, str], ...]:
    return tuple(
        [
            (_answer_header if len(name) + len(value) < 200 else mask_header)(name, value)
            for name, value in response.headers
        ]
    )


def _answer(response: Any) -> bytes:
    """Return the beginning of an answer's body; of a file nothing."""
    if isinstance(response, Dropped) or response.direct_passthrough or response.is_streamed:
        return b""
    chunks = response.response
    whole = chunks[0] if isinstance(chunks, list) and len(chunks) == 1 else response.get_data()
    # A copy: orjson returns short texts in blocks of 4 kB, and the request log would hold all of each block.
    return memoryview(whole)[:ANSWER_BYTES].tobytes()


def _body(request: Request) -> bytes:
    if request.environ.get("CONTENT_LENGTH") in (None, "", "0"):
        return b""
    length = request.content_length
    if length is None or length > current_app.config["MAX_CONTENT_LENGTH"]:
        return b""
    body = request.get_data()
    if request.mimetype == "application/x-www-form-urlencoded":
        return mask_query(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return mask_json(body)
