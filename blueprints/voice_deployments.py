"""Voice deployments of a worker."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.voice_deployments import VoiceDeploymentBody, VoiceDeploymentSchema, VoiceDeploymentUpdateBody

blp = Area("Voice Deployments", "/api/workers/<worker_id>/deployments/voice", description="Flows put on the phone.")


@blp.route("", get="listVoiceDeployments", post="createVoiceDeployment")
class VoiceDeployments(MethodView):
    @blp.response(200, VoiceDeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's voice deployments, newest first.

        All of them, without pages, each with its webhooks.
        """
        return VoiceDeployment.of_worker(Worker.fetch(g.team, worker_id))

    @blp.arguments(VoiceDeploymentBody)
    @blp.response(201, VoiceDeploymentSchema)
    def post(self, body, worker_id):
        """Create a voice deployment of one of the worker's flows.

        `flowId` is one of the worker's flows, else 404. Where `externalConfig` has no `engineVersion`, the worker's
        is copied. Calls come in through campaigns, batches, live calls or `POST /_dryline/simulate/calls`.
        """
        return VoiceDeployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<deployment_id>", get="getVoiceDeployment", patch="updateVoiceDeployment", delete="deleteVoiceDeployment")
class VoiceDeploymentById(MethodView):
    @blp.response(200, VoiceDeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a voice deployment.

        404 where the worker has none of this id.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)

    @blp.arguments(VoiceDeploymentUpdateBody(partial=True))
    @blp.response(200, VoiceDeploymentSchema)
    def patch(self, body, worker_id, deployment_id):
        """Change a voice deployment.

        Members that are left out keep their value; null clears one that may be null. `externalConfig` is merged
        member by member; `extractions`, `successCriteria` and `customWebhooks` take the place of what was there.
        Each change is written to the deployment's history.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a voice deployment.

        Its logs with their sessions, its webhooks, parameters, history, checks and campaigns go with it.
        """
        Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).remove()
