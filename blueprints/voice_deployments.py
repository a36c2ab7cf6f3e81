"""Voice deployments of a worker."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.voice_deployments import VoiceDeploymentBody, VoiceDeploymentSchema, VoiceDeploymentUpdateBody

blp = Area("Voice Deployments", "/api/workers/<worker_id>/deployments/voice", description="Flows put on the phone.")


@blp.route("")
class VoiceDeployments(MethodView):
    @blp.response(200, VoiceDeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's voice deployments, newest first."""
        return VoiceDeployment.of_worker(Worker.fetch(g.team, worker_id))

    @blp.arguments(VoiceDeploymentBody)
    @blp.response(201, VoiceDeploymentSchema)
    def post(self, body, worker_id):
        """Create a voice deployment of one of the worker's flows."""
        return VoiceDeployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<deployment_id>")
class VoiceDeploymentById(MethodView):
    @blp.response(200, VoiceDeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a voice deployment."""
        return Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)

    @blp.arguments(VoiceDeploymentUpdateBody(partial=True))
    @blp.response(200, VoiceDeploymentSchema)
    def patch(self, body, worker_id, deployment_id):
        """Change the members that are sent; externalConfig is merged member by member."""
        return Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id).revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a voice deployment with its logs, webhooks, parameters and history."""
        Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id).remove()
