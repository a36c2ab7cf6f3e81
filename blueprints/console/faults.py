"""Fault rules: added by preset or by hand, counted, and copied into a program's tests."""

from typing import Any
from urllib.parse import quote

from flask import current_app, render_template, request
from marshmallow import missing

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form
from dryline.blueprints.console.snippets import plane_curl
from dryline.blueprints.control import faults as plane
from dryline.blueprints.control.base import require_known_team
from dryline.schemas.base import camel
from dryline.storage.current_world import current
from dryline.world.faults import PRESETS, Fault

blp = PageBlueprint("faults", "Faults", "f", path="/faults")

MAX_PATHS = 50  # suggested
# The presets by what they do, each with a short title.
PRESET_GROUPS = {
    "Slow": {"slow": "Three seconds late", "uneven": "Now and then late", "trickle": "Trickle"},
    "Fails": {"unavailable-twice": "503 twice", "rate-limited": "Rate limit"},
    "Breaks": {"answer-lost": "Answer lost", "cut-off": "Connection cut", "half-an-answer": "Half an answer"},
}
_DEFAULTS = {
    name: field.load_default
    for name, field in plane.FaultSchema().load_fields.items()
    if field.load_default is not missing
}


@blp.get("")
def show() -> Any:
    """List the rules. `method` and `path` in the address are the forms' values, and the log's paths are suggested."""
    rules = current().faults.listing()
    paths = {entry.path for entry in current().requests.newest_first() if entry.path.startswith("/api/")}
    return render_template(
        "faults.html",
        rules=[(rule, rule.in_words(), as_pytest(rule), as_curl(rule)) for rule in rules],
        groups=PRESET_GROUPS,
        presets=PRESETS,
        paths=sorted(paths)[:MAX_PATHS],
        form={"method": request.args.get("method", "*"), "path": request.args.get("path", "")},
    )


@blp.post("")
def add() -> Any:
    with current_app.api.app_context():  # type: ignore[attr-defined]  # the schema looks up operations in the API
        body = load_form(plane.FaultSchema)
    with current().reading():
        require_known_team(body["team_id"], "team_id")
    rule = plane.add_fault(body)
    return flash_and_redirect(f"Added: {rule.in_words()}.", curl=as_curl(rule))


@blp.post("/remove")
def remove() -> Any:
    faults = current().faults
    if id := request.form.get("id"):
        faults.remove(id)
        curl = plane_curl("DELETE", f"/faults/{quote(id, safe='')}")
        return flash_and_redirect("The rule is removed.", "faults.show", curl=curl)
    faults.clear()
    return flash_and_redirect("All rules are removed.", "faults.show", curl=plane_curl("DELETE", "/faults"))


def as_pytest(rule: Fault) -> str:
    """Return the call that adds the rule in a test."""
    return f"dryline.fault({', '.join(f'{name}={value!r}' for name, value in _set_members(rule).items())})"


def as_curl(rule: Fault) -> str:
    """Return the curl command that adds the rule."""
    return plane_curl("POST", "/faults", {camel(name): value for name, value in _set_members(rule).items()})


def _set_members(rule: Fault) -> dict[str, Any]:
    """Return the members that differ from their defaults."""
    members = plane.FaultSchema().dump(vars(rule))
    return {name: members[camel(name)] for name, default in _DEFAULTS.items() if members[camel(name)] != default}
