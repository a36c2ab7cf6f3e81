"""Chat widget logs on the wire."""

from __future__ import annotations

from marshmallow import fields, validate

from dryline.schemas.base import Boolean, Integer, JsonObject
from dryline.schemas.logs import LogFilterSchema, LogSchema
from dryline.schemas.row_forms import RowForm, null_text


class ChatEmbedLogSchema(LogSchema):
    """One visit to a chat widget. Contract: records.chat_embed_log."""

    expired = Boolean(
        dump_only=True, metadata={"description": "whether the widget's session is over for lack of messages"}
    )
    session_id = fields.String(dump_only=True, allow_none=True)
    status = fields.String(dump_only=True, allow_none=True, metadata={"description": "how far the chat has come"})
    message_count = Integer(dump_only=True, allow_none=True, validate=validate.Range(0))
    duration = Integer(dump_only=True, allow_none=True, validate=validate.Range(0), metadata={"description": "seconds"})
    latency = JsonObject(dump_only=True, allow_none=True, metadata={"description": "time to an answer"})
    tool_calls = JsonObject(dump_only=True, allow_none=True, metadata={"description": "calls of functions"})
    origin_url = fields.String(dump_only=True, allow_none=True, metadata={"description": "page that the widget was on"})
    user_agent = fields.String(dump_only=True, allow_none=True, metadata={"description": "browser of the user"})


class ChatEmbedLogFilterSchema(LogFilterSchema):
    """Which of a worker's widget logs."""

    session_id = fields.String(metadata={"description": "only that session"})


ROWS = {"chatEmbedLogs": RowForm(ChatEmbedLogSchema, "workerId", deployment_id=null_text())}
