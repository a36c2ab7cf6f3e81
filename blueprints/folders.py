"""Folders of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.folders import Folder
from dryline.models.resources import Resource
from dryline.models.workers import Worker
from dryline.schemas.folders import FolderSchema
from dryline.schemas.resources import ResourceSchema
from dryline.web.base import Area

blp = Area("Folders", "/api/workers/<worker_id>/folders", description="Folders for a worker's resources.")


@blp.route("", get="listFolders", post="createFolder")
class Folders(MethodView):
    @blp.response(200, FolderSchema(many=True))
    def get(self, worker_id):
        """List a worker's folders, newest first."""
        worker = Worker.fetch(g.team, worker_id)
        return Folder.listing(worker, worker_id=worker.id)

    @blp.arguments(FolderSchema)
    @blp.response(201, FolderSchema)
    @blp.errors(409)
    def post(self, body, worker_id):
        """Create a folder.

        409 if the worker has a folder of this name.
        """
        return Folder.define(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<folder_id>", get="getFolder", put="updateFolder", delete="deleteFolder")
class FolderById(MethodView):
    quick = True

    @blp.response(200, FolderSchema)
    def get(self, worker_id, folder_id):
        """Retrieve a folder."""
        return Worker.fetch(g.team, worker_id).child(Folder, folder_id)

    @blp.arguments(FolderSchema(partial=True))
    @blp.response(200, FolderSchema)
    @blp.errors(409)
    def put(self, body, worker_id, folder_id):
        """Update a folder.

        409 if another folder of the worker has the name.
        """
        return Worker.fetch(g.team, worker_id).child(Folder, folder_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, folder_id):
        """Delete a folder.

        Its resources remain, in no folder.
        """
        Worker.fetch(g.team, worker_id).child(Folder, folder_id).remove()


@blp.route("/<folder_id>/resources", get="listFolderResources")
class FolderResources(MethodView):
    @blp.response(200, ResourceSchema(many=True))
    def get(self, worker_id, folder_id):
        """List the resources in a folder, newest first."""
        worker = Worker.fetch(g.team, worker_id)
        return Resource.of_types(worker, folder_id=worker.child(Folder, folder_id).id)
