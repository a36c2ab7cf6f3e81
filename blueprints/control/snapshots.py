"""Named snapshots."""

from flask import request, send_file
from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, TeamQuery, TeamUndoQuery, undoable_if
from dryline.blueprints.control.state import NO_LIMIT
from dryline.schemas.base import ApiSchema, Timestamp
from dryline.state import snapshots
from dryline.storage.current_world import current

FILE = "application/gzip"
BYTES = "application/octet-stream"  # the type that is sent does not matter: the content is checked

blp = ControlArea("Control: snapshots", "/_dryline/snapshots", description="Named snapshots on disk.")


class SnapshotSchema(ApiSchema):
    """A snapshot: a named copy of a world or a team."""

    name = fields.String(required=True)
    created_at = Timestamp(dump_only=True, metadata={"description": "time of the snapshot, in API time"})


@blp.route("", get="listSnapshots", post="saveSnapshot")
class Snapshots(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, SnapshotSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the snapshots, newest first.

        `team` lists the snapshots of that team.
        """
        return [vars(snapshot) for snapshot in snapshots.listing(current(), query.get("team"))]

    @blp.arguments(TeamQuery, location="query")
    @blp.arguments(SnapshotSchema)
    @blp.response(201, SnapshotSchema)
    @blp.errors(404, 409)
    def post(self, query, body):
        """Take a snapshot of the world, or of one team.

        A snapshot of the same name is replaced. Restoring a team's snapshot changes that team only. 409 if there are
        200 snapshots already.
        """
        return vars(snapshots.save(current(), body["name"], query.get("team")))


@blp.route("/<name>/restore", post="restoreSnapshot")
class SnapshotRestore(MethodView):
    @blp.arguments(TeamUndoQuery, location="query")
    @blp.response(204)
    @blp.errors(409)
    def post(self, query, name):
        """Go back to a snapshot: rows, files, clock, and with a seed the ids that come next.

        404 if there is no snapshot of this name. 409 if it is damaged or of a newer version, or if another team has one
        of its ids or keys.
        """
        world, team_id = current(), query.get("team")
        with undoable_if(query.get("undo"), "restore", team_id):
            if team_id is None:
                snapshots.restore(world, name)
            else:
                snapshots.restore_team(world, name, team_id)


@blp.route("/<name>/file", get="getSnapshotFile", put="putSnapshotFile")
class SnapshotFile(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, {"type": "string", "format": "binary"}, content_type=FILE)
    def get(self, query, name):
        """Download a snapshot as one file, which another server can load.

        The file of a team's snapshot has only that team.
        """
        with snapshots.packed(current(), name, query.get("team")) as path:
            return send_file(
                path, FILE, as_attachment=True, download_name=f"{name}.tar.gz", conditional=False, etag=False
            )

    @blp.arguments(TeamQuery, location="query")
    @blp.doc(requestBody={"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}})
    @blp.response(201, SnapshotSchema)
    @blp.errors(404, 409)
    def put(self, query, name):
        """Store such a file as a snapshot, without restoring it.

        With `team` it becomes a snapshot of that team, which need not exist. A file of an older dryline is brought up
        to date. 409 for a file that is damaged, of a newer dryline, of another team, or without this team.
        """
        request.max_content_length = NO_LIMIT
        return vars(snapshots.read_file(current(), name, request.stream, query.get("team")))


@blp.route("/<name>", delete="deleteSnapshot")
class SnapshotByName(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    def delete(self, query, name):
        """Remove a snapshot."""
        snapshots.remove(current(), name, query.get("team"))
