"""Schemas of snapshots."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Timestamp


class SnapshotSchema(ApiSchema):
    """A snapshot: a named copy of a world or a team."""

    name = fields.String(required=True)
    created_at = Timestamp(dump_only=True, metadata={"description": "time of the snapshot, in API time"})
