"""Runtime errors of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.workers import Worker
from dryline.schemas.runtime_errors import RuntimeErrorListSchema, RuntimeErrorSchema
from dryline.web.base import Area

blp = Area("Runtime Errors", "/api/workers/<worker_id>/runtime-errors", description="Runtime errors of flows.")


@blp.route("", get="listRuntimeErrors", post="recordRuntimeError")
class RuntimeErrors(MethodView):
    @blp.arguments(RuntimeErrorListSchema, location="query")
    @blp.response(200, RuntimeErrorSchema(many=True))
    def get(self, query, worker_id):
        """List a worker's runtime errors, newest first.

        `service`, `severity` and `type` are filters.
        """
        return RuntimeErrorRecord.of_worker(Worker.fetch(g.team, worker_id), **query)

    @blp.arguments(RuntimeErrorSchema)
    @blp.response(201, RuntimeErrorSchema)
    def post(self, body, worker_id):
        """Record a runtime error.

        Without `deploymentId`, the newest deployment of the flow in `flowId` is used. 404 if the worker has no such
        deployment or flow.
        """
        return RuntimeErrorRecord.record(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<error_id>", get="getRuntimeError")
class RuntimeErrorById(MethodView):
    @blp.response(200, RuntimeErrorSchema)
    def get(self, worker_id, error_id):
        """Retrieve a runtime error with its traceback."""
        return Worker.fetch(g.team, worker_id).child(RuntimeErrorRecord, error_id)
