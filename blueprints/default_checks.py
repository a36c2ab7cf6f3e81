"""Default checks of the team and of single deployments."""

from flask import g
from flask.views import MethodView

from dryline.models.default_checks import DefaultChecks, DeploymentDefaultChecks, checks_of
from dryline.models.deployments import Deployment
from dryline.models.workers import Worker
from dryline.schemas.default_checks import DefaultChecksSchema, DeploymentDefaultChecksSchema
from dryline.web.base import Area

blp = Area("Default Checks", "/api", description="Checks that apply to calls, for the team and for deployments.")


@blp.route(
    "/team/default-checks", get="getTeamDefaultChecks", post="initTeamDefaultChecks", put="updateTeamDefaultChecks"
)
class TeamDefaultChecks(MethodView):
    @blp.response(200, DefaultChecksSchema)
    @blp.errors(404)
    def get(self):
        """Retrieve the team's default checks.

        404 until they are set for the first time.
        """
        return DefaultChecks.of_team(g.team)

    @blp.response(201, DefaultChecksSchema)
    @blp.alt_response(200, schema=DefaultChecksSchema, success=True, description="The team has checks already.")
    def post(self):
        """Create the team's default checks with the initial values.

        If the team already has checks, they are returned unchanged with status 200.
        """
        checks, new = DefaultChecks.find_or_add(g.team)
        return checks, 201 if new else 200

    @blp.arguments(DefaultChecksSchema(partial=True))
    @blp.response(200, DefaultChecksSchema)
    def put(self, body):
        """Update the team's default checks.

        If the team has no checks yet, fields that are left out get their initial value.
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
        """Retrieve the checks that apply to a deployment.

        These are the team's checks, or the initial values if the team has none, with the deployment's overrides.
        `overridden` names the overridden fields.
        """
        return checks_of(Worker.fetch(g.team, worker_id).child(Deployment, deployment_id))

    @blp.arguments(DeploymentDefaultChecksSchema(partial=True))
    @blp.response(200, DeploymentDefaultChecksSchema)
    def put(self, body, worker_id, deployment_id):
        """Override checks for a deployment.

        Fields that are left out stay as they are, overridden or not.
        """
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        DeploymentDefaultChecks.put(deployment, **body)
        return checks_of(deployment)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Remove a deployment's overrides.

        The team's checks apply again. The answer is 204 even if there were no overrides.
        """
        DeploymentDefaultChecks.remove_where(id=Worker.fetch(g.team, worker_id).child(Deployment, deployment_id).id)
