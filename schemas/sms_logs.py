"""Schemas of SMS logs."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.logs import MessageLogSchema, NumberedPageSchema
from dryline.schemas.row_forms import RowForm


class SmsLogSchema(MessageLogSchema):
    """An SMS conversation. Contract: records.sms_log."""


class SmsLogPageSchema(NumberedPageSchema):
    """A page of SMS logs."""

    data = fields.List(fields.Nested(SmsLogSchema), metadata={"description": "logs on this page"})


ROWS = {"smsLogs": RowForm(SmsLogSchema, "workerId", deployment_id=fields.String(allow_none=True))}
