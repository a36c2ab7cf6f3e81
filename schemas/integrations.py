"""Schemas of integrations."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_schemas import RowSchema


class IntegrationSchema(ApiSchema):  # Contract: records.integration, updateIntegration
    """An account at a telephony provider."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("name", "description")

    id = fields.String(dump_only=True)
    app_type = fields.String(dump_only=True, metadata={"description": "telephony provider: twilio"})
    config = JsonObject(dump_only=True, metadata={"description": "the account's sid, without its token"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    name = fields.String()
    description = fields.String()
    team_id = fields.String(dump_only=True, allow_none=True)
    worker_id = fields.String(dump_only=True, allow_none=True)


class TwilioIntegrationBody(IntegrationSchema):  # Contract: createTwilioIntegration
    """A Twilio account to connect."""

    account_sid = fields.String(required=True)
    auth_token = fields.String(required=True, metadata={"description": "stored and never returned"})


ROWS = {"integrations": RowSchema(IntegrationSchema, "appType")}
