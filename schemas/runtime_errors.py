"""Schemas of runtime errors."""

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, QueryInteger, QuerySchema, Timestamp
from dryline.schemas.row_schemas import RowSchema


class RuntimeErrorSchema(ApiSchema):  # Contract: records.runtime_error, recordRuntimeError
    """An error of a flow, recorded by the engine."""

    class Meta(ApiSchema.Meta):
        null_in_answers = (
            *("deployment_id", "flow_id", "bb_engine_session_id", "function_name", "line_number", "traceback"),
            "metadata",
        )

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    team_id = fields.String(dump_only=True)
    worker_id = fields.String(dump_only=True)
    error = fields.String(required=True, metadata={"description": "error message"})
    service = fields.String(required=True, metadata={"description": "service, such as based_engine or sms"})
    type = fields.String(required=True, metadata={"description": "class of the error"})
    severity = fields.String(load_default="error", validate=OneOf("warning", "error", "critical"))
    deployment_id = fields.String()
    flow_id = fields.String(
        metadata={"description": "flow of the error; in a body without `deploymentId` its newest deployment is meant"}
    )
    bb_engine_session_id = fields.String(metadata={"description": "id of the session"})
    function_name = fields.String()
    line_number = Integer(metadata={"description": "line of the flow's code"})
    traceback = fields.String()
    metadata = JsonObject()


class RuntimeErrorListSchema(QuerySchema):
    """Filters and page of a worker's runtime errors."""

    deployment_id = fields.String(metadata={"description": "only this deployment"})
    type = fields.String(metadata={"description": "only errors of this class"})
    service = fields.String(metadata={"description": "only errors of this service"})
    severity = fields.String(metadata={"description": "only errors of this severity"})
    limit = QueryInteger(load_default=50, validate=validate.Range(0, 100))
    offset = QueryInteger(load_default=0, validate=validate.Range(0))


ROWS = {"runtimeErrors": RowSchema(RuntimeErrorSchema, "workerId error service type")}
