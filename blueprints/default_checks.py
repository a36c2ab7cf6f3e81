"""Default checks of the team and of single deployments."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.default_checks import DefaultChecks, DeploymentDefaultChecks, checks_of
from dryline.models.deployments import Deployment
from dryline.models.workers import Worker
from dryline.schemas.default_checks import DefaultChecksSchema, DeploymentDefaultChecksSchema

blp = Area("Default Checks", "/api", description="What is watched in calls, for the team and for deployments.")


@blp.route("/team/default-checks")
class TeamDefaultChecks(MethodView):
    @blp.response(200, DefaultChecksSchema)
    @blp.errors(404)
    def get(self):
        """Retrieve the team's checks."""
        return DefaultChecks.of_team(g.team)

    @blp.response(201, DefaultChecksSchema)
    @blp.alt_response(200, schema=DefaultChecksSchema, success=True, description="The team had checks already.")
    def post(self):
        """Give the team the start values, unless it has checks."""
        checks, new = DefaultChecks.begin(g.team)
        return checks, 201 if new else 200

    @blp.arguments(DefaultChecksSchema(partial=True))
    @blp.response(200, DefaultChecksSchema)
    def put(self, body):
        """Change the members that are sent, beginning with the start values."""
        return DefaultChecks.put(g.team, **body)


@blp.route("/workers/<worker_id>/deployments/<deployment_id>/default-checks")
class DeploymentChecks(MethodView):
    @blp.response(200, DeploymentDefaultChecksSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve the checks as they apply to a deployment: the team's, overlaid with its own."""
        return checks_of(Worker.fetch(g.team, worker_id).its(Deployment, deployment_id))

    @blp.arguments(DeploymentDefaultChecksSchema(partial=True))
    @blp.response(200, DeploymentDefaultChecksSchema)
    def put(self, body, worker_id, deployment_id):
        """Override the members that are sent for a deployment."""
        deployment = Worker.fetch(g.team, worker_id).its(Deployment, deployment_id)
        DeploymentDefaultChecks.put(deployment, **body)
        return checks_of(deployment)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Drop a deployment's overrides; the team's values apply again."""
        DeploymentDefaultChecks.drop(Worker.fetch(g.team, worker_id).its(Deployment, deployment_id))
