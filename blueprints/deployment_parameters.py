"""Parameters of a deployment of any channel."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.deployments import Deployment
from dryline.models.workers import Worker
from dryline.schemas.deployment_parameters import DeploymentParameterBody, DeploymentParameterSchema

blp = Area(
    "Deployment Parameters",
    "/api/workers/<worker_id>/deployments/<deployment_id>/params",
    description="Named values of a deployment, which override its flow's variables.",
)


@blp.route("")
class DeploymentParameters(MethodView):
    @blp.response(200, DeploymentParameterSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a deployment's parameters, newest first."""
        deployment = Worker.fetch(g.team, worker_id).its(Deployment, deployment_id)
        return DeploymentParameter.of_deployment(deployment)

    @blp.arguments(DeploymentParameterBody)
    @blp.response(201, DeploymentParameterSchema)
    @blp.errors(409)
    def post(self, body, worker_id, deployment_id):
        """Create a parameter."""
        deployment = Worker.fetch(g.team, worker_id).its(Deployment, deployment_id)
        return DeploymentParameter.define(deployment, g.key, **body)


@blp.route("/<param_id>")
class DeploymentParameterById(MethodView):
    @blp.arguments(DeploymentParameterBody(partial=True))
    @blp.response(200, DeploymentParameterSchema)
    @blp.errors(409)
    def patch(self, body, worker_id, deployment_id, param_id):
        """Change a parameter's name, value or description."""
        deployment = Worker.fetch(g.team, worker_id).its(Deployment, deployment_id)
        return deployment.its(DeploymentParameter, param_id).revise(deployment, g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, param_id):
        """Delete a parameter."""
        deployment = Worker.fetch(g.team, worker_id).its(Deployment, deployment_id)
        deployment.its(DeploymentParameter, param_id).withdraw(deployment, g.key)
