"""Chat logs on the wire."""

from __future__ import annotations

from marshmallow import fields, validate

from dryline.schemas.base import Integer
from dryline.schemas.logs import LogSchema
from dryline.schemas.row_forms import RowForm, null_text


class ChatLogSchema(LogSchema):
    """One chat. Contract: records.chat_log."""

    user_id = fields.String(
        dump_only=True, allow_none=True, metadata={"description": "who wrote, as the page names them"}
    )
    user_name = fields.String(dump_only=True, allow_none=True, metadata={"description": "who wrote"})
    user_email = fields.String(dump_only=True, allow_none=True, metadata={"description": "who wrote"})
    message_count = Integer(dump_only=True, allow_none=True, validate=validate.Range(0))
    duration = Integer(dump_only=True, allow_none=True, validate=validate.Range(0), metadata={"description": "seconds"})
    rating = Integer(dump_only=True, allow_none=True, metadata={"description": "stars that the user gave"})
    feedback = fields.String(
        dump_only=True, allow_none=True, metadata={"description": "what the user said of the chat"}
    )


ROWS = {"chatLogs": RowForm(ChatLogSchema, "workerId", deployment_id=null_text())}
