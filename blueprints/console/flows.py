"""Flows: code, findings, conditions, versions and their comparison, and an editor."""

from typing import Any

from flask import g, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console import highlighting
from dryline.blueprints.console.base import PageBlueprint, load_texts, require_team
from dryline.blueprints.console.flow_pages import (
    EditorPage,
    FlowComparisonPage,
    FlowPage,
    errors_in,
    names_of_deployments_that_follow,
    variables_in,
)
from dryline.blueprints.console.flow_templates import TEMPLATES
from dryline.blueprints.console.operations import FormRefused, OperationAnswer, perform_operation, show_sent
from dryline.blueprints.console.template_filters import pretty
from dryline.flow.sessions import conversations
from dryline.models.deployment_parameters import apply_version_and_parameters
from dryline.models.deployments import Deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.schemas.talk_sessions import TalkBody
from dryline.storage.current_world import current
from dryline.storage.errors import DomainError
from dryline.world.wording import join_names

blp = PageBlueprint("flows", path="/workers/<worker_id>/flows", section="workers")

FLOWS_PATH = "/api/workers/{}/flows"

# The code of a new flow.
NEW_CODE = TEMPLATES["messages"].code
NO_NEW_VERSION = "Saved: no new version."


@blp.get("")
def show(worker_id: str) -> Any:
    """List the worker's flows with their deployments."""
    worker = Worker.fetch(require_team(), worker_id)
    flows = list(Flow.listing(worker, worker_id=worker.id))
    deployments: dict[str, list[Deployment]] = {}
    for one in Deployment.listing(worker, worker_id=worker.id):
        deployments.setdefault(one.flow_id, []).append(one)
    version_counts = FlowVersion.counts(worker)
    return render_template(
        "flows.html", worker=worker, flows=flows, deployments=deployments, version_counts=version_counts
    )


@blp.get("/<flow_id>")
def flow(worker_id: str, flow_id: str) -> Any:
    """Show a flow, with `?version=` as that version has it."""
    worker = Worker.fetch(require_team(), worker_id)
    flow = worker.child(Flow, flow_id)
    version_id = request.args.get("version") or None
    current_program = (flow.code, flow.variables)
    flow = apply_version_and_parameters(flow, version_id)
    is_other = (flow.code, flow.variables) != current_program
    return render_template("flow.html", worker=worker, page=FlowPage(flow, version_id, is_other))


@blp.get("/<flow_id>/diff")
def diff(worker_id: str, flow_id: str) -> Any:
    """Compare two versions, by default the last version with other code and the current flow."""
    worker = Worker.fetch(require_team(), worker_id)
    flow = worker.child(Flow, flow_id)
    return render_template("flow_diff.html", worker=worker, page=FlowComparisonPage(flow))


@blp.get("/new", defaults={"flow_id": None})
@blp.get("/<flow_id>/edit")
def edit(worker_id: str, flow_id: str | None) -> Any:
    """Show the editor with a new flow, a flow, or the code of a version; with `?line=` opened at that line."""
    worker = Worker.fetch(require_team(), worker_id)
    if flow_id is None:
        return _show_editor(worker, None, {"code": NEW_CODE})
    flow = worker.child(Flow, flow_id)
    version_id = request.args.get("version")
    version = flow.child(FlowVersion, version_id) if version_id else None
    return _show_editor(worker, flow, _form_values(flow, version))


def _form_values(flow: Flow, version: FlowVersion | None = None) -> dict[str, Any]:
    """Return the values of the editor's form: those of the flow, with the code and the variables of a version."""
    source = version or flow
    values = {
        "name": flow.name,
        "label": flow.label,
        "seen": flow.etag,
        "code": source.code,
        "variables": pretty(source.variables),
    }
    if version:
        values["commitMessage"] = _return_message(version)
    return values


def _return_message(version: FlowVersion) -> str:
    """Return the commit message of a version that has the code of an older one."""
    return f"Back to version {version.version_number}"


@blp.post("/new", defaults={"flow_id": None})
@blp.post("/<flow_id>/edit")
def change(worker_id: str, flow_id: str | None) -> Any:
    """Check, try or save the form of the editor."""
    g.team = require_team()
    values = {name: highlighting.with_newlines(text) for name, text in request.form.items()}
    refusal = None
    is_question = False
    if "check" not in values:
        try:
            if "try" in values:
                return _begin_talk(worker_id, values)
            is_question = "anyway" not in values and variables_in(values.get("variables")) is not None
            is_question = is_question and bool(errors_in(values.get("code", "")))
            if not is_question:
                return _save(worker_id, flow_id, values)
        except (BadRequest, DomainError, FormRefused) as error:
            # Not a redirect to the form as after other errors: without script, the text would be lost.
            refusal = error
    with current().reading():
        worker = Worker.fetch(g.team, worker_id)
        # The text of a deleted flow is offered as a new one.
        return _show_editor(worker, Flow.find(id=flow_id, worker_id=worker.id), values, refusal, is_question)


def _begin_talk(worker_id: str, values: dict[str, str]) -> Any:
    """Begin a conversation with code that is not saved."""
    texts = {"code": values.get("code", ""), "variables": values.get("variables") or "{}"}
    talk = conversations.begin(current(), g.team.id, worker_id=worker_id, **load_texts(TalkBody, texts))
    return redirect(url_for("talks.talk", worker_id=worker_id, talk_id=talk.id), 303)


def _save(worker_id: str, flow_id: str | None, values: dict[str, str]) -> Any:
    """Create or update the flow. A form has all fields, so an empty one clears its value."""
    body: dict[str, Any] = {
        "name": values.get("name") or None,
        "label": values.get("label") or None,
        "code": values.get("code", ""),
        "variables": variables_in(values.get("variables")),
    }
    if body["variables"] is None:
        body["variables"] = values["variables"]  # no JSON object: the API says what is wrong with it
    if flow_id is None:
        answer = perform_operation("POST", FLOWS_PATH, worker_id, body=body)
        return _show_saved(worker_id, answer, "Created.")

    # One transaction, so that nobody changes the flow between the check and the request.
    with current().transaction():
        flow = Worker.fetch(g.team, worker_id).child(Flow, flow_id)
        flow.require_etag(values.get("seen", flow.etag))
        if highlighting.with_newlines(flow.code) == body["code"]:
            body["code"] = flow.code  # with its own line endings
        body["commitMessage"] = values.get("commitMessage") or "Edited in the console"
        answer, version = _change_flow(flow, body)
    message = f"Saved as version {version.version_number}. {_sentence_about_users(flow)}" if version else NO_NEW_VERSION
    return _show_saved(worker_id, answer, message)


@blp.post("/<flow_id>/versions/<version_id>/restore")
def restore(worker_id: str, flow_id: str, version_id: str) -> Any:
    """Make the code and the variables of a version those of the flow, as a new version. Ask if the code has errors."""
    g.team = require_team()
    with current().reading():
        worker = Worker.fetch(g.team, worker_id)
        flow = worker.child(Flow, flow_id)
        version = flow.child(FlowVersion, version_id)
        if errors_in(version.code):
            return _show_editor(worker, flow, _form_values(flow, version), is_question=True)
    body = {"code": version.code, "variables": version.variables, "commitMessage": _return_message(version)}
    with current().transaction():
        answer, made = _change_flow(worker.child(Flow, flow_id), body)
    restored = f"Version {version.version_number} is restored"
    message = f"{restored} as version {made.version_number}. {_sentence_about_users(flow)}" if made else NO_NEW_VERSION
    return _show_saved(worker_id, answer, message)


def _change_flow(flow: Flow, body: dict[str, Any]) -> tuple[OperationAnswer, FlowVersion | None]:
    """Change the flow, and return the answer and the version that this commits: None if code and variables stay."""
    answer = perform_operation("PATCH", f"{FLOWS_PATH}/{{}}", flow.worker_id, flow.id, body=body)
    is_new = answer.body["version"] != flow.version
    if not is_new:
        return answer, None
    newest_version = next(iter(FlowVersion.listing(flow, flow_id=flow.id)))
    return answer, newest_version


def _sentence_about_users(flow: Flow) -> str:
    """Return a sentence with the deployments that run the flow as it is now; empty if there are none."""
    names = names_of_deployments_that_follow(flow)
    if not names:
        return ""
    verb = "uses" if len(names) == 1 else "use"
    return f"{join_names(names)} {verb} it from now on."


def _show_saved(worker_id: str, answer: OperationAnswer, message: str) -> Any:
    """Show the page of the flow with a message, and with the first error if the code cannot run."""
    flow = answer.body
    kind = "message"
    errors = errors_in(flow["code"])
    if errors:
        kind = "error"
        first = errors[0]
        message += f" It cannot run yet: line {first.line}, column {first.column}: {first.sentence}"
    return show_sent(answer, message.strip(), "flows.flow", kind=kind, worker_id=worker_id, flow_id=flow["id"])


def _show_editor(
    worker: Worker,
    flow: Flow | None,
    values: dict[str, Any],
    refusal: Exception | None = None,
    is_question: bool = False,
) -> Any:
    """Show the form with these values and the findings in its code, or ask whether code with errors shall be saved.

    If the flow was changed since the form was opened, the page shows what saving would change, and saves it next time.
    """
    page = EditorPage(worker, flow, values, refusal, is_question)
    refused = refusal if isinstance(refusal, FormRefused) else None
    return render_template("flow_edit.html", worker=worker, page=page, refused=refused), page.status
