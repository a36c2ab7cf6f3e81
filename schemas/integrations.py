"""Schemas of integrations."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_schemas import RowSchema


class IntegrationBody(ApiSchema):  # Contract: updateIntegration
    """Changes of an integration."""

    name = fields.String()
    description = fields.String()


class TwilioIntegrationBody(IntegrationBody):  # Contract: createTwilioIntegration
    """A Twilio account to connect."""

    account_sid = fields.String(required=True)
    auth_token = fields.String(required=True, metadata={"description": "stored and never returned"})


class IntegrationSchema(ApiSchema):  # Contract: records.integration
    """An account at a telephony provider."""

    id = fields.String()
    app_type = fields.String(metadata={"description": "telephony provider: twilio"})
    config = JsonObject(metadata={"description": "the account's sid, without its token"})
    created_at = Timestamp()
    updated_at = Timestamp()
    name = fields.String(allow_none=True)
    description = fields.String(allow_none=True)
    team_id = fields.String(allow_none=True)
    worker_id = fields.String(allow_none=True)


ROWS = {"integrations": RowSchema(IntegrationSchema, "appType")}
