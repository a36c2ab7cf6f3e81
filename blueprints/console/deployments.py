"""Deployments of every channel: their settings, and how these changed."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages, team
from dryline.models.campaign_progress import campaigns_of
from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import list_deployments, look_up_deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.schemas.deployment_history import DeploymentHistoryEntrySchema
from dryline.schemas.deployments_lookup import AnyDeploymentSchema

blp = Pages("deployments", path="/workers/<worker_id>/deployments", under="workers")

INCLUDED = ("success_criteria", "deployment_parameters")
# What has a place of its own on the page.
_PLACED = ("id", "name", "type", "status", "workerId", "flowId", "flowVersionId", "deploymentParameters")
HISTORY_SHOWN = 50


@blp.get("")
def show(worker_id: str) -> Any:
    """A worker's deployments."""
    worker = Worker.fetch(team(), worker_id)
    flows = {flow.id: flow for flow in Flow.listing(worker, worker_id=worker.id)}
    return render_template("deployments.html", worker=worker, deployments=list_deployments(worker), flows=flows)


@blp.get("/<deployment_id>")
def deployment(worker_id: str, deployment_id: str) -> Any:
    """One deployment."""
    worker = Worker.fetch(team(), worker_id)
    found = look_up_deployment(worker, worker.child(Deployment, deployment_id).id, INCLUDED)
    shown = AnyDeploymentSchema().dump(found)
    pinned = shown.get("flowVersionId")
    history = DeploymentHistoryEntry.of_deployment(found).slice(HISTORY_SHOWN)
    return render_template(
        "deployment.html",
        worker=worker,
        deployment=found,
        settings={name: value for name, value in shown.items() if name not in _PLACED},
        parameters=list(found.deployment_parameters),
        flow=Flow.find(id=found.flow_id, team_id=found.team_id),
        version=FlowVersion.find(id=pinned) if pinned else None,
        history=DeploymentHistoryEntrySchema().dump(list(history)),
        campaigns=[one for one in campaigns_of(team()) if one.deployment_id == found.id],
    )
