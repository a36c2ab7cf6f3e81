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


@blp.route("/link", get="listLinkResources", post="createLinkResource")
class LinkResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id):
        """List a worker's links, newest first.

        Pages and sitemaps, of every folder.
        """
        return Resource.of(Worker.fetch(g.team, worker_id), *LINKS)

    @blp.arguments(LinkResourceBodySchema)
    @blp.response(201, ResourceSchema)
    def post(self, body, worker_id):
        """Create a link resource.

        Nothing is fetched: the link is known by name and address. It is PROCESSING after 1 s of API time and
        AVAILABLE after 3 s; FAILED where the address is no http(s) one. 404 for a folder that the worker does not
        have.
        """
        return Resource.link(Worker.fetch(g.team, worker_id), **body)


@blp.route("/file", get="listFileResources", post="createFileResource")
class FileResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id):
        """List a worker's files, newest first.

        Of every folder.
        """
        return Resource.of(Worker.fetch(g.team, worker_id), "FILE")

    @blp.arguments(FileResourceBodySchema)
    @blp.response(201, ResourceSchema)
    def post(self, body, worker_id):
        """Create a file resource, whose bytes were put to an upload address before.

        Its bytes were put to the address of `getResourceUploadUrl` before; `s3FilePath` is that address without its
        query. AVAILABLE after 3 s of API time, FAILED where nothing came there. 404 for a folder that the worker
        does not have.
        """
        return Resource.file(Worker.fetch(g.team, worker_id), **body)


@blp.route("/query", post="queryResources")
class ResourceQuery(MethodView):
    @blp.arguments(ResourceQuerySchema)
    @blp.response(200, ResourceQueryResultSchema)
    def post(self, body, worker_id):
        """Ask the worker's resources a question.

        The best passages of what is AVAILABLE, by rank (BM25), make the answer: no language model is asked. `topK`
        is 10 unless sent. 404 for a folder that there is not.
        """
        return {"data": resource_search.ask(Worker.fetch(g.team, worker_id), **body)}


@blp.route("/<resource_id>", get="getResource", delete="deleteResource")
class ResourceById(MethodView):
    @blp.response(200, ResourceSchema)
    def get(self, worker_id, resource_id):
        """Retrieve a resource.

        Poll it until it is AVAILABLE or FAILED. A file's bytes are at `signedS3FilePath`.
        """
        return Worker.fetch(g.team, worker_id).child(Resource, resource_id)

    @blp.response(204)
    def delete(self, worker_id, resource_id):
        """Delete a resource and its bytes.

        The bytes go where no other resource of the worker has them.
        """
        Worker.fetch(g.team, worker_id).child(Resource, resource_id).remove()


@blp.route("/<resource_id>/move", post="moveResource")
class ResourceMove(MethodView):
    @blp.arguments(ResourceMoveSchema)
    @blp.response(200, ResourceSchema)
    def post(self, body, worker_id, resource_id):
        """Move a resource into another folder, or out of its folder.

        `folderId` null, or left out, takes it out. 404 for a folder that the worker does not have.
        """
        return Worker.fetch(g.team, worker_id).child(Resource, resource_id).move(body["folder_id"])
