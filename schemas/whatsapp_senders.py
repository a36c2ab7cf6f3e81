"""Schemas of WhatsApp senders."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, PartSchema, Timestamp
from dryline.schemas.json_text import StoredAsSent
from dryline.schemas.row_schemas import RowSchema


class WhatsappProfileSchema(PartSchema):  # Contract: purchaseWhatsappSender, profile
    """The profile of a sender."""

    name = fields.String(required=True)
    about = fields.String(metadata={"description": "text below the name"})
    address = fields.String(metadata={"description": "postal address"})
    description = fields.String()
    emails = fields.List(fields.String(), metadata={"description": "e-mail addresses"})
    logo_url = fields.String(metadata={"description": "URL of the picture"})
    vertical = fields.String(metadata={"description": "business category"})
    websites = fields.List(fields.String(), metadata={"description": "websites"})


class WhatsappSenderSchema(ApiSchema):  # Contract: records.whatsapp_sender, purchaseWhatsappSender
    """A WhatsApp sender."""

    sender_sid = fields.String(dump_only=True, attribute="id")
    phone_number = fields.String(required=True, metadata={"description": "in E.164 form"})
    status = fields.String(dump_only=True, metadata={"description": "status: PENDING, ONLINE or FAILED"})
    profile = StoredAsSent(WhatsappProfileSchema, required=True, metadata={"description": "stored as sent"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


ROWS = {"whatsappSenders": RowSchema(WhatsappSenderSchema, "phoneNumber", id="senderSid", team_id=fields.String())}
