"""Voice V1 deployments of a worker."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.workers import Worker
from dryline.schemas.voicev1_deployments import (
    VoiceV1DeploymentBody,
    VoiceV1DeploymentSchema,
    VoiceV1DeploymentUpdateBody,
)

blp = Area(
    "Voice V1 Deployments",
    "/api/workers/<worker_id>/deployments/voicev1",
    description="Flows put on the phone, in the legacy form.",
)


@blp.route("")
class VoiceV1Deployments(MethodView):
    @blp.response(200, VoiceV1DeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's legacy voice deployments, newest first."""
        return VoiceV1Deployment.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(VoiceV1DeploymentBody)
    @blp.response(201, VoiceV1DeploymentSchema)
    def post(self, body, worker_id):
        """Create a legacy voice deployment of one of the worker's flows."""
        return VoiceV1Deployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<deployment_id>")
class VoiceV1DeploymentById(MethodView):
    @blp.response(200, VoiceV1DeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a legacy voice deployment."""
        return Worker.fetch(g.team, worker_id).its(VoiceV1Deployment, deployment_id)

    @blp.arguments(VoiceV1DeploymentUpdateBody(partial=True))
    @blp.response(200, VoiceV1DeploymentSchema)
    def put(self, body, worker_id, deployment_id):
        """Change the members that are sent; the others keep their value."""
        return Worker.fetch(g.team, worker_id).its(VoiceV1Deployment, deployment_id).revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a legacy voice deployment with its logs, parameters and history."""
        Worker.fetch(g.team, worker_id).its(VoiceV1Deployment, deployment_id).remove()
