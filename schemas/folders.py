"""Schemas of folders."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_schemas import RowSchema


class FolderSchema(ApiSchema):  # Contract: records.folder; the body is the client's
    """A folder for knowledge resources."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("description",)

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    name = fields.String(required=True, metadata={"description": "name, unique in the worker"})
    worker_id = fields.String(dump_only=True)
    description = fields.String()
    graph_metadata = JsonObject(dump_only=True, allow_none=True)


ROWS = {"folders": RowSchema(FolderSchema, "workerId name")}
