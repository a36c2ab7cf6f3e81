"""Deployments of every channel: settings and history."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import orjson
from flask import render_template, url_for

from dryline.blueprints.console.base import PageBlueprint, require_team
from dryline.blueprints.console.operations import form_body, perform_operation, show_sent
from dryline.blueprints.console.template_filters import in_text, label, phone
from dryline.models.available_numbers import available_numbers
from dryline.models.business_hours import BusinessHours, TeamPhoneHours
from dryline.models.campaign_progress import campaigns_of
from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import list_deployments, look_up_deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.deployment_history import DeploymentHistoryEntrySchema
from dryline.schemas.deployments_lookup import AnyDeploymentSchema
from dryline.schemas.voice_deployments import VoiceDeploymentBody, VoiceDeploymentUpdateBody

blp = PageBlueprint("deployments", path="/workers/<worker_id>/deployments", section="workers")

INCLUDED = ("success_criteria", "deployment_parameters")
# Members that are no row of the settings: they have a place of their own on the page.
_SHOWN_ELSEWHERE = {
    *("id", "name", "type", "status", "workerId", "flowId", "flowVersionId", "phoneNumber", "createdAt", "updatedAt"),
    *("deploymentParameters", "extractions", "successCriteria", "customWebhooks", "externalConfig"),
}
MAX_HISTORY = 50
_MEMBER_TITLES = {"flowId": "Flow"}  # of those whose label would be another


@blp.get("")
def show(worker_id: str) -> Any:
    """List the worker's deployments of every channel."""
    worker = Worker.fetch(require_team(), worker_id)
    flows = {flow.id: flow for flow in Flow.listing(worker, worker_id=worker.id)}
    return render_template("deployments.html", worker=worker, deployments=list_deployments(worker), flows=flows)


@blp.get("/new")
def new(worker_id: str) -> Any:
    """Show the form that deploys a flow, with a number that no deployment of the team has."""
    worker = Worker.fetch(require_team(), worker_id)
    taken = {one.phone_number for one in VoiceDeployment.listing(worker)}
    numbers = available_numbers(require_team(), country_code="US", number_type="Local")
    free_numbers = [one["phone_number"] for one in numbers if one["phone_number"] not in taken]
    return render_template(
        "deployment_new.html",
        worker=worker,
        flows=list(Flow.listing(worker, worker_id=worker.id)),
        number=free_numbers[0] if free_numbers else "",
    )


@blp.post("")
def create(worker_id: str) -> Any:
    body = form_body(VoiceDeploymentBody)
    answer = perform_operation("POST", "/api/workers/{}/deployments/voice", worker_id, body=body)
    deployment = answer.body
    message = f"Deployed to {phone(deployment['phoneNumber'])}. Place a call to hear it."
    return show_sent(answer, message, "deployments.deployment", worker_id=worker_id, deployment_id=deployment["id"])


@blp.get("/<deployment_id>")
def deployment(worker_id: str, deployment_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    deployment, members = _deployment_with_members(worker, deployment_id)
    return render_template("deployment.html", worker=worker, page=DeploymentPage(worker, deployment, members))


class HistoryEntry(NamedTuple):
    """A change of a deployment: the titles of what changed, each with the texts before and after.

    `other_json` are the changes in another shape than the page reads.
    """

    created_at: str
    author: str
    changes: list[tuple[str, str, str]]
    other_json: Any = None


@dataclass
class DeploymentPage:
    """The page of a deployment. `members` is the deployment as the API answers it."""

    worker: Worker
    deployment: Any
    members: dict[str, Any]

    @property
    def settings(self) -> list[tuple[str, str]]:
        """The settings, as labels and texts."""
        return labelled_settings(self.members)

    @cached_property
    def hours(self) -> list[tuple[str, str]]:
        """The business hours of its number."""
        number = self.members.get("phoneNumber")
        return opening_hours(number) if number else []

    @cached_property
    def parameters(self) -> list[DeploymentParameter]:
        """The parameters, which override variables of the flow."""
        return list(self.deployment.deployment_parameters)

    @cached_property
    def flow(self) -> Flow | None:
        """The flow, unless it was deleted."""
        return Flow.find(id=self.deployment.flow_id, team_id=self.deployment.team_id)

    @cached_property
    def flows(self) -> list[Flow]:
        """The flows of the worker."""
        return list(Flow.listing(self.worker, worker_id=self.worker.id))

    @cached_property
    def version(self) -> FlowVersion | None:
        """The version that the deployment is pinned to."""
        version_id = self.members.get("flowVersionId")
        return FlowVersion.find(id=version_id) if version_id else None

    @cached_property
    def campaigns(self) -> list[Any]:
        """The campaigns that call with the deployment."""
        return [one for one in campaigns_of(require_team()) if one.deployment_id == self.deployment.id]

    @property
    def history(self) -> list[HistoryEntry]:
        """The newest changes."""
        entries = DeploymentHistoryEntry.of_deployment(self.deployment).slice(MAX_HISTORY)
        return [self._history_entry(one) for one in entries]

    def _history_entry(self, record: DeploymentHistoryEntry) -> HistoryEntry:
        entry = DeploymentHistoryEntrySchema().dump(record)
        author = "by a person" if entry["authorType"] == "USER" else "through the API"
        other_json = record.unreadable("changes")
        if other_json is not None:
            return HistoryEntry(entry["createdAt"], author, [], other_json)
        changes = []
        for name, change in entry["changes"].items():
            title = _MEMBER_TITLES.get(name) or label(name)
            if entry["changeType"] == "PARAMETERS":
                title = name
            changes.append((title, self._value_text(name, change["from"]), self._value_text(name, change["to"])))
        return HistoryEntry(entry["createdAt"], author, changes)

    def _value_text(self, name: str, value: Any) -> str:
        """Return a value of a member in words, and a flow's id as its name."""
        if name != "flowId":
            return in_text(value, name)
        names = [flow.name for flow in self.flows if flow.id == value]
        return names[0] if names else str(value)


@blp.post("/<deployment_id>")
def change(worker_id: str, deployment_id: str) -> Any:
    """Change name, number and flow."""
    body = form_body(VoiceDeploymentUpdateBody)
    answer = perform_operation("PATCH", "/api/workers/{}/deployments/voice/{}", worker_id, deployment_id, body=body)
    return show_sent(answer, f"Changed {answer.body['name']}.")


@blp.get("/<deployment_id>/answer")
def answer(worker_id: str, deployment_id: str) -> Any:
    """Show a deployment as the API answers it."""
    worker = Worker.fetch(require_team(), worker_id)
    deployment, members = _deployment_with_members(worker, deployment_id)
    back = url_for("deployments.deployment", worker_id=worker_id, deployment_id=deployment_id)
    return render_template("api_answer.html", title=deployment.name, back=back, raw=members)


def _deployment_with_members(worker: Worker, deployment_id: str) -> tuple[Any, dict[str, Any]]:
    deployment = look_up_deployment(worker, worker.child(Deployment, deployment_id).id, INCLUDED)
    # `dump` of a list within it returns its JSON.
    return deployment, orjson.loads(orjson.dumps(AnyDeploymentSchema().dump(deployment)))


def labelled_settings(members: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the settings that are set, those of the engine too, as labels and texts."""
    values = {**members, **(members.get("externalConfig") or {})}
    return [
        (label(name), in_text(value, name))
        for name, value in values.items()
        if name not in _SHOWN_ELSEWHERE and value not in (None, "", False, [], {}, "[]")
    ]


def opening_hours(number: str) -> list[tuple[str, str]]:
    """Return the business hours of a number: days, and the times at which they are open."""
    rows = []
    for tie in TeamPhoneHours.search(require_team(), phone_number=number):
        table = BusinessHours.fetch(require_team(), tie.hours_id)
        for text, group in groupby(table.hours.items(), itemgetter(1)):
            days = [day.capitalize() for day, _ in group]
            title = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
            rows.append((title, text))
        rows.append(("Time zone", table.timezone))
    return rows
