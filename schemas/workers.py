"""Workers on the wire."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_forms import RowForm
from dryline.schemas.tags import TagSchema


class WorkerSchema(ApiSchema):
    """A conversational agent. Contract: records.worker; createWorker wants all three members, two of them nullable."""

    class Meta(ApiSchema.Meta):
        sometimes = ("tags",)

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    name = fields.String(required=True)
    description = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, allow_none=True)
    engine_version = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    last_refreshed_at = Timestamp(dump_only=True, allow_none=True)
    icon = fields.String(dump_only=True, allow_none=True)
    visualizations = JsonObject(dump_only=True, allow_none=True)
    tags = fields.List(fields.Nested(TagSchema), dump_only=True, metadata={"description": "only in the list"})


ROWS = {"workers": RowForm(WorkerSchema, "name", without="tags")}
