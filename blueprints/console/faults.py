"""Faults: switched on by name or by hand, counted, and copied into a program's tests."""

from __future__ import annotations

import json
import shlex
from typing import Any

from flask import current_app, render_template, request
from marshmallow import missing

from dryline.blueprints.console.base import Pages, done, form
from dryline.blueprints.control import faults as plane
from dryline.blueprints.control.base import known_team
from dryline.blueprints.links import base_url
from dryline.schemas.base import camel
from dryline.storage.current_world import current
from dryline.traffic.fault_presets import PRESETS
from dryline.traffic.faults import Fault

blp = Pages("faults", "Faults", "f", path="/faults")

# What a rule is without saying so.
_PLAIN = {
    name: field.load_default
    for name, field in plane.FaultSchema().load_fields.items()
    if field.load_default is not missing
}


@blp.get("")
def show() -> Any:
    """The page. `method` and `path` in the address fill in the form."""
    rules = current().faults.listing()
    return render_template(
        "faults.html",
        rules=[(rule, rule.in_words(), as_pytest(rule), as_curl(rule)) for rule in rules],
        presets=PRESETS,
        asked={"method": request.args.get("method", "*"), "path": request.args.get("path", "/api/*")},
    )


@blp.post("")
def add() -> Any:
    """Switch a rule on."""
    with current_app.api.app_context():  # type: ignore[attr-defined]  # it is the API that has the operations
        sent = form(plane.FaultSchema)
    with current().reading():
        known_team(sent["team_id"], "team_id")
    return done(f"On: {plane.add(sent).in_words()}.", "faults.show")


@blp.post("/remove")
def remove() -> Any:
    """Switch one off, or all."""
    faults = current().faults
    if id := request.form.get("id"):
        faults.remove(id)
    else:
        faults.clear()
    return done("Off.", "faults.show")


def as_pytest(rule: Fault) -> str:
    """The line that switches the same on in a test."""
    return f"dryline.fault({', '.join(f'{name}={value!r}' for name, value in _said(rule).items())})"


def as_curl(rule: Fault) -> str:
    """The same from a shell."""
    body = json.dumps({camel(name): value for name, value in _said(rule).items()})
    return f"curl {base_url()}/_dryline/faults -H 'content-type: application/json' -d {shlex.quote(body)}"


def _said(rule: Fault) -> dict[str, Any]:
    """The rule's members that are not the usual ones, as they are sent."""
    sent = plane.FaultSchema().dump(vars(rule))
    return {name: sent[camel(name)] for name, usual in _PLAIN.items() if sent[camel(name)] != usual}
