"""Deployments of every channel: settings and history."""

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team
from dryline.blueprints.console.template_filters import phone
from dryline.models.available_numbers import available_numbers
from dryline.models.campaign_progress import campaigns_of
from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import list_deployments, look_up_deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.deployment_history import DeploymentHistoryEntrySchema
from dryline.schemas.deployments_lookup import AnyDeploymentSchema
from dryline.schemas.voice_deployments import VoiceDeploymentBody
from dryline.storage.current_world import current

blp = PageBlueprint("deployments", path="/workers/<worker_id>/deployments", section="workers")

INCLUDED = ("success_criteria", "deployment_parameters")
# Members that the page shows outside of the settings.
_NOT_SETTINGS = ("id", "name", "type", "status", "workerId", "flowId", "flowVersionId", "deploymentParameters")
MAX_HISTORY = 50


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
    return render_template(
        "deployment_new.html",
        worker=worker,
        flows=list(Flow.listing(worker, worker_id=worker.id)),
        number=next((one["phone_number"] for one in numbers if one["phone_number"] not in taken), ""),
    )


@blp.post("")
def create(worker_id: str) -> Any:
    with current().transaction():
        worker = Worker.fetch(require_team(), worker_id)
        deployment = VoiceDeployment.deploy(worker, **load_form(VoiceDeploymentBody))
    message = f"Deployed to {phone(deployment.phone_number)}. Place a call to hear it."
    return flash_and_redirect(message, "deployments.deployment", worker_id=worker_id, deployment_id=deployment.id)


@blp.get("/<deployment_id>")
def deployment(worker_id: str, deployment_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    deployment = look_up_deployment(worker, worker.child(Deployment, deployment_id).id, INCLUDED)
    members = AnyDeploymentSchema().dump(deployment)
    version_id = members.get("flowVersionId")
    history = DeploymentHistoryEntry.of_deployment(deployment).slice(MAX_HISTORY)
    return render_template(
        "deployment.html",
        worker=worker,
        deployment=deployment,
        settings={name: value for name, value in members.items() if name not in _NOT_SETTINGS},
        parameters=list(deployment.deployment_parameters),
        flow=Flow.find(id=deployment.flow_id, team_id=deployment.team_id),
        version=FlowVersion.find(id=version_id) if version_id else None,
        history=DeploymentHistoryEntrySchema().dump(list(history)),
        campaigns=[one for one in campaigns_of(require_team()) if one.deployment_id == deployment.id],
    )
