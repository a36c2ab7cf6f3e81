"""Campaigns and batch calls of legacy voice deployments on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, fields, validate

from dryline.schemas.base import ApiSchema, Boolean, JsonObject, Number, OneOf, PartSchema, Timestamp
from dryline.schemas.campaigns import numeric_text
from dryline.schemas.json_text import AsSent
from dryline.schemas.row_forms import RowForm


class CallRowSchema(PartSchema):
    """One row to call. Further members are values for the conversation."""

    class Meta(PartSchema.Meta):
        unknown = INCLUDE

    id = fields.String(required=True, validate=validate.Length(1))
    phone_number = fields.String(required=True, metadata={"description": "E.164"})
    status = fields.String(validate=OneOf("PENDING", "RUNNING", "COMPLETED", "FAILED"))


class BatchExtractionSchema(PartSchema):
    """One value to draw from the calls."""

    type = fields.String(required=True, validate=OneOf("string", "number", "boolean", "object", "array"))
    description = fields.String(required=True)
    required = Boolean()
    example = fields.String()


class LenientNumber(Number):
    """A JSON number, or the text of one: an older page of the documentation has text here."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(numeric_text(value), attr, data, **kwargs)


class Voicev1BatchCallsBodySchema(ApiSchema):
    """What a legacy voice deployment shall call."""

    data = fields.List(AsSent(CallRowSchema), required=True)
    batch_size = LenientNumber(data_key="batch_size", load_default=10, validate=validate.Range(1))
    batch_interval_minutes = LenientNumber(
        data_key="batch_interval_minutes", load_default=5, validate=validate.Range(0)
    )
    condition = fields.String(metadata={"description": "what a row must meet; may use {{name}} for its values"})
    extractions = fields.Dict(keys=fields.String(), values=AsSent(BatchExtractionSchema))
    additional_data = fields.Dict(keys=fields.String(), values=fields.String(), data_key="additional_data")
    ws_url = fields.String(attribute="wsUrl")


class Voicev1CampaignDataSchema(ApiSchema):
    """A row of a legacy campaign. Contract: records.voicev1_campaign_data."""

    id = fields.String(dump_only=True, attribute="row_id", metadata={"description": "as sent"})
    campaign_id = fields.String(dump_only=True)
    row_data = JsonObject(dump_only=True)
    status = fields.String(dump_only=True, validate=OneOf("PENDING", "PROCESSING", "COMPLETED", "FAILED"))
    result = JsonObject(dump_only=True, allow_none=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


class Voicev1CampaignDataBodySchema(ApiSchema):
    """What changing a row takes."""

    row_data = JsonObject()
    status = fields.String(validate=OneOf("PENDING", "PROCESSING", "COMPLETED", "FAILED"))
    result = JsonObject()


class Voicev1CampaignSchema(ApiSchema):
    """A legacy campaign. Contract: records.voicev1_campaign."""

    id = fields.String(dump_only=True)
    status = fields.String(dump_only=True, validate=OneOf("RUNNING", "COMPLETED", "FAILED"))
    steps = fields.List(JsonObject(), dump_only=True)
    deployment_id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    data = fields.List(fields.Nested(Voicev1CampaignDataSchema), dump_only=True)


class Voicev1CampaignBodySchema(ApiSchema):
    """What creating a legacy campaign takes."""

    steps = fields.List(JsonObject())


class Voicev1CampaignRunSchema(ApiSchema):
    """The rows to call."""

    data = fields.List(AsSent(CallRowSchema), required=True)


ROWS = {
    "voicev1Campaigns": RowForm(Voicev1CampaignSchema, "deploymentId", without="data"),
    "voicev1CampaignData": RowForm(
        Voicev1CampaignDataSchema,
        "campaignId rowData",
        due_at=Timestamp(allow_none=True),
        done_at=Timestamp(allow_none=True),
        outcome=JsonObject(allow_none=True),
    ),
}
