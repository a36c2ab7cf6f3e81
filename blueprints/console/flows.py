"""Flows: their code with what is wrong with it, where it leads, its versions, what changed between them; an editor."""

from __future__ import annotations

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console.base import Pages, done, form, read, team, told
from dryline.blueprints.console.template_filters import pretty
from dryline.engine.errors import Finding
from dryline.flow_sessions import conversations
from dryline.flow_sessions.engines import demand_sound, engine_of
from dryline.models.deployment_parameters import show_flow
from dryline.models.deployments import Deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.schemas.flows import FlowSheetSchema
from dryline.schemas.talk_sessions import TalkBody
from dryline.storage.current_world import current
from dryline.storage.errors import Busy, Conflict, DomainError
from dryline.world.clock import set_current_team

blp = Pages("flows", path="/workers/<worker_id>/flows", under="workers")

# What a new flow begins with.
SKETCH = """\
say("Good morning, how can I help?")
loop:
    res = talk("Ask what they are calling about.", False)
until "caller wants to leave a message":
    note = res.ask("Who is it, and what is the message?", {"name": "", "message": ""})
    extract("note", note)
    say(f"Thank you, {note['name']}.")
until "caller wants a person":
    say("One moment, please.")
say("Goodbye.")
"""


@blp.get("")
def show(worker_id: str) -> Any:
    """A worker's flows."""
    worker = Worker.fetch(team(), worker_id)
    flows = list(Flow.listing(worker, worker_id=worker.id))
    used: dict[str, list[Deployment]] = {}
    for one in Deployment.listing(worker, worker_id=worker.id):
        used.setdefault(one.flow_id, []).append(one)
    counts = FlowVersion.counts(worker)
    return render_template("flows.html", worker=worker, flows=flows, used=used, counts=counts)


@blp.get("/<flow_id>")
def flow(worker_id: str, flow_id: str) -> Any:
    """One flow as it is, or as one of its versions has it."""
    from dryline.blueprints.console import highlighting  # imported late: only pages with code need its library

    worker = Worker.fetch(team(), worker_id)
    found = show_flow(worker.child(Flow, flow_id), request.args.get("version") or None)
    engine = engine_of(current())
    findings = engine.check(found.code)
    sound = all(finding.severity != "error" for finding in findings)
    return render_template(
        "flow.html",
        worker=worker,
        flow=found,
        version=request.args.get("version"),
        versions=list(FlowVersion.listing(found, flow_id=found.id)),
        lines=highlighting.lines(found.code),
        findings=findings,
        sound=sound,
        paths=engine.paths(found.code) if sound else [],
        deployments=list(Deployment.listing(found, flow_id=found.id)),
    )


@blp.get("/<flow_id>/diff")
def diff(worker_id: str, flow_id: str) -> Any:
    """What changed from one version to another: by default from the last but one to the flow as it is."""
    from dryline.blueprints.console import highlighting

    worker = Worker.fetch(team(), worker_id)
    found = worker.child(Flow, flow_id)
    versions = list(FlowVersion.listing(found, flow_id=found.id))
    before = next((one.id for one in versions if one.code != found.code), "")
    old, new = request.args.get("old", before), request.args.get("new", "")
    one, other = (worker.child(Flow, flow_id) for _ in range(2))
    show_flow(one, old or None)
    show_flow(other, new or None)
    return render_template(
        "flow_diff.html",
        worker=worker,
        flow=found,
        versions=versions,
        old=old,
        new=new,
        code=highlighting.compare(one.code, other.code),
        variables=highlighting.compare(pretty(one.variables), pretty(other.variables)),
    )


@blp.get("/new", defaults={"flow_id": None})
@blp.get("/<flow_id>/edit")
def edit(worker_id: str, flow_id: str | None) -> Any:
    """A flow to be changed, as it is or with the code of a version; or one to be made."""
    worker = Worker.fetch(team(), worker_id)
    if flow_id is None:
        return _editor(worker, None, {"code": SKETCH})
    found = worker.child(Flow, flow_id)
    given: dict[str, Any] = {"name": found.name, "label": found.label, "seen": found.etag}
    shown: Flow | FlowVersion = found
    if version_id := request.args.get("version"):
        shown = found.child(FlowVersion, version_id)
        given["commitMessage"] = f"Back to version {shown.version_number}"
    return _editor(worker, found, {**given, "code": shown.code, "variables": pretty(shown.variables)})


@blp.post("/new", defaults={"flow_id": None})
@blp.post("/<flow_id>/edit")
def change(worker_id: str, flow_id: str | None) -> Any:
    """Check, try or save what was typed."""
    g.team = team()
    set_current_team(g.team.id)
    typed = {name: _plain(text) for name, text in request.form.items()}
    refused = None
    if "check" not in typed:
        try:
            return _try(worker_id, typed) if "try" in typed else _save(worker_id, flow_id, typed)
        except (BadRequest, DomainError) as error:
            # No way back to the form as others have it: there, without script, what was typed would be gone.
            refused = error
    with current().reading():
        worker = Worker.fetch(g.team, worker_id)
        # Of a flow that is gone, what was typed becomes a new one's.
        return _editor(worker, Flow.find(id=flow_id, worker_id=worker.id), typed, refused)


def _try(worker_id: str, typed: dict[str, str]) -> Any:
    """Begin a conversation with code that no flow has."""
    given = {"code": typed.get("code", ""), "variables": typed.get("variables") or "{}"}
    row = conversations.begin(current(), g.team.id, worker_id=worker_id, **read(TalkBody, given))
    return redirect(url_for("talks.talk", worker_id=worker_id, talk_id=row.id), 303)


def _save(worker_id: str, flow_id: str | None, typed: dict[str, str]) -> Any:
    """As the API's createFlow and updateFlow do, but signed by a person."""
    asked = form(FlowSheetSchema, code=typed.get("code", ""))
    code = asked["code"]
    if asked.pop("validate_code", False):
        demand_sound(current(), code)
    with current().transaction():
        worker = Worker.fetch(g.team, worker_id)
        if flow_id is None:
            made = {name: asked[name] for name in ("name", "label", "code", "variables")}
            found, said = Flow.write(worker, g.team, **made), "The flow is made."
        else:
            found = worker.child(Flow, flow_id)
            if _plain(found.code) == code:
                asked["code"] = found.code  # as it ends its lines
            before = found.version
            found.revise(g.team, **asked)
            said = "Saved: no new version."
            if found.version != before:
                said = f"Saved as version {next(iter(FlowVersion.listing(found, flow_id=found.id))).version_number}."
    faults = [one for one in _findings(code) or [] if one.severity == "error"]
    if faults:
        flash(f"It cannot run: line {faults[0].line}, column {faults[0].column}: {faults[0].sentence}", "error")
    return done(said, "flows.flow", worker_id=worker_id, flow_id=found.id)


def _editor(worker: Worker, flow: Flow | None, given: dict[str, Any], refused: Exception | None = None) -> Any:
    """The form with what it is given, and what is wrong with that.

    A save that was refused since the flow was changed meanwhile shows what it would change, and goes on from there.
    """
    from dryline.blueprints.console import highlighting

    code = given.get("code", "")
    values: dict[str, Any] = {"worker": worker, "flow": flow, "given": given, "findings": _findings(code)}
    message, status = told(refused) if refused else (None, 200)
    if flow and isinstance(refused, Conflict):
        values |= {
            "overtaken": True,
            "given": given | {"seen": flow.etag},
            "code": highlighting.compare(flow.code, code),
            "variables": highlighting.compare(pretty(flow.variables), given.get("variables", "")),
        }
    return render_template("flow_edit.html", refused=message, **values), status


def _findings(code: str) -> list[Finding] | None:
    """What is wrong with the code; None while there is no room to look."""
    try:
        return engine_of(current()).check(code)
    except Busy:
        return None


def _plain(text: str) -> str:
    """The text with the ends of lines that files have; forms are sent with others."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
