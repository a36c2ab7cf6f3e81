"""Schemas of the API channel's logs."""

from marshmallow import fields

from dryline.schemas.base import Integer, JsonObject
from dryline.schemas.logs import LogSchema
from dryline.schemas.row_forms import RowForm


class ApiLogSchema(LogSchema):
    """A conversation through the engine's own endpoint. Contract: records.any_log."""

    request_model = fields.String(allow_none=True, metadata={"description": "requested language model"})
    request_messages = JsonObject(allow_none=True, metadata={"description": "messages of the request"})
    response_content = fields.String(allow_none=True, metadata={"description": "text of the answer"})
    prompt_tokens = Integer(allow_none=True, metadata={"description": "tokens of the messages"})
    completion_tokens = Integer(allow_none=True, metadata={"description": "tokens of the answer"})
    total_tokens = Integer(allow_none=True, metadata={"description": "tokens of messages and answer"})


ROWS = {"apiLogs": RowForm(ApiLogSchema, "workerId", deployment_id=fields.String(allow_none=True))}
