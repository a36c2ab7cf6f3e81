"""Flows of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.deployment_parameters import apply_version_and_parameters
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.schemas.flows import FlowBody, FlowQuerySchema, FlowSchema, FlowUpdateBody
from dryline.storage.current_world import current
from dryline.web.base import Area

blp = Area("Flows", "/api/workers/<worker_id>/flows", description="Flows of a worker: programs in the language Based.")


@blp.route("", get="listFlows", post="createFlow")
class Flows(MethodView):
    @blp.response(200, FlowSchema(many=True))
    def get(self, worker_id):
        """List a worker's flows, newest first."""
        return Flow.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(FlowBody)
    @blp.response(201, FlowSchema)
    def post(self, body, worker_id):
        """Create a flow.

        `code` is written in Based. `variables` is an object or its JSON text. No version is committed. With `validate`,
        code that cannot run is a 400 whose details have line and column. Create a deployment to use the flow.
        """
        worker = Worker.fetch(g.team, worker_id)
        if body.pop("validate_code", False):
            _require_valid(body["code"], body.get("variables") or {})
        return Flow.write(worker, g.author, **body)


@blp.route("/<flow_id>", get="getFlow", patch="updateFlow", delete="deleteFlow")
class FlowById(MethodView):
    @blp.arguments(FlowQuerySchema, location="query")
    @blp.response(200, FlowSchema)
    def get(self, query, worker_id, flow_id):
        """Retrieve a flow.

        `versionId` returns code and variables of that version. `deploymentId` adds `_mergedParameters`: the flow's
        variables with the deployment's parameters applied.
        """
        return apply_version_and_parameters(Worker.fetch(g.team, worker_id).child(Flow, flow_id), **query)

    @blp.arguments(FlowUpdateBody(partial=True))
    @blp.response(200, FlowSchema)
    def patch(self, body, worker_id, flow_id):
        """Update a flow.

        If code or variables change, `version` is incremented and a version is committed with `commitMessage`.
        Deployments without a fixed version use the new code at once. With `validate`, code is a 400 that cannot run, or
        that needs a variable which neither the flow nor one of its deployments has.
        """
        flow = Worker.fetch(g.team, worker_id).child(Flow, flow_id)
        if body.pop("validate_code", False):
            _require_valid(body.get("code", flow.code), body.get("variables", flow.variables), flow)
        return flow.revise(g.author, **body)

    @blp.response(204)
    def delete(self, worker_id, flow_id):
        """Delete a flow and its versions.

        Its deployments, tests and logs remain and keep the flow's id.
        """
        Worker.fetch(g.team, worker_id).child(Flow, flow_id).remove()


def _require_valid(code, variables, flow=None):
    from dryline.flow.sessions.flow_checks import require_valid_code  # noqa: PLC0415  # 48 ms

    require_valid_code(current(), code, variables, flow)
