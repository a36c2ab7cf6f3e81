"""Committed versions of a flow."""

from flask import g
from flask.views import MethodView

from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.schemas.base import WindowSchema
from dryline.schemas.flow_versions import FlowVersionPageSchema, FlowVersionSchema
from dryline.web.base import Area

blp = Area(
    "Flow Versions", "/api/workers/<worker_id>/flows/<flow_id>/versions", description="Committed versions of a flow."
)


@blp.route("", get="listFlowVersions", post="commitFlowVersion")
class FlowVersions(MethodView):
    @blp.arguments(WindowSchema, location="query")
    @blp.response(200, FlowVersionPageSchema)
    def get(self, query, worker_id, flow_id):
        """List a flow's versions, highest number first.

        Each version includes its code.
        """
        flow = Worker.fetch(g.team, worker_id).child(Flow, flow_id)
        return FlowVersion.listing(flow, flow_id=flow.id).page(**query)

    @blp.arguments(FlowVersionSchema)
    @blp.response(201, FlowVersionSchema)
    def post(self, body, worker_id, flow_id):
        """Commit the flow's current code and variables as a new version.

        The first version has number 1. Updates of a flow commit a version by themselves; use this operation to commit a
        flow that was never updated, or to add a commit message.
        """
        flow = Worker.fetch(g.team, worker_id).child(Flow, flow_id)
        return FlowVersion.commit(flow, g.author, body["commit_message"])


@blp.route("/<version_id>", get="getFlowVersion")
class FlowVersionById(MethodView):
    @blp.response(200, FlowVersionSchema)
    def get(self, worker_id, flow_id, version_id):
        """Retrieve a version with its code and variables."""
        return Worker.fetch(g.team, worker_id).child(Flow, flow_id).child(FlowVersion, version_id)
