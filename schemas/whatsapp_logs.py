"""Schemas of WhatsApp logs."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.logs import MessageLogSchema, NumberedPageSchema
from dryline.schemas.row_forms import RowForm


class WhatsappLogSchema(MessageLogSchema):
    """A WhatsApp conversation. Contract: records.whatsapp_log."""


class WhatsappLogPageSchema(NumberedPageSchema):
    """A page of WhatsApp logs."""

    data = fields.List(fields.Nested(WhatsappLogSchema), metadata={"description": "logs on this page"})


ROWS = {"whatsappLogs": RowForm(WhatsappLogSchema, "workerId", deployment_id=fields.String(allow_none=True))}
