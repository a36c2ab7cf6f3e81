"""Schemas of workers."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_schemas import RowSchema
from dryline.schemas.tags import TagSchema


class WorkerSchema(ApiSchema):  # Contract: records.worker; createWorker requires three fields, two of them nullable
    """A conversational agent."""

    class Meta(ApiSchema.Meta):
        sometimes = ("tags",)

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    name = fields.String(required=True)
    description = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, allow_none=True, metadata={"description": "any text, such as `active`"})
    engine_version = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    last_refreshed_at = Timestamp(dump_only=True, allow_none=True, metadata={"description": "always null here"})
    icon = fields.String(dump_only=True, allow_none=True, metadata={"description": "always null here"})
    visualizations = JsonObject(dump_only=True, allow_none=True, metadata={"description": "always null here"})
    tags = fields.List(fields.Nested(TagSchema), dump_only=True, metadata={"description": "only in lists"})


ROWS = {"workers": RowSchema(WorkerSchema, "name", without="tags")}
