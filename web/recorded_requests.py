"""The handling of every recorded request: faults and the request log."""

from collections.abc import Callable
from functools import lru_cache
from itertools import starmap
from sys import intern
from typing import Any

from flask import Request, current_app, g

from dryline.web.faulty_responses import Dropped, apply_fault, find_fault, slow_down
from dryline.web.origins import origin_of
from dryline.web.routing import recorded_path
from dryline.world.masking import mask_header, mask_json, mask_query
from dryline.world.origins import RECORDED_KEY, TEAM_KEY
from dryline.world.real_time import monotonic
from dryline.world.request_log import ANSWER_BYTES, Entry
from dryline.world.world import World

_LONGEST_SHARED = 200  # characters of a header
# Most requests have the headers of the one before. The cache lets the entries of the request log share them, which
# halves an entry's memory.
_shared_header = lru_cache(maxsize=1_000)(mask_header)


def _header(name: str, value: str) -> tuple[str, str]:
    is_short = len(name) + len(value) <= _LONGEST_SHARED
    return _shared_header(name, value) if is_short else mask_header(name, value)


def answer_and_record(world: World, request: Request, view: Callable[[], Any]) -> Any:
    """Return the view's response, unless a fault changes it, and record the request.

    Raises EpochEnded, and records nothing, if the epoch in which the request came has ended.
    """
    start = monotonic()
    entry = _new_entry(world, request)
    fault, rate_limit_headers = find_fault(world, request, entry)
    entry.fault_id = fault.rule.id if fault else None
    world.requests.begin(entry)
    try:
        response = view() if fault is None else apply_fault(world, fault, view)
        world.epochs.require_current()
    except BaseException:
        world.requests.discard(entry)
        raise
    for name, value in rate_limit_headers.items():
        response.headers.setdefault(name, value)
    ms = (monotonic() - start) * 1000
    status = None if isinstance(response, Dropped) else response.status_code
    if key := g.get("key"):
        entry.team_id, entry.key_id = key.team_id, intern(key.id)
    entry.status, entry.duration_ms = status, round(ms, 3)
    entry.answer_headers = tuple(starmap(_header, response.headers))
    entry.unmasked_answer = _recorded_answer(response)
    world.requests.add(entry)
    if (when_recorded := request.environ.get(RECORDED_KEY)) is not None:
        when_recorded(entry)
    if status is not None and fault is not None and fault.rule.bytes_per_second is not None:
        slow_down(world, response, fault.rule)
    return response


def _new_entry(world: World, request: Request) -> Entry:
    """Return the entry of a request that has just arrived. Its team is not known yet, unless the console sent it."""
    rule = request.url_rule
    return Entry(
        time=world.stamp(),
        method=request.method,
        path=recorded_path(request),
        origin=origin_of(request),
        team_id=request.environ.get(TEAM_KEY),
        query=mask_query(request.environ.get("QUERY_STRING", "")),
        headers=tuple(starmap(_header, request.headers)),
        body=_recorded_body(request),
        route=rule.rule if rule else "",
        endpoint=request.endpoint,
        # Interned: the entries of the log share these texts.
        client=intern(request.environ.get("REMOTE_ADDR", "")) or None,
    )


def _recorded_answer(response: Any) -> bytes:
    """Return the beginning of an answer's body; of a file nothing."""
    if isinstance(response, Dropped) or response.direct_passthrough or response.is_streamed:
        return b""
    # A copy: orjson returns short texts in blocks of 4 kB, and the request log would hold all of each block.
    return memoryview(response.get_data())[:ANSWER_BYTES].tobytes()


def _recorded_body(request: Request) -> bytes:
    if not request.content_length or request.content_length > current_app.config["MAX_CONTENT_LENGTH"]:
        return b""
    body = request.get_data()
    if request.mimetype == "application/x-www-form-urlencoded":
        return mask_query(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return mask_json(body)
