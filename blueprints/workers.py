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


@blp.route("")
class Workers(MethodView):
    @blp.response(200, WorkerSchema(many=True))
    def get(self):
        """List the team's workers, newest first, each with its tags."""
        return workers_with_tags(g.team)

    @blp.arguments(WorkerSchema)
    @blp.response(201, WorkerSchema)
    def post(self, body):
        """Create a worker."""
        return Worker.add(g.team, **body)


@blp.route("/check-callable")
class CheckCallable(MethodView):
    @blp.arguments(CallableSchema)
    @blp.response(200, CallableSchema)
    @blp.errors(404)
    def post(self, body):
        """Say whether a number can be called at a time, by its business hours, and why."""
        return TeamPhoneHours.check_callable(g.team, **body)


@blp.route("/<id>")
class WorkerById(MethodView):
    @blp.response(200, WorkerSchema)
    def get(self, id):
        """Retrieve a worker."""
        return Worker.fetch(g.team, id)

    @blp.arguments(WorkerSchema(partial=True))
    @blp.response(200, WorkerSchema)
    def patch(self, body, id):
        """Change the members that are sent."""
        return Worker.fetch(g.team, id).change(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a worker and everything that hangs on it."""
        Worker.fetch(g.team, id).remove()
