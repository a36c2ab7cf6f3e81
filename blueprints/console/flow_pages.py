"""The pages of flows: what a flow, the comparison of two versions and the editor show."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from flask import request

from dryline.blueprints.console import conversation, highlighting
from dryline.blueprints.console.base import error_message
from dryline.blueprints.console.flow_outline import Way, outline_of
from dryline.blueprints.console.operations import FormRefused
from dryline.blueprints.console.template_filters import pretty
from dryline.flow.language.errors import Finding
from dryline.flow.language.program import Condition
from dryline.flow.language.python_code import MAX_CODE
from dryline.flow.sessions.engines import engine_of
from dryline.flow.sessions.flow_checks import find_missing_members
from dryline.models import taken_branches
from dryline.models.deployment_parameters import apply_version_and_parameters
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import deployments_that_follow
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.taken_branches import TakenPath
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Busy, Conflict
from dryline.world.wording import count, join_names

MAX_IN_PROGRESS = 24
MAX_TITLE = 60  # characters of a version's message in a list of choices
CURRENT = "current"  # stands for the current flow where else is the id of a version


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
        return _check_code(self.flow.code)

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
        return [(CURRENT, "the current flow"), *((one.id, _version_title(one)) for one in self._versions)]

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
        return apply_version_and_parameters(flow, None if version_id == CURRENT else version_id)

    @cached_property
    def code(self) -> list[highlighting.DiffLine]:
        """The changes of the code."""
        return highlighting.diff_lines(self._old_flow.code, self._new_flow.code)

    @property
    def code_title(self) -> str:
        """The numbers of added and removed lines."""
        kinds = Counter(line.kind for line in self.code)
        added, removed = kinds["added"], kinds["removed"]
        return f"Lines of code: {added} added, {removed} removed"

    @cached_property
    def variables(self) -> list[highlighting.DiffLine]:
        """The changes of the variables."""
        return highlighting.diff_lines(pretty(self._old_flow.variables), pretty(self._new_flow.variables))


def _version_title(version: FlowVersion) -> str:
    """Return the title of a version in a list of choices."""
    message = version.commit_message
    shortened = f"{message[:MAX_TITLE]}…" if len(message) > MAX_TITLE else message
    return f"{version.version_number}: {shortened}"


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
        findings = _find_unless_busy(self.code)
        variables = variables_in(self.typed.get("variables"))
        if findings is None or variables is None:
            return findings
        return _with_missing_members(findings, self.code, variables, self.flow)

    @cached_property
    def errors(self) -> list[Finding]:
        """The errors in the code, if the page asks whether it shall be saved all the same."""
        return (errors_in(self.code) or []) if self.is_question else []

    @property
    def users(self) -> str:
        """The names of the deployments that run the flow."""
        return join_names(names_of_deployments_that_follow(self.flow)) if self.flow else ""

    @cached_property
    def opened_line(self) -> "OpenedLine | None":
        """The line of the address, if the code has it."""
        return _line_of_address(self.code)

    @property
    def is_conflict(self) -> bool:
        """Whether the flow was changed since the form was opened."""
        return self.flow is not None and isinstance(self.refusal, Conflict)

    @cached_property
    def code_changes(self) -> list[highlighting.DiffLine]:
        """The changes of the form to the code of the flow."""
        return highlighting.diff_lines(self.flow.code, self.code) if self.flow else []

    @cached_property
    def variable_changes(self) -> list[highlighting.DiffLine]:
        """The changes of the form to the variables of the flow."""
        if self.flow is None:
            return []
        return highlighting.diff_lines(pretty(self.flow.variables), self.typed.get("variables", ""))


class OpenedLine(NamedTuple):
    """The line at which the editor is opened, with the column of its first word."""

    number: int
    column: int
    text: str


def _line_of_address(code: str) -> OpenedLine | None:
    """Return the line of the address, if the code has it."""
    number = request.args.get("line", 0, int)
    lines = highlighting.split_lines(code)
    if not 0 < number <= len(lines):
        return None
    line = lines[number - 1]
    return OpenedLine(number, len(line) - len(line.lstrip()) + 1, line.strip())


def variables_in(text: str | None) -> dict[str, Any] | None:
    """Return the variables of the form; None while its text is no JSON object."""
    try:
        variables = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return variables if isinstance(variables, dict) else None


def errors_in(code: str) -> list[Finding]:
    """Return the errors in the code, because of which it cannot run; none while the engine is busy."""
    return [finding for finding in _find_unless_busy(code) or [] if finding.severity == "error"]


def names_of_deployments_that_follow(flow: Flow) -> list[str]:
    return [one.name for one in deployments_that_follow(flow)]


def _with_missing_members(
    findings: list[Finding], code: str, variables: Mapping[str, Any], flow: Flow | None
) -> list[Finding]:
    """Return the findings in code, and if it can run those about variables that it needs and nothing sets."""
    if not _can_run(findings):
        return findings
    return [*find_missing_members(current(), code, variables, flow), *findings]


def _can_run(findings: list[Finding]) -> bool:
    return all(finding.severity != "error" for finding in findings)


def _find_unless_busy(code: str) -> list[Finding] | None:
    """Return what is wrong with the code, or None while all workers of the engine are busy."""
    try:
        return _check_code(code)
    except Busy:
        return None


@lru_cache(maxsize=32)
def _cached_findings(code: str) -> list[Finding]:
    """Return what is wrong with the code. A check takes 0.1 s, and finds the same each time."""
    return engine_of(current()).check(code)


def _check_code(code: str) -> list[Finding]:
    """Return what is wrong with the code. Raises Busy."""
    return _cached_findings(code) if len(code) <= MAX_CODE else engine_of(current()).check(code)
