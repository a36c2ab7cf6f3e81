"""Knowledge resources of a worker: links, files, and queries over them."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models import resource_search
from dryline.models.resources import LINKS, Resource
from dryline.models.workers import Worker
from dryline.schemas.resources import (
    FileResourceBodySchema,
    LinkResourceBodySchema,
    ResourceMoveSchema,
    ResourceQueryResultSchema,
    ResourceQuerySchema,
    ResourceSchema,
)

blp = Area(
    "Resources", "/api/workers/<worker_id>/resources", description="Links and files that a worker looks things up in."
)


@blp.route("/link")
class LinkResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id):
        """List a worker's links, newest first."""
        return Resource.of(Worker.fetch(g.team, worker_id), *LINKS)

    @blp.arguments(LinkResourceBodySchema)
    @blp.response(201, ResourceSchema)
    def post(self, body, worker_id):
        """Create a link resource."""
        return Resource.link(Worker.fetch(g.team, worker_id), **body)


@blp.route("/file")
class FileResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id):
        """List a worker's files, newest first."""
        return Resource.of(Worker.fetch(g.team, worker_id), "FILE")

    @blp.arguments(FileResourceBodySchema)
    @blp.response(201, ResourceSchema)
    def post(self, body, worker_id):
        """Create a file resource, whose bytes were put to an upload address before."""
        return Resource.file(Worker.fetch(g.team, worker_id), **body)


@blp.route("/query")
class ResourceQuery(MethodView):
    @blp.arguments(ResourceQuerySchema)
    @blp.response(200, ResourceQueryResultSchema)
    def post(self, body, worker_id):
        """Ask the worker's resources a question."""
        return {"data": resource_search.ask(Worker.fetch(g.team, worker_id), **body)}


@blp.route("/<resource_id>")
class ResourceById(MethodView):
    @blp.response(200, ResourceSchema)
    def get(self, worker_id, resource_id):
        """Retrieve a resource."""
        return Worker.fetch(g.team, worker_id).its(Resource, resource_id)

    @blp.response(204)
    def delete(self, worker_id, resource_id):
        """Delete a resource and its bytes."""
        Worker.fetch(g.team, worker_id).its(Resource, resource_id).remove()


@blp.route("/<resource_id>/move")
class ResourceMove(MethodView):
    @blp.arguments(ResourceMoveSchema)
    @blp.response(200, ResourceSchema)
    def post(self, body, worker_id, resource_id):
        """Move a resource into another folder, or out of its folder."""
        return Worker.fetch(g.team, worker_id).its(Resource, resource_id).move(body["folder_id"])
