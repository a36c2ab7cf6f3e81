"""Named save points."""

from __future__ import annotations

from flask import request
from flask.views import MethodView

from dryline.blueprints import files
from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.blueprints.control.state import NO_LIMIT
from dryline.schemas.snapshots import SnapshotSchema
from dryline.state import snapshots
from dryline.storage.current_world import current

FILE = "application/gzip"
BYTES = "application/octet-stream"  # the type that is sent does not matter: the content is checked

blp = ControlArea("Control: snapshots", "/_dryline/snapshots", description="Named save points, kept on disk.")


@blp.route("", get="listSnapshots", post="saveSnapshot")
class Snapshots(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, SnapshotSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the save points, newest first.

        With `team`, those of one team.
        """
        return [vars(found) for found in snapshots.listing(current(), query.get("team"))]

    @blp.arguments(TeamQuery, location="query")
    @blp.arguments(SnapshotSchema)
    @blp.response(201, SnapshotSchema)
    @blp.errors(404)
    def post(self, query, body):
        """Keep the world, or one team's part of it, under a name; the same name again replaces it.

        A team's save point holds its part alone.
        """
        return vars(snapshots.save(current(), body["name"], query.get("team")))


@blp.route("/<name>/restore", post="restoreSnapshot")
class SnapshotRestore(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    @blp.errors(409)
    def post(self, query, name):
        """Go back to a save point: rows, export files, clock, and with a seed the ids that come next.

        404 where there is none of this name. 409 where it is damaged or of another version, or where another team
        has what it holds.
        """
        world = current()
        if "team" in query:
            snapshots.restore_team(world, name, query["team"])
        else:
            snapshots.restore(world, name)


@blp.route("/<name>/file", get="getSnapshotFile", put="putSnapshotFile")
class SnapshotFile(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, {"type": "string", "format": "binary"}, content_type=FILE)
    def get(self, query, name):
        """Fetch a save point as one file, which another server can load.

        With `team`, the file holds that team's part alone.
        """
        with snapshots.packed(current(), name, query.get("team")) as path:
            return files.send_once(path, FILE, f"{name}.tar.gz")

    @blp.arguments(TeamQuery, location="query")
    @blp.doc(requestBody={"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}})
    @blp.response(201, SnapshotSchema)
    @blp.errors(404, 409)
    def put(self, query, name):
        """Keep such a file as a save point; restoring it is another request.

        A file of an older dryline is brought up to date. 409 for one that is damaged or of a newer dryline, or that
        holds a team's part where a world's is wanted.
        """
        request.max_content_length = NO_LIMIT
        return vars(snapshots.read_file(current(), name, request.stream, query.get("team")))


@blp.route("/<name>", delete="deleteSnapshot")
class SnapshotByName(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    def delete(self, query, name):
        """Drop a save point.

        404 where there is none of this name.
        """
        snapshots.remove(current(), name, query.get("team"))
