"""Schemas of chat widget logs."""

from marshmallow import fields, validate

from dryline.schemas.base import Boolean, Integer, JsonObject
from dryline.schemas.logs import LogFilterSchema, LogSchema
from dryline.schemas.row_forms import RowForm


class ChatEmbedLogSchema(LogSchema):
    """A conversation in a chat widget. Contract: records.chat_embed_log."""

    expired = Boolean(metadata={"description": "whether the widget's session has timed out"})
    session_id = fields.String(allow_none=True)
    status = fields.String(allow_none=True, metadata={"description": "status of the chat"})
    message_count = Integer(allow_none=True, validate=validate.Range(0))
    duration = Integer(allow_none=True, validate=validate.Range(0))
    latency = JsonObject(allow_none=True, metadata={"description": "time until an answer"})
    tool_calls = JsonObject(allow_none=True, metadata={"description": "function calls"})
    origin_url = fields.String(allow_none=True, metadata={"description": "page with the widget"})
    user_agent = fields.String(allow_none=True, metadata={"description": "user agent of the browser"})


class ChatEmbedLogFilterSchema(LogFilterSchema):
    """Filters of a worker's chat widget logs."""

    session_id = fields.String(metadata={"description": "only this session"})


ROWS = {"chatEmbedLogs": RowForm(ChatEmbedLogSchema, "workerId", deployment_id=fields.String(allow_none=True))}
