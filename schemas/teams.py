"""The team on the wire."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.base import ApiSchema, QueryBoolean, QuerySchema, Timestamp
from dryline.schemas.integrations import IntegrationSchema


class TeamQuery(QuerySchema):
    """How much of the team to send."""

    include_integrations = QueryBoolean(load_default=False)


class TeamSchema(ApiSchema):
    """The team that the key belongs to. Contract: records.team."""

    class Meta(ApiSchema.Meta):
        sometimes = ("integrations",)

    id = fields.String(dump_only=True)
    name = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    team_owner_id = fields.String(dump_only=True, allow_none=True)
    twilio_subaccount_sid = fields.String(dump_only=True, allow_none=True)
    twilio_subaccount_auth_token = fields.String(dump_only=True, allow_none=True)
    integrations = fields.List(
        fields.Nested(IntegrationSchema), dump_only=True, metadata={"description": "only with includeIntegrations=true"}
    )


class SubaccountCredentialsSchema(ApiSchema):
    """The subaccount that numbers bought from the vendor belong to. Contract: records.subaccount_credentials."""

    account_sid = fields.String(dump_only=True, allow_none=True, attribute="twilio_subaccount_sid")
    auth_token = fields.String(dump_only=True, allow_none=True, attribute="twilio_subaccount_auth_token")
