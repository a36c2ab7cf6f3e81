"""A team's move from server to server on the control plane's wire."""

from __future__ import annotations

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema
from dryline.schemas.row_forms import Digest


class CopySchema(ApiSchema):
    """What the copy of a team says of itself."""

    class Meta(ApiSchema.Meta):
        sometimes = ("address", "node")

    move = fields.String(metadata={"description": "the move's id, which every further step names"})
    team = fields.String(metadata={"description": "the team's id"})
    name = fields.String(metadata={"description": "the team's name"})
    digest = fields.String(metadata={"description": "of all that its rows hold"})
    rows = fields.Dict(keys=fields.String(), values=fields.Integer(), metadata={"description": "how many, by table"})
    clock = fields.String(metadata={"description": "the source's clock"})
    address = fields.String(metadata={"description": "at the target: where clients reach it"})
    node = fields.String(allow_none=True, metadata={"description": "at the target: its name"})


class WhereSchema(ApiSchema):
    """How far a team's move is, as this server sees it; members are ids of moves."""

    here = fields.Boolean(metadata={"description": "whether the team is on this server"})
    held = fields.String(allow_none=True, metadata={"description": "the move that it is held for"})
    gone = fields.String(allow_none=True, metadata={"description": "the move by which it has gone"})
    address = fields.String(allow_none=True, metadata={"description": "where it has gone"})
    kept = fields.Boolean(metadata={"description": "whether the file of a team that has gone is still kept"})
    arriving = fields.String(allow_none=True, metadata={"description": "the move whose copy waits here"})
    arrived = fields.String(allow_none=True, metadata={"description": "the move that brought it"})


class MoveBody(ApiSchema):
    """Which move is meant."""

    move = fields.String(required=True, validate=validate.Length(1), metadata={"description": "the move's id"})


class HandOverBody(MoveBody):
    """What the target has."""

    digest = Digest(required=True, metadata={"description": "of the copy that it has checked"})
    address = fields.Url(
        required=True, require_tld=False, schemes={"http", "https"}, metadata={"description": "where clients reach it"}
    )
    node = fields.String(load_default=None, allow_none=True, metadata={"description": "its name, if it has one"})
