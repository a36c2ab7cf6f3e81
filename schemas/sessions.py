"""Sessions on the wire, in snake_case."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number
from dryline.schemas.row_forms import RowForm


class SessionSchema(ApiSchema):
    """One run of a flow. Contract: records.session."""

    id = fields.String(dump_only=True)
    status = fields.String(dump_only=True, allow_none=True, metadata={"description": "how far the session has come"})
    state = JsonObject(dump_only=True, allow_none=True, metadata={"description": "the flow's variables at the end"})
    messages = fields.List(JsonObject(), dump_only=True, allow_none=True)
    trace = fields.List(
        JsonObject(), dump_only=True, allow_none=True, metadata={"description": "what the engine did, step by step"}
    )
    input_tokens = Integer(dump_only=True, allow_none=True, data_key="input_tokens")
    output_tokens = Integer(dump_only=True, allow_none=True, data_key="output_tokens")
    minutes = Number(dump_only=True, allow_none=True)
    session_start = fields.String(
        dump_only=True, allow_none=True, data_key="session_start", metadata={"description": "when it began"}
    )
    session_end = fields.String(
        dump_only=True, allow_none=True, data_key="session_end", metadata={"description": "when it was over"}
    )
    flow_id = fields.String(
        dump_only=True, allow_none=True, data_key="flow_id", metadata={"description": "flow that ran"}
    )
    worker_id = fields.String(
        dump_only=True, allow_none=True, data_key="worker_id", metadata={"description": "worker that it belongs to"}
    )
    error = JsonObject(dump_only=True, allow_none=True, metadata={"description": "what went wrong, in a sentence"})


ROWS = {"sessions": RowForm(SessionSchema, "worker_id")}
