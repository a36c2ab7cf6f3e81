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


@blp.route(
    "/team/default-checks", get="getTeamDefaultChecks", post="initTeamDefaultChecks", put="updateTeamDefaultChecks"
)
class TeamDefaultChecks(MethodView):
    @blp.response(200, DefaultChecksSchema)
    @blp.errors(404)
    def get(self):
        """Retrieve the team's checks.

        404 until they were first set.
        """
        return DefaultChecks.of_team(g.team)

    @blp.response(201, DefaultChecksSchema)
    @blp.alt_response(200, schema=DefaultChecksSchema, success=True, description="The team had checks already.")
    def post(self):
        """Give the team the start values, unless it has checks.

        200 with the checks as they are where it has some.
        """
        checks, new = DefaultChecks.begin(g.team)
        return checks, 201 if new else 200

    @blp.arguments(DefaultChecksSchema(partial=True))
    @blp.response(200, DefaultChecksSchema)
    def put(self, body):
        """Change the team's checks.

        Members that are left out keep their value, or, where the team has none, get the start value.
        """
        return DefaultChecks.put(g.team, **body)


@blp.route(
    "/workers/<worker_id>/deployments/<deployment_id>/default-checks",
    get="getDeploymentDefaultChecks",
    put="updateDeploymentDefaultChecks",
    delete="deleteDeploymentDefaultChecks",
)
class DeploymentChecks(MethodView):
    @blp.response(200, DeploymentDefaultChecksSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve the checks as they apply to a deployment: the team's, overlaid with its own.

        `overridden` names what is the deployment's own. Where the team has no checks, the start values show
        through.
        """
        return checks_of(Worker.fetch(g.team, worker_id).child(Deployment, deployment_id))

    @blp.arguments(DeploymentDefaultChecksSchema(partial=True))
    @blp.response(200, DeploymentDefaultChecksSchema)
    def put(self, body, worker_id, deployment_id):
        """Override checks for a deployment.

        What is left out stays as it was, the team's or overridden.
        """
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        DeploymentDefaultChecks.put(deployment, **body)
        return checks_of(deployment)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Drop a deployment's overrides.

        The team's values apply again; 204 also where there were none.
        """
        DeploymentDefaultChecks.drop(Worker.fetch(g.team, worker_id).child(Deployment, deployment_id))
