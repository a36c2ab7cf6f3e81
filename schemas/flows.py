"""Schemas of flows."""

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema, Boolean, Integer, JsonObject, OneOf, QuerySchema, Timestamp
from dryline.schemas.json_text import ObjectAsText
from dryline.schemas.row_forms import RowForm


class FlowSchema(ApiSchema):  # Contract: records.flow
    """A flow: a program of a worker in the language Based."""

    class Meta(ApiSchema.Meta):
        sometimes = ("merged_parameters",)

    id = fields.String(dump_only=True)
    version = Integer(dump_only=True, validate=validate.Range(1))
    name = fields.String(required=True)
    label = fields.String(required=True, allow_none=True)
    code = fields.String(required=True, metadata={"description": "Based source"})
    variables: fields.Field = JsonObject(dump_only=True)
    worker_id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    last_edited_by_type = fields.String(
        dump_only=True,
        validate=OneOf("USER", "API_KEY"),
        metadata={"description": "kind of author: USER, or API_KEY for changes through this API"},
    )
    last_edited_by_user_id = fields.String(dump_only=True, allow_none=True, metadata={"description": "user, or null"})
    last_edited_by_api_key_id = fields.String(dump_only=True, allow_none=True, metadata={"description": "key, or null"})
    merged_parameters = JsonObject(
        dump_only=True,
        data_key="_mergedParameters",
        metadata={"description": "only with `deploymentId`: the variables with the deployment's parameters applied"},
    )


class FlowBody(FlowSchema):
    """A flow to create. Code is checked only with `validate`."""

    variables = ObjectAsText(metadata={"description": "object, or its JSON text"})
    validate_code = Boolean(load_only=True, data_key="validate", metadata={"default": False})


class FlowUpdateBody(FlowBody):
    """Changes of a flow."""

    commit_message = fields.String(load_only=True, metadata={"description": "message of the committed version"})


class FlowQuerySchema(QuerySchema):
    """Options for a flow."""

    version_id = fields.String(metadata={"description": "return code and variables of this version"})
    deployment_id = fields.String(metadata={"description": "add the variables with its parameters applied"})


ROWS = {"flows": RowForm(FlowSchema, "workerId name code", without="merged_parameters")}
