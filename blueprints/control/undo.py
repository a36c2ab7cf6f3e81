"""The way back from a reset, and from a change that a command made."""

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea
from dryline.blueprints.control.snapshots import SnapshotSchema
from dryline.schemas.base import ApiSchema
from dryline.state import undo
from dryline.storage.current_world import current

blp = ControlArea("Control: undo", description="The way back from a reset or a command.")


class UndoSchema(ApiSchema):
    """The changes that can be undone."""

    keeps_snapshots = fields.Boolean(
        metadata={"description": "whether resets can be undone: not those of a temporary server"}
    )
    snapshots = fields.List(
        fields.Nested(SnapshotSchema), metadata={"description": "snapshots from before changes, the last one first"}
    )


@blp.route("/undo", get="listUndoSnapshots", post="undoLastChange")
class Undo(MethodView):
    @blp.response(200, UndoSchema)
    def get(self):
        """List the snapshots from before resets and commands.

        They are no entries of `listSnapshots`. The newest five are kept. `restoreSnapshot` takes their names, too.
        """
        snapshots = [vars(snapshot) for snapshot in undo.listing(current())]
        return {"keeps_snapshots": not current().settings.ephemeral, "snapshots": SnapshotSchema().dump(snapshots)}

    @blp.response(200, SnapshotSchema)
    @blp.errors(404, 409)
    def post(self):
        """Undo the last reset, or the last change by a command or the console.

        The world goes back to the newest snapshot of `listUndoSnapshots`, which is answered. A second undo takes the
        first back. 404 if there is nothing to undo.
        """
        return vars(undo.undo(current()))
