"""Parameters of a deployment of any channel."""

from flask import g
from flask.views import MethodView

from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.deployments import Deployment
from dryline.models.workers import Worker
from dryline.schemas.deployment_parameters import DeploymentParameterBody, DeploymentParameterSchema
from dryline.web.base import Area

blp = Area(
    "Deployment Parameters",
    "/api/workers/<worker_id>/deployments/<deployment_id>/params",
    description="Parameters of a deployment, which override its flow's variables.",
)


@blp.route("", get="listDeploymentParameters", post="createDeploymentParameter")
class DeploymentParameters(MethodView):
    @blp.response(200, DeploymentParameterSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a deployment's parameters, newest first."""
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        return DeploymentParameter.of_deployment(deployment)

    @blp.arguments(DeploymentParameterBody)
    @blp.response(201, DeploymentParameterSchema)
    @blp.errors(409)
    def post(self, body, worker_id, deployment_id):
        """Create a parameter.

        It overrides the flow's variable of the same name. 409 if the deployment has a parameter of this name. The
        deployment's history records the change.
        """
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        return DeploymentParameter.define(deployment, g.author, **body)


@blp.route("/<param_id>", patch="updateDeploymentParameter", delete="deleteDeploymentParameter")
class DeploymentParameterById(MethodView):
    @blp.arguments(DeploymentParameterBody(partial=True))
    @blp.response(200, DeploymentParameterSchema)
    @blp.errors(409)
    def patch(self, body, worker_id, deployment_id, param_id):
        """Update a parameter's name, value or description.

        409 if another parameter of the deployment has the name. The deployment's history records the change.
        """
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        return deployment.child(DeploymentParameter, param_id).revise(deployment, g.author, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, param_id):
        """Delete a parameter.

        The flow's own variable applies again. The deployment's history records the change.
        """
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        deployment.child(DeploymentParameter, param_id).withdraw(deployment, g.author)
