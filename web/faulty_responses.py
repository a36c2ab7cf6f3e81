"""The responses that faults produce: errors instead of answers, delays, cut, spoiled and slow answers."""

from collections.abc import Callable, Iterator
from typing import Any

from flask import Request, Response, request

from dryline.models.teams import authenticate
from dryline.storage.current_world import Task, current_task
from dryline.storage.errors import DomainError
from dryline.web import cors, errors, hosts
from dryline.web.base import json_response, sent_key
from dryline.world.faults import GIVES_UP, AppliedFault, ConnectionCut, Fault, FaultAnswer
from dryline.world.origins import CONSOLE
from dryline.world.request_log import Entry
from dryline.world.world import World

# The interval between two pieces of a slow body, in seconds.
PIECE_S = 0.05


def find_fault(world: World, request: Request, entry: Entry) -> tuple[AppliedFault | None, dict[str, str]]:
    """Return the fault that applies to a request, and the headers of the rate limits that it counts for.

    `entry` is the request as the log has it, so that a rule matches what a search of the log finds. If there are rules,
    its team is set. None applies to what a person does in the console.
    """
    if not world.faults or entry.origin == CONSOLE or (world.settings.cors_origins and cors.is_preflight(request)):
        return None, {}
    caller = sent_key(request) or request.headers.get("x-brainbase-api-key") or ""
    entry.team_id = team_of(request)
    return world.faults.apply(entry, caller[-200:], world.now())


def team_of(request: Request) -> str | None:
    """Return the id of the team whose key the request has, or None."""
    try:
        return authenticate(sent_key(request) or request.headers.get("x-brainbase-api-key")).team_id
    except DomainError:
        return None


def apply_fault(world: World, applied: AppliedFault, view: Callable[[], Any]) -> Any:
    """Return the response to the current request with a fault. `Fault` says when the view runs.

    It is Dropped if the world, or the request's team, is reset during the delay; the caller then ends the request.
    """
    current_task().team_id = team_of(request)
    replaced = view() if applied.rule.phase == "after" else None
    response = None
    try:
        response = _response_with_fault(world, applied, view, replaced)
    finally:
        if replaced is not None and replaced is not response:
            replaced.close()  # a download has its file open
    return response


def _response_with_fault(world: World, applied: AppliedFault, view: Callable[[], Any], response: Any) -> Any:
    """Return the response with a fault. `response` is the view's, or None if the view has not run."""
    task, fault, answer = current_task(), applied.rule, applied.answer
    delay_ms = fault.next_delay_ms()
    gives_up = request.environ.get(GIVES_UP, lambda seconds: False)
    world.db.release()  # for the time of the delay
    if delay_ms and not gives_up(delay_ms / 1000) and not fault.wait_for_delay(world, task, delay_ms):
        return Dropped()
    if fault.drop:
        return Dropped()
    if answer.status is not None:
        response = _response_of_rule(fault, answer, answer.status)
        response = hosts.add_browser_headers(cors.add_headers(response, world.settings.cors_origins))
    elif response is None:
        response = view()
    if fault.malformed is not None:
        response = _spoil_body(response, fault.malformed)
    for name, value in (answer.headers or {}).items():
        if name.lower() != "connection":
            response.headers[name] = value
        elif fault.malformed != "truncated":  # which ends the connection, too, and needs the length
            # Without a length waitress closes the connection after the response, and says so in the headers.
            response.direct_passthrough = response.automatically_set_content_length = False
            response.headers.pop("Content-Length", None)
    return response


class Dropped(Response):
    """No response: the connection is closed."""

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Raise ConnectionCut, so that the server closes the connection without an answer."""
        raise ConnectionCut


def slow_down(world: World, response: Any, fault: Fault) -> None:
    """Have a body sent in pieces, at the speed of a fault, until the fault is removed."""
    response.direct_passthrough = False
    body = response.get_data()
    if response.automatically_set_content_length:
        response.content_length = len(body)
    response.response = _body_in_pieces(world, current_task(), body, fault)


def _body_in_pieces(world: World, task: Task, body: bytes, fault: Fault) -> Iterator[bytes]:
    """Yield a body in pieces. Raises ConnectionCut at the end of the task's epoch or of the server.

    The server sends the pieces when the task is no longer the running one.
    """
    speed = fault.bytes_per_second or 1
    size = max(1, round(speed * PIECE_S))
    for start in range(0, len(body), size):
        if not fault.wait_for_delay(world, task, 1000 * size / speed):
            raise ConnectionCut
        yield body[start : start + size]


def _response_of_rule(fault: Fault, answer: FaultAnswer, status: int) -> Any:
    if answer.body is None:
        return errors.answer(status, f"Fault {fault.id} applies to this request.")
    if isinstance(answer.body, str):
        return Response(answer.body, status, mimetype="text/plain")
    return json_response(answer.body, status)


def _spoil_body(response: Any, kind: str) -> Any:
    response.direct_passthrough = False
    data = response.get_data()
    if kind == "garbage":
        response.set_data(data[: len(data) // 2] + b'\x00<garbage>"{[')
        return response
    # The body is shorter than its Content-Length. waitress closes the connection after it.
    response.set_data(data[: len(data) // 2])
    response.automatically_set_content_length = False
    response.headers["Content-Length"] = str(max(len(data), 1))
    return response
