"""Schemas of the logs of SMS, of WhatsApp and of the API channel."""

from marshmallow import fields

from dryline.schemas.base import Integer, JsonObject
from dryline.schemas.logs import LogSchema, NumberedPageSchema
from dryline.schemas.row_forms import RowForm
from dryline.storage import json_shapes


class MessageLogSchema(LogSchema):
    """The members of SMS and WhatsApp logs."""

    from_number = fields.String(allow_none=True)
    to_number = fields.String(allow_none=True)
    direction = fields.String(allow_none=True)
    transcription = fields.String(allow_none=True)
    status = fields.String(allow_none=True, metadata={"description": "status of the conversation"})


class SmsLogSchema(MessageLogSchema):  # Contract: records.sms_log
    """An SMS conversation."""


class SmsLogPageSchema(NumberedPageSchema):
    """A page of SMS logs."""

    data = fields.List(fields.Nested(SmsLogSchema), metadata={"description": "logs on this page"})


class WhatsappLogSchema(MessageLogSchema):  # Contract: records.whatsapp_log
    """A WhatsApp conversation."""


class WhatsappLogPageSchema(NumberedPageSchema):
    """A page of WhatsApp logs."""

    data = fields.List(fields.Nested(WhatsappLogSchema), metadata={"description": "logs on this page"})


class ApiLogSchema(LogSchema):  # Contract: records.any_log
    """A conversation through the engine's own endpoint."""

    request_model = fields.String(allow_none=True, metadata={"description": "requested language model"})
    request_messages = JsonObject(allow_none=True, metadata={"description": "messages of the request"})
    response_content = fields.String(allow_none=True, metadata={"description": "text of the answer"})
    prompt_tokens = Integer(allow_none=True, metadata={"description": "tokens of the messages"})
    completion_tokens = Integer(allow_none=True, metadata={"description": "tokens of the answer"})
    total_tokens = Integer(allow_none=True, metadata={"description": "tokens of messages and answer"})


ROWS = {
    "smsLogs": RowForm(SmsLogSchema, "workerId", shapes=json_shapes.LOG),
    "whatsappLogs": RowForm(WhatsappLogSchema, "workerId", shapes=json_shapes.LOG),
    "apiLogs": RowForm(ApiLogSchema, "workerId", shapes=json_shapes.LOG),
}
