"""Traffic: what programs asked and what they were answered, sent again, or made to fail next time."""

from __future__ import annotations

import shlex
from typing import Any
from urllib.parse import quote

from flask import current_app, render_template, request
from werkzeug.exceptions import BadRequest, HTTPException

from dryline.blueprints.base import operation_id
from dryline.blueprints.console.base import Pages, done, read, settled
from dryline.blueprints.control import requests as plane
from dryline.blueprints.links import base_url
from dryline.models.teams import authenticate
from dryline.schemas.request_log import TimesSchema, VerifySchema
from dryline.storage.current_world import current
from dryline.storage.errors import DomainError, NotFound
from dryline.traffic import request_search
from dryline.traffic.fault_presets import PRESETS
from dryline.traffic.masking import MASK
from dryline.traffic.request_log import Entry
from dryline.traffic.request_search import Criteria, find

blp = Pages("traffic", "Traffic", "t", path="/traffic")

SHOWN = 100
# Headers that belong to one connection, or that the sender makes itself.
_OWN_HEADERS = {
    "host",
    "content-length",
    "connection",
    "accept-encoding",
    "user-agent",
    "x-api-key",
    "transfer-encoding",
}
# Where a row's page is, by how its id begins.
_PAGES = {
    "worker": ("workers.worker", "worker_id"),
    "log": ("calls.call", "log_id"),
    "campaign": ("campaigns.campaign", "campaign_id"),
    "delivery": ("webhooks.delivery", "delivery_id"),
}


@blp.get("")
def show() -> Any:
    """The page. `method`, `path`, `status`, `bodyContains` and `fault` in the address choose requests."""
    asked = {name: value for name, value in request.args.items() if value and name in _FILTERS}
    found, waiting = settled([one for one in find(current().requests, _criteria(asked)) if _fits(one, asked)], "number")
    return render_template(
        "request_log.html",
        entries=found[:SHOWN],
        total=len(found),
        asked=asked,
        waiting=waiting,
    )


_FILTERS = ("method", "path", "status", "bodyContains", "fault")


@blp.get("/<int:number>")
def entry(number: int) -> Any:
    """One request and its answer."""
    found = _entry(number)
    shown = plane.shown(found)
    return render_template(
        "request.html",
        entry=found,
        shown=shown,
        curl=as_curl(found),
        documentation=_documentation(found),
        rows=[(id, _PAGES.get(id.partition("_")[0])) for id in shown["touched"]],
        presets=PRESETS,
        key_known=_key_of(found) is not None,
        is_repeatable=MASK not in found.query,  # a link whose signature is masked cannot be asked for again
    )


@blp.post("/<int:number>/replay")
def replay(number: int) -> Any:
    """Ask the same again, with the same key."""
    found = _entry(number)
    if len(found.body) < found.body_bytes:
        return done("The request log has only the beginning of its body: it cannot be sent again.", "traffic.show")
    headers = {name: value for name, value in plane.shown(found)["headers"].items() if name not in _OWN_HEADERS}
    if (key := _key_of(found)) is not None:
        # The log masks keys; the engine's endpoint takes the key in two other headers.
        headers |= {name: key for name in ("x-brainbase-api-key",) if name in headers}
        headers |= {name: f"Bearer {key}" for name in ("authorization",) if name in headers}
        headers["x-api-key"] = key
    client = current_app.api.test_client()  # type: ignore[attr-defined]
    path = quote(found.path, safe="/:@!$&'()*+,;=~") + (f"?{found.query}" if found.query else "")
    try:
        status = client.open(path, method=found.method, headers=headers, data=found.body or None).status
    except Exception as error:  # a fault has cut the connection
        status = type(error).__name__
    return done(f"Asked again: {status}.", "traffic.show")


@blp.get("/verify")
def verify() -> Any:
    """What a program's check of the traffic would find, and what came nearest."""
    verdict, trouble = None, ""
    asked = {name: value for name, value in request.args.items() if value and name != "team"}
    if asked:
        try:
            times = read(TimesSchema, {name: asked.pop(name, "") for name in ("min", "max")})
            wanted = read(VerifySchema, asked)
            wanted.pop("times")
            verdict = request_search.verify(current().requests, Criteria(**wanted), times["min"], times["max"])
        except BadRequest as error:
            trouble = error.description or ""
        except DomainError as error:
            trouble = str(error)
    return render_template("verify.html", verdict=verdict, trouble=trouble, wanted=request.args)


@blp.post("/forget")
def forget() -> Any:
    """Forget all requests."""
    current().requests.clear()
    return done("The request log is empty.", "traffic.show")


def as_curl(found: Entry) -> str:
    """The request as a shell sends it. The key is shown where this server was started with it."""
    headers = plane.shown(found)["headers"]
    parts = [
        f"curl -X {found.method} {shlex.quote(base_url() + found.path + ('?' + found.query if found.query else ''))}"
    ]
    key = _key_of(found) or "YOUR_KEY"
    if "x-api-key" in headers:
        parts.append(f"-H {shlex.quote(f'x-api-key: {key}')}")
    parts += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers.items() if name == "content-type"]
    if found.body:
        parts.append(f"-d {shlex.quote(found.text())}")
    return " \\\n  ".join(parts)


def _key_of(found: Entry) -> str | None:
    """The clear text of a key of the request's team, where the server was started with one."""
    for key in current().settings.api_keys:
        try:
            if authenticate(key).team_id == found.team_id:
                return key
        except DomainError:
            continue
    return None


def _entry(number: int) -> Entry:
    for found in current().requests.newest_first():
        if found.number == number:
            return found
    raise NotFound(f"Request {number} is no longer in the request log.")


def _criteria(asked: dict[str, str]) -> Criteria:
    status = asked.get("status", "")
    return Criteria(
        method=asked.get("method"),
        path=asked.get("path"),
        status=int(status) if status.isdecimal() else None,
        body_contains=asked.get("bodyContains"),
    )


def _fits(found: Entry, asked: dict[str, str]) -> bool:
    """Test what the log's criteria lack: `4xx`, and whether a fault struck."""
    status = asked.get("status", "")
    if status.endswith("xx") and str(found.status or "")[:1] != status[:1]:
        return False
    return "fault" not in asked or found.fault_id is not None


def _documentation(found: Entry) -> str | None:
    """Where the operation is described."""
    api = current_app.api  # type: ignore[attr-defined]
    try:
        endpoint, _ = api.url_map.bind("localhost").match(found.path, found.method)
    except HTTPException:
        return None
    operation = operation_id(api.view_functions[endpoint], found.method)
    return f"/docs#/{quote(endpoint.rpartition('.')[0])}/{operation}" if operation else None
