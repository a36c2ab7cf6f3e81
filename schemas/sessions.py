"""Schemas of sessions, in snake_case."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number
from dryline.schemas.row_forms import RowForm
from dryline.storage import json_shapes


class SessionSchema(ApiSchema):  # Contract: records.session
    """A session: one run of a flow."""

    id = fields.String()
    status = fields.String(allow_none=True, metadata={"description": "status of the session"})
    state = JsonObject(allow_none=True, metadata={"description": "the flow's variables at its end"})
    messages = fields.List(JsonObject(), allow_none=True)
    trace = fields.List(JsonObject(), allow_none=True, metadata={"description": "steps of the engine, in order"})
    input_tokens = Integer(allow_none=True, data_key="input_tokens")
    output_tokens = Integer(allow_none=True, data_key="output_tokens")
    minutes = Number(allow_none=True)
    session_start = fields.String(
        allow_none=True, data_key="session_start", metadata={"description": "start of the session"}
    )
    session_end = fields.String(
        allow_none=True,
        data_key="session_end",
        metadata={"description": "end of the conversation; null while it is in progress"},
    )
    flow_id = fields.String(allow_none=True, data_key="flow_id", metadata={"description": "id of the flow"})
    worker_id = fields.String(allow_none=True, data_key="worker_id", metadata={"description": "worker of the record"})
    error = JsonObject(allow_none=True, metadata={"description": "description of the error, in a sentence"})


ROWS = {"sessions": RowForm(SessionSchema, "worker_id", shapes=json_shapes.SESSION)}
