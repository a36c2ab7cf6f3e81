"""Voice V1 (legacy) deployments of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.workers import Worker
from dryline.schemas.voicev1_deployments import (
    VoiceV1DeploymentBody,
    VoiceV1DeploymentSchema,
    VoiceV1DeploymentUpdateBody,
)
from dryline.web.base import Area

blp = Area(
    "Voice V1 Deployments",
    "/api/workers/<worker_id>/deployments/voicev1",
    description="Flows deployed to telephone numbers, in the legacy format.",
)


@blp.route("", get="listVoiceV1Deployments", post="createVoiceV1Deployment")
class VoiceV1Deployments(MethodView):
    @blp.response(200, VoiceV1DeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's legacy voice deployments, newest first."""
        return VoiceV1Deployment.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(VoiceV1DeploymentBody)
    @blp.response(201, VoiceV1DeploymentSchema)
    def post(self, body, worker_id):
        """Create a legacy voice deployment.

        Only `extractions` may be omitted; send null for other fields without a value. `flowId` must be a flow of the
        worker, otherwise 404.
        """
        return VoiceV1Deployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route(
    "/<deployment_id>", get="getVoiceV1Deployment", put="updateVoiceV1Deployment", delete="deleteVoiceV1Deployment"
)
class VoiceV1DeploymentById(MethodView):
    quick = True

    @blp.response(200, VoiceV1DeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a legacy voice deployment."""
        return Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)

    @blp.arguments(VoiceV1DeploymentUpdateBody(partial=True))
    @blp.response(200, VoiceV1DeploymentSchema)
    def put(self, body, worker_id, deployment_id):
        """Update a legacy voice deployment.

        The deployment's history records each change.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id).revise(g.author, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a legacy voice deployment.

        Its logs, sessions, parameters, history, checks and campaigns are deleted as well.
        """
        Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id).remove()
