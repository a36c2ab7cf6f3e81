"""Telephone numbers on the wire."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Boolean, JsonObject, QuerySchema, Timestamp


class PhoneNumberQuery(QuerySchema):
    """Which numbers to list."""

    integration_id = fields.String(metadata={"description": "only numbers of that integration"})


class PhoneNumberRegistrationBody(ApiSchema):
    """A number of the team's own provider account. Contract: registerPhoneNumber."""

    phone_number = fields.String(required=True)
    integration_id = fields.String(required=True)


class PhoneNumberPurchaseBody(ApiSchema):
    """Numbers to buy. Contract: purchasePhoneNumbers."""

    phone_numbers = fields.List(fields.String(), required=True, metadata={"description": "in E.164 form"})
    integration_id = fields.String()


class PhoneNumberSchema(ApiSchema):
    """A number of the team. Contract: records.phone_number."""

    id = fields.String(dump_only=True)
    phone_number = fields.String(dump_only=True, metadata={"description": "in E.164 form"})
    provider = fields.String(dump_only=True, metadata={"description": "brainbase (bought) or twilio (imported)"})
    a2p_verified = Boolean(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    integration_id = fields.String(dump_only=True, allow_none=True)
    worker_id = fields.String(dump_only=True, allow_none=True)
    team_id = fields.String(dump_only=True, allow_none=True)
    country_code = fields.String(dump_only=True, allow_none=True)
    caller_name = fields.String(dump_only=True, allow_none=True)
    metadata = JsonObject(dump_only=True, allow_none=True)
