"""A team moves to another server, step by step: `dryline team move` calls these, first of one, then of the other."""

from __future__ import annotations

from flask import request
from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints import files
from dryline.blueprints.control.base import MOVES, ControlArea
from dryline.blueprints.control.state import NO_LIMIT
from dryline.blueprints.links import base_url
from dryline.schemas.base import QuerySchema
from dryline.schemas.moves import CopySchema, HandOverBody, MoveBody, WhereSchema
from dryline.state import moves
from dryline.storage.current_world import current

blp = ControlArea("Control: moves", MOVES.rstrip("/"), description="Teams that move to another server.")

FILE = "application/gzip"
BYTES = "application/octet-stream"  # any type will do: what it is is looked at


class MoveQuery(QuerySchema):
    """Which move a file is of."""

    move = fields.String(required=True, metadata={"description": "the move's id, as the source gave it"})


@blp.route("/<team_id>", get="getMove", post="holdTeam", delete="endMove")
class Move(MethodView):
    @blp.response(200, WhereSchema)
    def get(self, team_id):
        """Say how far a team's move is.

        Who asks goes on with it: a held team stays held.
        """
        return moves.where(current(), team_id)

    @blp.response(201, CopySchema)
    @blp.errors(409)
    def post(self, team_id):
        """Hold a team and copy it.

        Its writes are answered 503 until the move is over or given up, or nobody has gone on with it for five minutes
        of real time. 409 for the start team.
        """
        return moves.hold(current(), team_id)

    @blp.response(204)
    def delete(self, team_id):
        """End a team's move.

        Before the team is handed over, or taken, the move is given up. Where it has gone, the copy that was kept goes.
        """
        moves.let_go(current(), team_id)


@blp.route("/<team_id>/file", get="getTeamFile", put="putTeamFile")
class MoveFile(MethodView):
    @blp.response(200, {"type": "string", "format": "binary"}, content_type=FILE)
    def get(self, team_id):
        """Fetch the copy of a held team.

        All its rows, its keys as digests, its export files and uploads; also after it was handed over, until the end.
        """
        return files.send_once(moves.copy_of(current(), team_id), FILE, "team.tar.gz")

    @blp.arguments(MoveQuery, location="query")
    @blp.doc(requestBody={"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}})
    @blp.response(201, CopySchema)
    @blp.errors(409)
    def put(self, query, team_id):
        """Keep another server's copy here, not yet live, and check it.

        409 where it is damaged or of a newer dryline, where the team is here already, or another has one of its ids.
        """
        request.max_content_length = NO_LIMIT
        about = moves.receive(current(), team_id, query["move"], request.stream)
        return about | {"address": base_url(), "node": current().settings.node}


@blp.route("/<team_id>/hand-over", post="handTeamOver")
class MoveHandOver(MethodView):
    @blp.arguments(HandOverBody)
    @blp.response(204)
    @blp.errors(409)
    def post(self, body, team_id):
        """Hand a held team over to the server that has its copy.

        From now on it lives at that address, and who brings one of its keys is sent there. 409 where it is not held for
        this move any more, or has changed since it was copied.
        """
        moves.hand_over(current(), team_id, body["move"], body["digest"], body["address"], body["node"])


@blp.route("/<team_id>/take", post="takeTeam")
class MoveTake(MethodView):
    @blp.arguments(MoveBody)
    @blp.response(204)
    @blp.errors(409)
    def post(self, body, team_id):
        """Let the copy live: the team is here.

        404 where there is no such copy. 409 where another team has what is in it by now.
        """
        moves.take(current(), team_id, body["move"])


@blp.route("/<team_id>/take-back", post="takeTeamBack")
class MoveTakeBack(MethodView):
    @blp.response(204)
    @blp.errors(409)
    def post(self, team_id):
        """Take a team back that its target could not take.

        Where it is here, nothing happens.
        """
        moves.take_back(current(), team_id)
