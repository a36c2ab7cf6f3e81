"""Schemas of chat logs."""

from marshmallow import fields, validate

from dryline.schemas.base import Integer
from dryline.schemas.logs import LogSchema
from dryline.schemas.row_forms import RowForm


class ChatLogSchema(LogSchema):
    """A chat. Contract: records.chat_log."""

    user_id = fields.String(allow_none=True, metadata={"description": "id of the user on the page"})
    user_name = fields.String(allow_none=True, metadata={"description": "name of the user"})
    user_email = fields.String(allow_none=True, metadata={"description": "e-mail address of the user"})
    message_count = Integer(allow_none=True, validate=validate.Range(0))
    duration = Integer(allow_none=True, validate=validate.Range(0))
    rating = Integer(allow_none=True, metadata={"description": "rating by the user"})
    feedback = fields.String(allow_none=True, metadata={"description": "comment of the user on the chat"})


ROWS = {"chatLogs": RowForm(ChatLogSchema, "workerId", deployment_id=fields.String(allow_none=True))}
