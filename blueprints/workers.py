"""Workers."""

from __future__ import annotations

from dryline.blueprints.base import Area
from dryline.models.tags import workers_with_tags
from dryline.models.workers import Worker
from dryline.schemas.workers import WorkerSchema
from flask import g
from flask.views import MethodView

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
