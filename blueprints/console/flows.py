"""Flows: code, findings, conditions, versions and their comparison, and an editor."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from flask import g, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console import conversation, highlighting
from dryline.blueprints.console.base import (
    PageBlueprint,
    error_message,
    load_texts,
    require_team,
)
from dryline.blueprints.console.flow_outline import Way, outline_of
from dryline.blueprints.console.flow_templates import TEMPLATES
from dryline.blueprints.console.operations import FormRefused, OperationAnswer, send, show_sent
from dryline.blueprints.console.template_filters import pretty
from dryline.flow.language.errors import Finding
from dryline.flow.language.program import Condition
from dryline.flow.language.python_code import MAX_CODE
from dryline.flow.sessions import conversations
from dryline.flow.sessions.engines import engine_of
from dryline.flow.sessions.flow_checks import find_missing_members
from dryline.models import taken_branches
from dryline.models.deployment_parameters import show_flow
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import deployments_that_follow
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.taken_branches import TakenPath
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.schemas.talk_sessions import TalkBody
from dryline.storage.current_world import current
from dryline.storage.errors import Busy, Conflict, DomainError
from dryline.world.wording import count, join_names

blp = PageBlueprint("flows", path="/workers/<worker_id>/flows", section="workers")

FLOWS_PATH = "/api/workers/{}/flows"
MAX_IN_PROGRESS = 24
MAX_TITLE = 60  # characters of a version's message in a list of choices
CURRENT = "current"  # stands for the current flow where else is the id of a version

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
    flow = show_flow(flow, version_id)
    is_other = (flow.code, flow.variables) != current_program
    return render_template("flow.html", worker=worker, page=FlowPage(flow, version_id, is_other))


@dataclass
class FlowPage:
    """The page of a flow, or of one of its versions: `flow` then has its code and variables.

    `is_other` says that these are not those of the current flow.
    """

    flow: Flow
    version_id: str | None
    is_other: bool

    @cached_property
    def versions(self) -> list[FlowVersion]:
        """The versions, newest first."""
        return list(FlowVersion.listing(self.flow, flow_id=self.flow.id))

    @property
    def version_title(self) -> str:
        """The number of the newest version, or of the one that is shown."""
        newest = [one.version_number for one in self.versions[:1]]
        shown = [one.version_number for one in self.versions if one.id == self.version_id]
        if shown and shown != newest:
            return f"version {shown[0]} of {newest[0]}"
        return f"version {newest[0]}" if newest else ""

    @cached_property
    def deployments(self) -> list[Deployment]:
        """The deployments of the flow."""
        return list(Deployment.listing(self.flow, flow_id=self.flow.id))

    # The code.

    @property
    def code_lines(self) -> Sequence[Any]:
        """The lines of the code, as HTML."""
        return highlighting.highlight(self.flow.code)

    @cached_property
    def findings(self) -> list[Finding]:
        """The findings of a check of the flow."""
        return _with_missing_members(self._code_findings, self.flow.code, self.flow.variables, self.flow)

    @cached_property
    def _code_findings(self) -> list[Finding]:
        return _check(self.flow.code)

    @property
    def is_sound(self) -> bool:
        """Whether the code can run."""
        return _can_run(self._code_findings)

    # The outline: the ways that the calls took through the conditions.

    @cached_property
    def _paths(self) -> list[TakenPath]:
        return taken_branches.taken_paths(self.flow, self.flow.code)

    @cached_property
    def _conditions(self) -> Sequence[Condition]:
        return engine_of(current()).program(self.flow.code).conditions if self.is_sound else []

    @cached_property
    def outline(self) -> Way:
        """The way of all calls."""
        return outline_of(self._paths, {one.text: one.line for one in self._conditions})

    @property
    def outlined_calls(self) -> str:
        """The calls of the outline in words."""
        if self.outline.calls < taken_branches.MAX_CALLS:
            return "calls of the last 7 days"
        return f"last {count(taken_branches.MAX_CALLS)} calls"

    @cached_property
    def not_taken(self) -> list[Condition]:
        """The conditions that no call took."""
        taken = {key for path in self._paths for key in (*path.conditions, *path.lines)}
        return [one for one in self._conditions if one.line not in taken and one.text not in taken]

    @cached_property
    def in_progress(self) -> list[tuple[VoiceLog, float]]:
        """The calls in progress, each with the time since it began."""
        calls = taken_branches.calls_in_progress(self.flow, MAX_IN_PROGRESS)
        return [(call, conversation.elapsed_s(call)) for call in calls]


@blp.get("/<flow_id>/diff")
def diff(worker_id: str, flow_id: str) -> Any:
    """Compare two versions, by default the last version with other code and the current flow."""
    worker = Worker.fetch(require_team(), worker_id)
    flow = worker.child(Flow, flow_id)
    return render_template("flow_diff.html", worker=worker, page=FlowComparisonPage(flow))


@dataclass
class FlowComparisonPage:
    """The page with the changes between two versions of a flow, which the address names."""

    flow: Flow

    @cached_property
    def _versions(self) -> list[FlowVersion]:
        return list(FlowVersion.listing(self.flow, flow_id=self.flow.id))

    @property
    def versions(self) -> list[tuple[str, str]]:
        """The versions to choose from, each with its title."""
        return [(CURRENT, "the current flow"), *((one.id, _title_of(one)) for one in self._versions)]

    @cached_property
    def old(self) -> str:
        """The id of the older version, or `current`."""
        previous = next((one.id for one in self._versions if one.code != self.flow.code), CURRENT)
        return request.args.get("old", previous)

    @property
    def new(self) -> str:
        """The id of the newer version, or `current`."""
        return request.args.get("new", CURRENT)

    @cached_property
    def _old_flow(self) -> Flow:
        return self._flow_of(self.old)

    @cached_property
    def _new_flow(self) -> Flow:
        return self._flow_of(self.new)

    def _flow_of(self, version_id: str) -> Flow:
        """Return the flow as a version has it. Raises NotFound."""
        flow = Flow.fetch(self.flow, self.flow.id)
        return show_flow(flow, None if version_id == CURRENT else version_id)

    @cached_property
    def code(self) -> list[highlighting.DiffLine]:
        """The changes of the code."""
        return highlighting.compare(self._old_flow.code, self._new_flow.code)

    @property
    def code_title(self) -> str:
        """The numbers of added and removed lines."""
        added, removed = (sum(line.kind == kind for line in self.code) for kind in ("added", "removed"))
        return f"Lines of code: {added} added, {removed} removed"

    @cached_property
    def variables(self) -> list[highlighting.DiffLine]:
        """The changes of the variables."""
        return highlighting.compare(pretty(self._old_flow.variables), pretty(self._new_flow.variables))


def _title_of(version: FlowVersion) -> str:
    """Return the title of a version in a list of choices."""
    message = version.commit_message
    shortened = f"{message[:MAX_TITLE]}…" if len(message) > MAX_TITLE else message
    return f"{version.version_number}: {shortened}"


@blp.get("/new", defaults={"flow_id": None})
@blp.get("/<flow_id>/edit")
def edit(worker_id: str, flow_id: str | None) -> Any:
    """Show the editor with a new flow, a flow, or the code of a version; with `?line=` opened at that line."""
    worker = Worker.fetch(require_team(), worker_id)
    if flow_id is None:
        return _show_editor(worker, None, {"code": NEW_CODE})
    flow = worker.child(Flow, flow_id)
    version_id = request.args.get("version")
    return _show_editor(worker, flow, _form_values(flow, flow.child(FlowVersion, version_id) if version_id else None))


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
    return {**values, "commitMessage": _return_message(version)} if version else values


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
                return _try(worker_id, values)
            is_question = "anyway" not in values and _variables_in(values.get("variables")) is not None
            is_question = is_question and bool(_errors(values.get("code", "")))
            if not is_question:
                return _save(worker_id, flow_id, values)
        except (BadRequest, DomainError, FormRefused) as error:
            # Not a redirect to the form as after other errors: without script, the text would be lost.
            refusal = error
    with current().reading():
        worker = Worker.fetch(g.team, worker_id)
        # The text of a deleted flow is offered as a new one.
        return _show_editor(worker, Flow.find(id=flow_id, worker_id=worker.id), values, refusal, is_question)


def _try(worker_id: str, values: dict[str, str]) -> Any:
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
        "variables": _variables_in(values.get("variables")),
    }
    if body["variables"] is None:
        body["variables"] = values["variables"]  # no JSON object: the API says what is wrong with it
    if flow_id is None:
        answer = send("POST", FLOWS_PATH, worker_id, body=body)
        return _show_saved(worker_id, answer, "Created.")

    # One transaction, so that nobody changes the flow between the check and the request.
    with current().transaction():
        flow = Worker.fetch(g.team, worker_id).child(Flow, flow_id)
        flow.require_etag(values.get("seen", flow.etag))
        if highlighting.with_newlines(flow.code) == body["code"]:
            body["code"] = flow.code  # with its own line endings
        body["commitMessage"] = values.get("commitMessage") or "Edited in the console"
        answer, version = _revise(flow, body)
    message = f"Saved as version {version.version_number}. {_users(flow)}" if version else NO_NEW_VERSION
    return _show_saved(worker_id, answer, message)


@blp.post("/<flow_id>/versions/<version_id>/restore")
def restore(worker_id: str, flow_id: str, version_id: str) -> Any:
    """Make the code and the variables of a version those of the flow, as a new version. Ask if the code has errors."""
    g.team = require_team()
    with current().reading():
        worker = Worker.fetch(g.team, worker_id)
        flow = worker.child(Flow, flow_id)
        version = flow.child(FlowVersion, version_id)
        if _errors(version.code):
            return _show_editor(worker, flow, _form_values(flow, version), is_question=True)
    body = {"code": version.code, "variables": version.variables, "commitMessage": _return_message(version)}
    with current().transaction():
        answer, made = _revise(worker.child(Flow, flow_id), body)
    restored = f"Version {version.version_number} is restored"
    message = f"{restored} as version {made.version_number}. {_users(flow)}" if made else NO_NEW_VERSION
    return _show_saved(worker_id, answer, message)


def _revise(flow: Flow, body: dict[str, Any]) -> tuple[OperationAnswer, FlowVersion | None]:
    """Change the flow, and return the answer and the version that this commits: None if code and variables stay."""
    answer = send("PATCH", f"{FLOWS_PATH}/{{}}", flow.worker_id, flow.id, body=body)
    is_new = answer.body["version"] != flow.version
    return answer, next(iter(FlowVersion.listing(flow, flow_id=flow.id))) if is_new else None


def _users(flow: Flow) -> str:
    """Return a sentence with the deployments that run the flow as it is now; empty if there are none."""
    names = _user_names(flow)
    return f"{join_names(names)} {'uses' if len(names) == 1 else 'use'} it from now on." if names else ""


def _user_names(flow: Flow) -> list[str]:
    return [one.name for one in deployments_that_follow(flow)]


def _show_saved(worker_id: str, answer: OperationAnswer, message: str) -> Any:
    """Show the page of the flow with a message, and with the first error if the code cannot run."""
    flow = answer.body
    is_broken = False
    for error in (_errors(flow["code"]) or [])[:1]:
        is_broken = True
        message += f" It cannot run yet: line {error.line}, column {error.column}: {error.sentence}"
    kind = "error" if is_broken else "message"
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


@dataclass
class EditorPage:
    """The editor of a flow. `typed` are the values of its form, `refusal` why they were not saved."""

    worker: Worker
    flow: Flow | None
    typed: dict[str, Any]
    refusal: Exception | None
    is_question: bool

    @property
    def names(self) -> dict[str, list[str]]:
        """The names that the editor completes."""
        return highlighting.editor_names()

    @property
    def code(self) -> str:
        """The code of the form."""
        code: str = self.typed.get("code", "")
        return code

    @property
    def form(self) -> dict[str, Any]:
        """The values of the form. After a conflict it knows of the change, so that it can be saved."""
        return self.typed | {"seen": self.flow.etag} if self.flow and self.is_conflict else self.typed

    @property
    def message(self) -> str | None:
        """The reason why the values were not saved, unless a field shows it."""
        if self.refusal is None or isinstance(self.refusal, FormRefused):
            return None
        return error_message(self.refusal)[0]

    @property
    def status(self) -> int:
        """The status of the answer."""
        if self.refusal is None or ("try" in self.typed and "HX-Request" in request.headers):
            return 200  # the pane beside the code shows the message
        if isinstance(self.refusal, FormRefused):
            return self.refusal.status
        return error_message(self.refusal)[1]

    @cached_property
    def findings(self) -> list[Finding] | None:
        """The findings in the code; None if the engine is busy."""
        findings = _findings(self.code)
        variables = _variables_in(self.typed.get("variables"))
        if findings is None or variables is None:
            return findings
        return _with_missing_members(findings, self.code, variables, self.flow)

    @cached_property
    def errors(self) -> list[Finding]:
        """The errors in the code, if the page asks whether it shall be saved all the same."""
        return (_errors(self.code) or []) if self.is_question else []

    @property
    def users(self) -> str:
        """The names of the deployments that run the flow."""
        return join_names(_user_names(self.flow)) if self.flow else ""

    @cached_property
    def opened_line(self) -> "OpenedLine | None":
        """The line of the address, if the code has it."""
        return _opened_line(self.code)

    @property
    def is_conflict(self) -> bool:
        """Whether the flow was changed since the form was opened."""
        return self.flow is not None and isinstance(self.refusal, Conflict)

    @cached_property
    def code_changes(self) -> list[highlighting.DiffLine]:
        """The changes of the form to the code of the flow."""
        return highlighting.compare(self.flow.code, self.code) if self.flow else []

    @cached_property
    def variable_changes(self) -> list[highlighting.DiffLine]:
        """The changes of the form to the variables of the flow."""
        return highlighting.compare(pretty(self.flow.variables), self.typed.get("variables", "")) if self.flow else []


class OpenedLine(NamedTuple):
    """The line at which the editor is opened, with the column of its first word."""

    number: int
    column: int
    text: str


def _opened_line(code: str) -> OpenedLine | None:
    """Return the line of the address, if the code has it."""
    number = request.args.get("line", 0, int)
    lines = highlighting.split_lines(code)
    if not 0 < number <= len(lines):
        return None
    line = lines[number - 1]
    return OpenedLine(number, len(line) - len(line.lstrip()) + 1, line.strip())


def _variables_in(text: str | None) -> dict[str, Any] | None:
    """Return the variables of the form; None while its text is no JSON object."""
    try:
        variables = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return variables if isinstance(variables, dict) else None


def _with_missing_members(
    findings: list[Finding], code: str, variables: Mapping[str, Any], flow: Flow | None
) -> list[Finding]:
    """Return the findings in code, and if it can run those about variables that it needs and nothing sets."""
    return [*find_missing_members(current(), code, variables, flow), *findings] if _can_run(findings) else findings


def _can_run(findings: list[Finding]) -> bool:
    return all(finding.severity != "error" for finding in findings)


def _check(code: str) -> list[Finding]:
    """Return what is wrong with the code. Raises Busy."""
    return _cached_findings(code) if len(code) <= MAX_CODE else engine_of(current()).check(code)


@lru_cache(maxsize=32)
def _cached_findings(code: str) -> list[Finding]:
    """Return what is wrong with the code. A check takes 0.1 s, and finds the same each time."""
    return engine_of(current()).check(code)


def _findings(code: str) -> list[Finding] | None:
    """Return what is wrong with the code, or None while all workers of the engine are busy."""
    try:
        return _check(code)
    except Busy:
        return None


def _errors(code: str) -> list[Finding]:
    """Return the errors in the code, because of which it cannot run; none while the engine is busy."""
    return [finding for finding in _findings(code) or [] if finding.severity == "error"]
