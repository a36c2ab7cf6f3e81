"""Flows of a worker."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.deployment_parameters import show_flow
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.schemas.flows import FlowBody, FlowQuerySchema, FlowSchema, FlowUpdateBody
from dryline.storage.current_world import current

blp = Area("Flows", "/api/workers/<worker_id>/flows", description="The Based programs of a worker.")


@blp.route("", get="listFlows", post="createFlow")
class Flows(MethodView):
    @blp.response(200, FlowSchema(many=True))
    def get(self, worker_id):
        """List a worker's flows, newest first.

        All of them, without pages, each with its code.
        """
        return Flow.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(FlowBody)
    @blp.response(201, FlowSchema)
    def post(self, body, worker_id):
        """Create a flow.

        `code` is Based, `variables` an object or its JSON text. No version is committed yet. With `validate`, code
        that cannot run is a 400 whose details name line and column. What follows is a deployment of the flow.
        """
        worker = Worker.fetch(g.team, worker_id)
        _demand_sound(body.pop("validate_code", False), body["code"])
        return Flow.write(worker, g.key, **body)


@blp.route("/<flow_id>", get="getFlow", patch="updateFlow", delete="deleteFlow")
class FlowById(MethodView):
    @blp.arguments(FlowQuerySchema, location="query")
    @blp.response(200, FlowSchema)
    def get(self, query, worker_id, flow_id):
        """Retrieve a flow, as it is or as a version has it.

        `versionId` shows code and variables of a version, `deploymentId` adds `_mergedParameters`: the variables,
        overridden by the parameters of that deployment.
        """
        return show_flow(Worker.fetch(g.team, worker_id).child(Flow, flow_id), **query)

    @blp.arguments(FlowUpdateBody(partial=True))
    @blp.response(200, FlowSchema)
    def patch(self, body, worker_id, flow_id):
        """Change a flow.

        Members that are left out keep their value; null clears one that may be null. A change of code or variables
        counts `version` up and commits a version, with `commitMessage`; what is deployed without a fixed version
        follows at once. With `validate`, code that cannot run is a 400.
        """
        flow = Worker.fetch(g.team, worker_id).child(Flow, flow_id)
        _demand_sound(body.pop("validate_code", False), body.get("code", flow.code))
        return flow.revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, flow_id):
        """Delete a flow and its versions.

        Its deployments, tests and logs stay, and name what is gone.
        """
        Worker.fetch(g.team, worker_id).child(Flow, flow_id).remove()


def _demand_sound(asked, code):
    if asked:
        from dryline.flow_sessions.engines import demand_sound  # imported late: a start does not need it

        demand_sound(current(), code)
