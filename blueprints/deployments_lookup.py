"""Any deployment of the team by its id alone."""

from flask import g
from flask.views import MethodView

from dryline.models.deployments_lookup import look_up_deployment
from dryline.schemas.deployments_lookup import AnyDeploymentSchema, LookupQuerySchema
from dryline.web.base import Area

blp = Area("Deployments", "/api/deployments", description="Any deployment of the team by its id alone.")


@blp.route("/<deployment_id>", get="lookupDeployment")
class DeploymentLookup(MethodView):
    @blp.arguments(LookupQuerySchema, location="query")
    @blp.response(200, AnyDeploymentSchema)
    def get(self, query, deployment_id):
        """Retrieve any deployment of the team.

        `type` is the deployment's channel; the other fields are those of the channel. `include` adds related records:
        `sentinelAssignments`, `successCriteria`, `deploymentParameters`.
        """
        return look_up_deployment(g.team, deployment_id, **query)
