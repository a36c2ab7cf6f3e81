"""Tags of the team and of workers."""

from flask import g
from flask.views import MethodView

from dryline.models.tags import Tag, WorkerTag
from dryline.models.workers import Worker
from dryline.schemas.tags import TagAssignmentSchema, TagSchema
from dryline.web.base import Area

blp = Area("Tags", "/api", description="Tags of the team and of its workers.")


@blp.route("/team/tags", get="listTags", post="createTag")
class Tags(MethodView):
    quick = True

    @blp.response(200, TagSchema(many=True))
    def get(self):
        """List the team's tags, newest first."""
        return Tag.listing(g.team)

    @blp.arguments(TagSchema)
    @blp.response(201, TagSchema)
    @blp.errors(409)
    def post(self, body):
        """Create a tag.

        409 if the team has a tag with this label.
        """
        return Tag.define(g.team, **body)


@blp.route("/team/tags/<tag_id>", patch="updateTag", delete="deleteTag")
class TagById(MethodView):
    @blp.arguments(TagSchema(partial=True))
    @blp.response(200, TagSchema)
    @blp.errors(409)
    def patch(self, body, tag_id):
        """Update a tag's label or color.

        The change shows on all workers with the tag. 409 if another tag of the team has the label.
        """
        return Tag.fetch(g.team, tag_id).revise(**body)

    @blp.response(204)
    def delete(self, tag_id):
        """Delete a tag.

        It is removed from all workers.
        """
        Tag.fetch(g.team, tag_id).remove()


@blp.route("/workers/<worker_id>/tags", get="listWorkerTags", post="assignTag")
class WorkerTags(MethodView):
    quick = True

    @blp.response(200, TagSchema(many=True))
    def get(self, worker_id):
        """List a worker's tags."""
        return Tag.of_worker(Worker.fetch(g.team, worker_id))

    @blp.arguments(TagAssignmentSchema)
    @blp.response(201, TagSchema)
    @blp.alt_response(200, schema=TagSchema, success=True, description="The worker has the tag already.")
    def post(self, body, worker_id):
        """Add a tag to a worker.

        200 if the worker has the tag already, 404 naming `tagId` if the team has no such tag.
        """
        worker = Worker.fetch(g.team, worker_id)
        tag = Tag.fetch(g.team, body["tag_id"], field="tag_id")
        return (tag, 201) if tag.assign(worker) else (tag, 200)


@blp.route("/workers/<worker_id>/tags/<tag_id>", delete="removeTag")
class WorkerTagById(MethodView):
    @blp.response(204)
    def delete(self, worker_id, tag_id):
        """Remove a tag from a worker.

        The tag itself remains. 404 if the worker does not have it.
        """
        WorkerTag.take_off(Worker.fetch(g.team, worker_id), tag_id)
