"""Workers."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.business_hours import TeamPhoneHours
from dryline.models.tags import workers_with_tags
from dryline.models.workers import Worker
from dryline.schemas.business_hours import CallableSchema
from dryline.schemas.workers import WorkerSchema

blp = Area("Workers", "/api/workers", description="Conversational agents.")


@blp.route("", get="listWorkers", post="createWorker")
class Workers(MethodView):
    @blp.response(200, WorkerSchema(many=True))
    def get(self):
        """List the team's workers, newest first, each with its tags.

        All of them, without pages.
        """
        return workers_with_tags(g.team)

    @blp.arguments(WorkerSchema)
    @blp.response(201, WorkerSchema)
    def post(self, body):
        """Create a worker.

        It has no flow and no deployment yet: what follows is `createFlow`, then a deployment. `description` and
        `status` may be null.
        """
        return Worker.add(g.team, **body)


@blp.route("/check-callable", post="checkCallable")
class CheckCallable(MethodView):
    @blp.arguments(CallableSchema)
    @blp.response(200, CallableSchema)
    @blp.errors(404)
    def post(self, body):
        """Say whether a number can be called at a time, by its business hours, and why.

        The hours are those tied to the number by `createTeamPhoneHours`, read on the wall clock of their zone;
        where several tables are tied to it, one that is open is enough. 404 for a number without hours.
        """
        return TeamPhoneHours.check_callable(g.team, **body)


@blp.route("/<id>", get="getWorker", patch="updateWorker", delete="deleteWorker")
class WorkerById(MethodView):
    @blp.response(200, WorkerSchema)
    def get(self, id):
        """Retrieve a worker.

        404 where the team has none of this id.
        """
        return Worker.fetch(g.team, id)

    @blp.arguments(WorkerSchema(partial=True))
    @blp.response(200, WorkerSchema)
    def patch(self, body, id):
        """Change a worker.

        Members that are left out keep their value; null clears one that may be null.
        """
        return Worker.fetch(g.team, id).change(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a worker and everything that hangs on it.

        Its flows, deployments, logs, sessions, folders, resources, tests and runtime errors go with it, in one
        step; its tags stay.
        """
        Worker.fetch(g.team, id).remove()
