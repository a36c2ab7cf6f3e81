"""Schemas of telephone numbers."""

from marshmallow import fields, validate

from dryline.schemas.base import (
    ApiSchema,
    Boolean,
    JsonObject,
    OneOf,
    QueryBoolean,
    QuerySchema,
    Timestamp,
)
from dryline.schemas.row_schemas import RowSchema


class PhoneNumberQuery(QuerySchema):
    """Filters of the list of phone numbers."""

    integration_id = fields.String(metadata={"description": "only numbers of this integration"})


class PhoneNumberRegistrationBody(ApiSchema):  # Contract: registerPhoneNumber
    """A phone number of the team's own provider account."""

    phone_number = fields.String(required=True)
    integration_id = fields.String(required=True)


class PhoneNumberPurchaseBody(ApiSchema):  # Contract: purchasePhoneNumbers
    """Phone numbers to buy."""

    phone_numbers = fields.List(fields.String(), required=True, metadata={"description": "in E.164 form"})
    integration_id = fields.String()


class PhoneNumberSchema(ApiSchema):  # Contract: records.phone_number
    """A phone number of the team."""

    id = fields.String()
    phone_number = fields.String(metadata={"description": "in E.164 form"})
    provider = fields.String(metadata={"description": "source: brainbase (bought) or twilio (registered)"})
    a2p_verified = Boolean(metadata={"description": "whether it may send application-to-person messages in the US"})
    created_at = Timestamp()
    updated_at = Timestamp()
    integration_id = fields.String(allow_none=True)
    worker_id = fields.String(allow_none=True)
    team_id = fields.String(allow_none=True)
    country_code = fields.String(allow_none=True)
    caller_name = fields.String(allow_none=True, metadata={"description": "caller name"})
    metadata = JsonObject(allow_none=True)


class AvailableNumbersQuery(QuerySchema):  # Contract: listAvailablePhoneNumbers
    """Criteria of a search for phone numbers."""

    country_code = fields.String(
        required=True, validate=validate.Regexp("^[A-Za-z]{2}$", error="Must be a two-letter country code.")
    )
    number_type = fields.String(required=True, validate=OneOf("Local", "Mobile", "TollFree"))
    area_code = fields.String(validate=validate.Regexp("^[0-9]{1,6}$", error="Must be digits."))
    contains = fields.String(
        validate=validate.Regexp("^[0-9*+() .-]{0,32}$", error="Must be digits; * is any digit."),
        metadata={"description": "digits that the number contains, where * stands for any digit"},
    )
    sms_enabled = QueryBoolean(metadata={"description": "only numbers with SMS"})
    mms_enabled = QueryBoolean(metadata={"description": "only numbers with MMS"})
    voice_enabled = QueryBoolean(metadata={"description": "only numbers with voice calls"})


class CapabilitiesSchema(ApiSchema):
    """Capabilities of a phone number."""

    voice = Boolean(metadata={"description": "voice calls"})
    sms = Boolean(metadata={"description": "text messages"})
    mms = Boolean(metadata={"description": "picture messages"})


class AvailableNumberSchema(ApiSchema):  # Contract: records.available_phone_number
    """A phone number that is for sale."""

    phone_number = fields.String(metadata={"description": "in E.164 form"})
    friendly_name = fields.String(metadata={"description": "number in national notation"})
    country_code = fields.String()
    number_type = fields.String(validate=OneOf("Local", "Mobile", "TollFree"))
    locality = fields.String(allow_none=True)
    region = fields.String(allow_none=True)
    capabilities = fields.Nested(CapabilitiesSchema)


ROWS = {"phoneNumbers": RowSchema(PhoneNumberSchema, "phoneNumber")}
