"""Runtime errors on the wire."""

from __future__ import annotations

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, QueryInteger, QuerySchema, Timestamp
from dryline.schemas.row_forms import RowForm


class RuntimeErrorSchema(ApiSchema):
    """An error that the engine recorded. Contract: records.runtime_error."""

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    team_id = fields.String(dump_only=True)
    worker_id = fields.String(dump_only=True)
    error = fields.String(required=True, metadata={"description": "message"})
    service = fields.String(required=True, metadata={"description": "e.g. based_engine, sms"})
    type = fields.String(required=True, metadata={"description": "error class"})
    severity = fields.String(validate=OneOf("warning", "error", "critical"))
    deployment_id = fields.String(allow_none=True)
    flow_id = fields.String(allow_none=True)
    bb_engine_session_id = fields.String(allow_none=True, metadata={"description": "session for tracing"})
    function_name = fields.String(allow_none=True)
    line_number = Integer(allow_none=True, metadata={"description": "line of Based code"})
    traceback = fields.String(allow_none=True)
    metadata = JsonObject(allow_none=True)


class RuntimeErrorBody(RuntimeErrorSchema):
    """What recording an error takes: what is not known is left out, never null. Contract: recordRuntimeError."""

    severity = fields.String(load_default="error", validate=OneOf("warning", "error", "critical"))
    deployment_id = fields.String()
    flow_id = fields.String(metadata={"description": "finds the deployment when deploymentId is missing"})
    bb_engine_session_id = fields.String(metadata={"description": "session for tracing"})
    function_name = fields.String()
    line_number = Integer(metadata={"description": "line of Based code"})
    traceback = fields.String()
    metadata = JsonObject()


class RuntimeErrorListSchema(QuerySchema):
    """Which of a worker's errors, and which part of the list."""

    deployment_id = fields.String(metadata={"description": "only that deployment"})
    type = fields.String(metadata={"description": "only that error class"})
    service = fields.String(metadata={"description": "only that service"})
    severity = fields.String(metadata={"description": "only that severity"})
    limit = QueryInteger(load_default=50, validate=validate.Range(0, 100))
    offset = QueryInteger(load_default=0, validate=validate.Range(0))


ROWS = {"runtimeErrors": RowForm(RuntimeErrorSchema, "workerId error service type")}
