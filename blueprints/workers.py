"""Workers."""

from flask import g
from flask.views import MethodView

from dryline.models.business_hours import TeamPhoneHours
from dryline.models.tags import workers_with_tags
from dryline.models.workers import Worker
from dryline.schemas.business_hours import CallableSchema
from dryline.schemas.workers import WorkerSchema
from dryline.web.base import Area

blp = Area("Workers", "/api/workers", description="Conversational agents.")


@blp.route("", get="listWorkers", post="createWorker")
class Workers(MethodView):
    quick = True

    @blp.response(200, WorkerSchema(many=True))
    def get(self):
        """List the team's workers with their tags, newest first."""
        return workers_with_tags(g.team)

    @blp.arguments(WorkerSchema)
    @blp.response(201, WorkerSchema)
    def post(self, body):
        """Create a worker.

        A new worker has no flows. Use `createFlow` and then create a deployment. `description` and `status` may be
        null.
        """
        return Worker.add(g.team, **body)


@blp.route("/check-callable", post="checkCallable")
class CheckCallable(MethodView):
    only_reads = True

    @blp.arguments(CallableSchema)
    @blp.response(200, CallableSchema)
    @blp.errors(404)
    def post(self, body):
        """Check whether a phone number can be called at a given time.

        The answer follows from the business hours that are assigned to the number (`createTeamPhoneHours`), in their
        time zone, and includes the reason. If several business hours are assigned, one that is open is enough. 404 if
        the number has no business hours.
        """
        return TeamPhoneHours.check_callable(g.team, **body)


@blp.route("/<id>", get="getWorker", patch="updateWorker", delete="deleteWorker")
class WorkerById(MethodView):
    quick = True

    @blp.response(200, WorkerSchema)
    def get(self, id):
        """Retrieve a worker."""
        return Worker.fetch(g.team, id)

    @blp.arguments(WorkerSchema(partial=True))
    @blp.response(200, WorkerSchema)
    def patch(self, body, id):
        """Update a worker.

        Its flows and deployments do not change.
        """
        return Worker.fetch(g.team, id).change(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a worker.

        Its flows, deployments, logs, sessions, folders, resources, tests and runtime errors are deleted as well. Its
        tags remain.
        """
        Worker.fetch(g.team, id).remove()
