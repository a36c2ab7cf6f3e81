"""Named save points."""

from __future__ import annotations

from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea
from dryline.jobs import exports
from dryline.models import snapshots
from dryline.models.world import current
from dryline.schemas.snapshots import SnapshotSchema

blp = ControlArea("Control: snapshots", "/_dryline/snapshots", description="Named save points, kept on disk.")


@blp.route("")
class Snapshots(MethodView):
    @blp.response(200, SnapshotSchema(many=True))
    def get(self):
        """List the save points, newest first."""
        return [vars(found) for found in snapshots.listing(current())]

    @blp.arguments(SnapshotSchema)
    @blp.response(201, SnapshotSchema)
    def post(self, body):
        """Keep the world under a name; the same name again replaces it."""
        return vars(snapshots.save(current(), body["name"]))


@blp.route("/<name>/restore")
class SnapshotRestore(MethodView):
    @blp.response(204)
    @blp.errors(404, 409)
    def post(self, name):
        """Go back to a save point: rows, export files, clock, and with a seed the ids that come next."""
        snapshots.restore(current(), name)
        exports.recover(current())


@blp.route("/<name>")
class SnapshotByName(MethodView):
    @blp.response(204)
    def delete(self, name):
        """Drop a save point."""
        snapshots.remove(current(), name)
