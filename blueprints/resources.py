"""Knowledge resources of a worker: links, files, and queries over them."""

from flask import g
from flask.views import MethodView

from dryline.models import resource_search
from dryline.models.resources import LINKS, Resource
from dryline.models.workers import Worker
from dryline.schemas.resources import (
    FileResourceBody,
    LinkResourceBody,
    ResourceMoveSchema,
    ResourceQueryResultSchema,
    ResourceQuerySchema,
    ResourceSchema,
)
from dryline.web.base import Area
from dryline.web.links import with_file_url

blp = Area(
    "Resources", "/api/workers/<worker_id>/resources", description="Knowledge resources of a worker: links and files."
)


@blp.route("/link", get="listLinkResources", post="createLinkResource")
class LinkResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id):
        """List a worker's links, newest first."""
        return Resource.of_types(Worker.fetch(g.team, worker_id), *LINKS)

    @blp.arguments(LinkResourceBody)
    @blp.response(201, ResourceSchema)
    def post(self, body, worker_id):
        """Create a link resource.

        The link is not fetched. The resource is PROCESSING after 1 second of API time and AVAILABLE after 3 seconds, or
        FAILED if the URL is not http or https. 404 if the worker has no such folder.
        """
        return Resource.create_link(Worker.fetch(g.team, worker_id), **body)


@blp.route("/file", get="listFileResources", post="createFileResource")
class FileResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id):
        """List a worker's files, newest first."""
        return [with_file_url(file) for file in Resource.of_types(Worker.fetch(g.team, worker_id), "FILE")]

    @blp.arguments(FileResourceBody)
    @blp.response(201, ResourceSchema)
    def post(self, body, worker_id):
        """Create a file resource from an upload.

        First send the bytes to the URL from `getResourceUploadUrl`. `s3FilePath` is that URL without its query. The
        resource is AVAILABLE after 3 seconds of API time, or FAILED if nothing was uploaded. 404 if the worker has no
        such folder.
        """
        return with_file_url(Resource.create_file(Worker.fetch(g.team, worker_id), **body))


@blp.route("/query", post="queryResources")
class ResourceQuery(MethodView):
    only_reads = True

    @blp.arguments(ResourceQuerySchema)
    @blp.response(200, ResourceQueryResultSchema)
    def post(self, body, worker_id):
        """Ask the worker's resources a question.

        The answer consists of the best passages of the AVAILABLE resources, ranked with BM25. No language model is
        involved. `topK` is 10 by default. 404 if there is no such folder.
        """
        return {"data": resource_search.answer_query(Worker.fetch(g.team, worker_id), **body)}


@blp.route("/<resource_id>", get="getResource", delete="deleteResource")
class ResourceById(MethodView):
    quick = True

    @blp.response(200, ResourceSchema)
    def get(self, worker_id, resource_id):
        """Retrieve a resource.

        Poll this operation until `status` is AVAILABLE or FAILED. A file's bytes are at `signedS3FilePath`.
        """
        return with_file_url(Worker.fetch(g.team, worker_id).child(Resource, resource_id))

    @blp.response(204)
    def delete(self, worker_id, resource_id):
        """Delete a resource.

        Its uploaded bytes are deleted unless another resource of the worker uses them.
        """
        Worker.fetch(g.team, worker_id).child(Resource, resource_id).remove()


@blp.route("/<resource_id>/move", post="moveResource")
class ResourceMove(MethodView):
    requires_body = True

    @blp.arguments(ResourceMoveSchema)
    @blp.response(200, ResourceSchema)
    def post(self, body, worker_id, resource_id):
        """Move a resource into or out of a folder.

        Without `folderId`, or with null, the resource is in no folder. 404 if the worker has no such folder.
        """
        return with_file_url(Worker.fetch(g.team, worker_id).child(Resource, resource_id).move(body["folder_id"]))
