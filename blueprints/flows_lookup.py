"""Any flow of the team by its id alone."""

from flask import g
from flask.views import MethodView

from dryline.models.deployment_parameters import apply_version_and_parameters
from dryline.models.flows import Flow
from dryline.schemas.flows import FlowQuerySchema, FlowSchema
from dryline.web.base import Area

blp = Area("Flows lookup", "/api/flows", description="Any flow of the team by its id alone.")


@blp.route("/<flow_id>", get="lookupFlow")
class FlowLookup(MethodView):
    @blp.arguments(FlowQuerySchema, location="query")
    @blp.response(200, FlowSchema)
    def get(self, query, flow_id):
        """Retrieve any flow of the team.

        This is `getFlow` without the worker's id.
        """
        return apply_version_and_parameters(Flow.fetch(g.team, flow_id), **query)
