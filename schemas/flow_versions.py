"""Schemas of flow versions."""

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, PageSchema, Timestamp
from dryline.schemas.row_schemas import RowSchema


class FlowVersionSchema(ApiSchema):  # Contract: records.flow_version
    """A committed version of a flow."""

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    flow_id = fields.String(dump_only=True)
    version_number = Integer(dump_only=True, validate=validate.Range(1), metadata={"description": "number, from 1"})
    code = fields.String(dump_only=True)
    variables = JsonObject(dump_only=True)
    commit_message = fields.String(required=True)
    author_type = fields.String(dump_only=True, validate=OneOf("USER", "API_KEY"))
    author_user_id = fields.String(dump_only=True, allow_none=True)
    author_api_key_id = fields.String(dump_only=True, allow_none=True)


class FlowVersionPageSchema(PageSchema):
    """A page of versions, highest number first."""

    data = fields.List(fields.Nested(FlowVersionSchema), metadata={"description": "versions on this page"})


ROWS = {"flowVersions": RowSchema(FlowVersionSchema, "flowId versionNumber code")}
