"""Schemas of folders."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_forms import RowForm


class FolderSchema(ApiSchema):  # Contract: records.folder
    """A folder for knowledge resources."""

    id = fields.String()
    created_at = Timestamp()
    updated_at = Timestamp()
    name = fields.String(metadata={"description": "name, unique in the worker"})
    worker_id = fields.String()
    description = fields.String(allow_none=True)
    graph_metadata = JsonObject(allow_none=True)


class FolderBodySchema(ApiSchema):  # From the client
    """A folder to create or update. The description may be left out but not null."""

    name = fields.String(required=True)
    description = fields.String()


ROWS = {"folders": RowForm(FolderSchema, "workerId name")}
