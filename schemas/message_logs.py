"""Schemas of SMS and WhatsApp logs."""

from marshmallow import fields

from dryline.schemas.logs import LogSchema, NumberedPageSchema
from dryline.schemas.row_forms import RowForm


class MessageLogSchema(LogSchema):
    """The members of SMS and WhatsApp logs."""

    from_number = fields.String(allow_none=True)
    to_number = fields.String(allow_none=True)
    direction = fields.String(allow_none=True)
    transcription = fields.String(allow_none=True)
    status = fields.String(allow_none=True, metadata={"description": "status of the conversation"})


class SmsLogSchema(MessageLogSchema):
    """An SMS conversation. Contract: records.sms_log."""


class SmsLogPageSchema(NumberedPageSchema):
    """A page of SMS logs."""

    data = fields.List(fields.Nested(SmsLogSchema), metadata={"description": "logs on this page"})


class WhatsappLogSchema(MessageLogSchema):
    """A WhatsApp conversation. Contract: records.whatsapp_log."""


class WhatsappLogPageSchema(NumberedPageSchema):
    """A page of WhatsApp logs."""

    data = fields.List(fields.Nested(WhatsappLogSchema), metadata={"description": "logs on this page"})


ROWS = {
    "smsLogs": RowForm(SmsLogSchema, "workerId", deployment_id=fields.String(allow_none=True)),
    "whatsappLogs": RowForm(WhatsappLogSchema, "workerId", deployment_id=fields.String(allow_none=True)),
}
