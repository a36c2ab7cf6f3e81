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
from dryline.world.world import current

blp = ControlArea("Control: moves", MOVES.rstrip("/"), description="Teams that move to another server.")

FILE = "application/gzip"
BYTES = "application/octet-stream"  # any type will do: what it is is looked at


class MoveQuery(QuerySchema):
    """Which move a file is of."""

    move = fields.String(required=True)


@blp.route("/<team_id>", get="getMove", post="holdTeam", delete="endMove")
class Move(MethodView):
    @blp.response(200, WhereSchema)
    def get(self, team_id):
        """Say how far it is."""
        return moves.where(current(), team_id)

    @blp.response(201, CopySchema)
    @blp.errors(409)
    def post(self, team_id):
        """Hold the team and copy it: for five minutes of real time at most, unless the move goes on."""
        return moves.hold(current(), team_id)

    @blp.response(204)
    def delete(self, team_id):
        """Give the move up; where the team has gone, drop the copy that was kept."""
        moves.let_go(current(), team_id)


@blp.route("/<team_id>/file", get="getTeamFile", put="putTeamFile")
class MoveFile(MethodView):
    @blp.response(200, {"type": "string", "format": "binary"}, content_type=FILE)
    def get(self, team_id):
        """Fetch the copy."""
        return files.send_once(moves.copy_of(current(), team_id), FILE, "team.tar.gz")

    @blp.arguments(MoveQuery, location="query")
    @blp.doc(requestBody={"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}})
    @blp.response(201, CopySchema)
    @blp.errors(409)
    def put(self, query, team_id):
        """Keep another server's copy here, not yet live, and check it."""
        request.max_content_length = NO_LIMIT
        about = moves.receive(current(), team_id, query["move"], request.stream)
        return about | {"address": base_url(), "node": current().settings.node}


@blp.route("/<team_id>/hand-over", post="handTeamOver")
class MoveHandOver(MethodView):
    @blp.arguments(HandOverBody)
    @blp.response(204)
    @blp.errors(409)
    def post(self, body, team_id):
        """From now on the team lives at the target's address; who brings one of its keys is sent there."""
        moves.hand_over(current(), team_id, body["move"], body["digest"], body["address"], body["node"])


@blp.route("/<team_id>/take", post="takeTeam")
class MoveTake(MethodView):
    @blp.arguments(MoveBody)
    @blp.response(204)
    @blp.errors(409)
    def post(self, body, team_id):
        """Let the copy live: the team is here."""
        moves.take(current(), team_id, body["move"])


@blp.route("/<team_id>/take-back", post="takeTeamBack")
class MoveTakeBack(MethodView):
    @blp.response(204)
    @blp.errors(409)
    def post(self, team_id):
        """The target could not take it: the team is here again."""
        moves.take_back(current(), team_id)
