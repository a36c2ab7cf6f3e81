"""Schemas of tags."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Timestamp
from dryline.schemas.row_schemas import RowSchema


class TagSchema(ApiSchema):  # Contract: records.tag
    """A tag: a label of the team for workers."""

    id = fields.String(dump_only=True)
    label = fields.String(required=True)
    color = fields.String(required=True, metadata={"description": "color in any notation, such as #ff0000"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    team_id = fields.String(dump_only=True)


class TagAssignmentSchema(ApiSchema):
    """The tag to add to a worker."""

    tag_id = fields.String(required=True)


ROWS = {
    "tags": RowSchema(TagSchema, "label color"),
    "workerTags": RowSchema(
        None, "tagId", id="workerId", worker_id=fields.String(), tag_id=fields.String(), created_at=Timestamp()
    ),
}
