"""Schemas of the logs of chats and chat widgets."""

from marshmallow import fields, validate

from dryline.schemas.base import Boolean, Integer, JsonObject
from dryline.schemas.logs import LogFilterSchema, LogSchema
from dryline.schemas.row_forms import RowForm
from dryline.storage import json_shapes


class ChatLogSchema(LogSchema):  # Contract: records.chat_log
    """A chat."""

    user_id = fields.String(allow_none=True, metadata={"description": "id of the user on the page"})
    user_name = fields.String(allow_none=True, metadata={"description": "name of the user"})
    user_email = fields.String(allow_none=True, metadata={"description": "e-mail address of the user"})
    message_count = Integer(allow_none=True, validate=validate.Range(0))
    duration = Integer(allow_none=True, validate=validate.Range(0))
    rating = Integer(allow_none=True, metadata={"description": "rating by the user"})
    feedback = fields.String(allow_none=True, metadata={"description": "comment of the user on the chat"})


class ChatEmbedLogSchema(LogSchema):  # Contract: records.chat_embed_log
    """A conversation in a chat widget."""

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


ROWS = {
    "chatLogs": RowForm(ChatLogSchema, "workerId", shapes=json_shapes.LOG),
    "chatEmbedLogs": RowForm(ChatEmbedLogSchema, "workerId", shapes=json_shapes.CHAT_EMBED_LOG),
}
