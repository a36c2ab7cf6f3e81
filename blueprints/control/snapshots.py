"""Named snapshots, and the way back from a reset or from a change that a command made."""

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, UndoQuery, undo_name
from dryline.schemas.base import ApiSchema, Timestamp
from dryline.state import changes, snapshots, undo
from dryline.storage.current_world import current

blp = ControlArea("Control: snapshots", description="Named snapshots on disk, and the way back from a change.")


class SnapshotSchema(ApiSchema):
    """A snapshot: a named copy of the world."""

    name = fields.String(required=True)
    created_at = Timestamp(dump_only=True, metadata={"description": "time of the snapshot, in API time"})


class UndoSchema(ApiSchema):
    """The changes that can be undone."""

    keeps_snapshots = fields.Boolean(metadata={"description": "false for a temporary server"})
    snapshots = fields.List(
        fields.Nested(SnapshotSchema), metadata={"description": "snapshots from before changes, the last one first"}
    )


@blp.route("/snapshots", get="listSnapshots", post="saveSnapshot")
class Snapshots(MethodView):
    @blp.response(200, SnapshotSchema(many=True))
    def get(self):
        """List the snapshots, newest first."""
        return [vars(snapshot) for snapshot in snapshots.listing(current())]

    @blp.arguments(SnapshotSchema)
    @blp.response(201, SnapshotSchema)
    @blp.errors(409)
    def post(self, body):
        """Take a snapshot of the world.

        A snapshot of the same name is replaced. 409 if there are 200 snapshots already.
        """
        return vars(snapshots.save(current(), body["name"]))


@blp.route("/snapshots/<name>/restore", post="restoreSnapshot")
class SnapshotRestore(MethodView):
    @blp.arguments(UndoQuery, location="query")
    @blp.response(204)
    @blp.errors(409)
    def post(self, query, name):
        """Go back to a snapshot: rows, files, clock, and with a seed the ids that come next.

        404 if there is no snapshot of this name. 409 if it is damaged or of a newer version, or if another program has
        the database locked for 5 seconds; nothing has changed then.
        """
        changes.restore(current(), name, undo=undo_name(query.get("undo"), "restore"))


@blp.route("/snapshots/<name>", delete="deleteSnapshot")
class SnapshotByName(MethodView):
    @blp.response(204)
    def delete(self, name):
        """Remove a snapshot."""
        snapshots.remove(current(), name)


@blp.route("/undo", get="listUndoSnapshots", post="undoLastChange")
class Undo(MethodView):
    @blp.response(200, UndoSchema)
    def get(self):
        """List the snapshots from before resets and commands.

        The newest five are kept. `listSnapshots` has none of them; `restoreSnapshot` takes their names.
        """
        snapshots = [vars(snapshot) for snapshot in undo.listing(current())]
        return {"keeps_snapshots": not current().settings.ephemeral, "snapshots": SnapshotSchema().dump(snapshots)}

    @blp.response(200, SnapshotSchema)
    @blp.errors(404, 409)
    def post(self):
        """Undo the last reset, or the last change by a command or the console.

        The answer is the snapshot, the newest one of `listUndoSnapshots`. A second undo takes the first back.
        """
        return vars(changes.undo_last(current()))
