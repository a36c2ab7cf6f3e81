"""Schemas of campaigns and batch calls of legacy voice deployments."""

from typing import Any

from marshmallow import INCLUDE, fields, validate

from dryline.schemas.base import ApiSchema, Boolean, JsonObject, Number, OneOf, PartSchema, Timestamp
from dryline.schemas.json_text import StoredAsSent
from dryline.schemas.row_schemas import RowSchema


class CallRowSchema(PartSchema):
    """A row to call. Other fields are values for the conversation."""

    class Meta(PartSchema.Meta):
        unknown = INCLUDE

    id = fields.String(required=True, validate=validate.Length(1))
    phone_number = fields.String(required=True, metadata={"description": "number in E.164"})
    status = fields.String(
        validate=OneOf("PENDING", "RUNNING", "COMPLETED", "FAILED"),
        metadata={"description": "status of the row; a row is called if it is PENDING or left out"},
    )


class BatchExtractionSchema(PartSchema):
    """A value to extract from the calls."""

    type = fields.String(
        required=True,
        validate=OneOf("string", "number", "boolean", "object", "array"),
        metadata={"description": "type of the value"},
    )
    description = fields.String(required=True)
    required = Boolean(metadata={"description": "whether the value must be found"})
    example = fields.String(metadata={"description": "format of the value"})


class LenientNumber(Number):
    """A JSON number or its text, which an older page of the vendor's documentation sends."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str):
            try:
                value = int(value) if value.strip().isdecimal() else float(value)
            except ValueError:
                raise self.make_error("invalid", input=value) from None
        return super()._deserialize(value, attr, data, **kwargs)


class VoiceV1BatchCallsBody(ApiSchema):
    """Batch calls of a legacy voice deployment."""

    data = fields.List(StoredAsSent(CallRowSchema), required=True, metadata={"description": "rows, one per call"})
    batch_size = LenientNumber(data_key="batch_size", load_default=10, validate=validate.Range(1))
    batch_interval_minutes = LenientNumber(
        data_key="batch_interval_minutes", load_default=5, validate=validate.Range(0)
    )
    condition = fields.String(
        metadata={"description": "condition that a row must meet; `{{name}}` stands for a value of the row"}
    )
    extractions = fields.Dict(keys=fields.String(), values=StoredAsSent(BatchExtractionSchema))
    additional_data = fields.Dict(keys=fields.String(), values=fields.String(), data_key="additional_data")
    ws_url = fields.String(attribute="wsUrl")


class VoiceV1CampaignDataSchema(ApiSchema):  # Contract: records.voicev1_campaign_data
    """A row of a legacy campaign."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("result",)

    id = fields.String(dump_only=True, attribute="row_id", metadata={"description": "stored as sent"})
    campaign_id = fields.String(dump_only=True)
    row_data = JsonObject()
    status = fields.String(
        validate=OneOf("PENDING", "PROCESSING", "COMPLETED", "FAILED"),
        metadata={
            "description": "status of the row: PENDING, PROCESSING during its call, then COMPLETED or FAILED. "
            "An update to PENDING calls the row now, one to any other status does not"
        },
    )
    result = JsonObject(metadata={"description": "result of the call"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


class VoiceV1CampaignSchema(ApiSchema):  # Contract: records.voicev1_campaign
    """A legacy campaign."""

    id = fields.String(dump_only=True)
    status = fields.String(
        dump_only=True,
        validate=OneOf("RUNNING", "COMPLETED", "FAILED"),
        metadata={"description": "status: RUNNING, COMPLETED when no row is open, FAILED when all rows failed"},
    )
    steps = fields.List(JsonObject())
    deployment_id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    data = fields.List(
        fields.Nested(VoiceV1CampaignDataSchema),
        dump_only=True,
        metadata={"description": "rows of the campaign, in the order in which they were sent"},
    )


class VoiceV1CampaignRunSchema(ApiSchema):
    """Rows to add and call."""

    data = fields.List(
        StoredAsSent(CallRowSchema),
        required=True,
        metadata={"description": "rows, one per call; a row whose id exists replaces that row"},
    )


class CallOutcomeSchema(PartSchema):
    """The outcome of a row's call, which only state documents show."""

    class Meta(PartSchema.Meta):
        unknown = INCLUDE

    reached = Boolean()
    log_id = fields.String()
    call_status = fields.String(allow_none=True)
    start_time = Timestamp(allow_none=True)


ROWS = {
    "voicev1Campaigns": RowSchema(VoiceV1CampaignSchema, "deploymentId", without="data"),
    "voicev1CampaignData": RowSchema(
        VoiceV1CampaignDataSchema,
        "campaignId rowData",
        due_at=Timestamp(allow_none=True),
        done_at=Timestamp(allow_none=True),
        outcome=fields.Nested(CallOutcomeSchema, allow_none=True),
    ),
}
