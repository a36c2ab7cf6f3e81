"""Voice deployments of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.voice_deployments import VoiceDeploymentBody, VoiceDeploymentSchema, VoiceDeploymentUpdateBody
from dryline.web.base import Area

blp = Area(
    "Voice Deployments",
    "/api/workers/<worker_id>/deployments/voice",
    description="Flows deployed to telephone numbers.",
)


@blp.route("", get="listVoiceDeployments", post="createVoiceDeployment")
class VoiceDeployments(MethodView):
    @blp.response(200, VoiceDeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's voice deployments, newest first."""
        return VoiceDeployment.of_worker(Worker.fetch(g.team, worker_id))

    @blp.arguments(VoiceDeploymentBody)
    @blp.response(201, VoiceDeploymentSchema)
    def post(self, body, worker_id):
        """Create a voice deployment.

        `flowId` must be a flow of the worker, otherwise 404. If `externalConfig` has no `engineVersion`, the worker's
        is used. Campaigns, batch calls, live calls and `POST /_dryline/simulate/calls` create calls.
        """
        return VoiceDeployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<deployment_id>", get="getVoiceDeployment", patch="updateVoiceDeployment", delete="deleteVoiceDeployment")
class VoiceDeploymentById(MethodView):
    quick = True

    @blp.response(200, VoiceDeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a voice deployment."""
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)

    @blp.arguments(VoiceDeploymentUpdateBody(partial=True))
    @blp.response(200, VoiceDeploymentSchema)
    def patch(self, body, worker_id, deployment_id):
        """Update a voice deployment.

        `externalConfig` is merged field by field; `extractions`, `successCriteria` and `customWebhooks` are replaced.
        The deployment's history records each change.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).revise(g.author, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a voice deployment.

        Its logs, sessions, webhooks, parameters, history, checks and campaigns are deleted as well.
        """
        Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).remove()
