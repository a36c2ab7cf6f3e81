"""Schemas of teams and API keys."""

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from dryline.schemas.base import ApiSchema, QueryBoolean, QuerySchema, Timestamp
from dryline.schemas.integrations import IntegrationSchema
from dryline.schemas.row_schemas import ApiKeys, Digest, RowSchema, require_header_value


class TeamOptionsQuery(QuerySchema):
    """Options for the team."""

    include_integrations = QueryBoolean(load_default=False)


class TeamSchema(ApiSchema):  # Contract: records.team
    """The team of the key."""

    class Meta(ApiSchema.Meta):
        sometimes = ("integrations",)

    id = fields.String()
    name = fields.String()
    created_at = Timestamp()
    updated_at = Timestamp()
    team_owner_id = fields.String(allow_none=True, metadata={"description": "user who owns the team"})
    twilio_subaccount_sid = fields.String(allow_none=True, metadata={"description": "telephony subaccount"})
    twilio_subaccount_auth_token = fields.String(allow_none=True, metadata={"description": "the subaccount's token"})
    integrations = fields.List(
        fields.Nested(IntegrationSchema), metadata={"description": "only with `includeIntegrations=true`"}
    )


class SubaccountCredentialsSchema(ApiSchema):  # Contract: records.subaccount_credentials
    """Credentials of the subaccount of bought phone numbers."""

    account_sid = fields.String(allow_none=True, attribute="twilio_subaccount_sid")
    auth_token = fields.String(allow_none=True, attribute="twilio_subaccount_auth_token")


class ApiKeySchema(ApiSchema):
    """A key of a team, without its text."""

    id = fields.String()
    name = fields.String(allow_none=True)
    created_at = Timestamp()


class ApiKeyBody(ApiSchema):
    """A key to create."""

    name = fields.String(metadata={"description": "purpose of the key"})
    key = fields.String(validate=require_header_value, metadata={"description": "text of the key; default: generated"})
    sha256 = Digest(metadata={"description": "SHA-256 of a key of another server, instead of its text"})

    @validates_schema
    def _one_of_both(self, data: Any, **kwargs: Any) -> None:
        if "key" in data and "sha256" in data:
            raise ValidationError("Not allowed with key: send one of the two.", "sha256")


class NewApiKeySchema(ApiKeySchema):
    """A new key. The text of a copied key is not known."""

    class Meta(ApiSchema.Meta):
        sometimes = ("key",)

    key = fields.String(metadata={"description": "value for the header x-api-key; shown in this answer only"})


class NewTeamBody(ApiSchema):
    """A team to create, with its first key."""

    name = fields.String(load_default="Team")
    key = fields.String(validate=require_header_value, metadata={"description": "text of its key; default: generated"})


class TeamWithKeysSchema(ApiSchema):
    """A team with its keys."""

    id = fields.String()
    name = fields.String()
    created_at = Timestamp()
    api_keys = fields.List(fields.Nested(ApiKeySchema), metadata={"description": "keys, without their text"})


class NewTeamSchema(TeamWithKeysSchema):
    """A new team with its first key."""

    api_key = fields.String(metadata={"description": "value for the header x-api-key; shown in this answer only"})


_API_KEY_ROW = RowSchema(
    None,
    id="sha256",
    key_id=fields.String(data_key="id", attribute="id"),
    name=fields.String(allow_none=True),
    sha256=Digest(),
    created_at=Timestamp(),
)
ROWS = {"teams": RowSchema(TeamSchema, "name", without="integrations", api_keys=ApiKeys(_API_KEY_ROW))}
