"""Schemas of outbound campaigns and batch calls. Bodies are in snake_case, answers in camelCase (client)."""

from typing import Any

import orjson
from marshmallow import ValidationError, fields, validate

from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number, OneOf, Timestamp
from dryline.schemas.row_schemas import RowSchema

STATUSES = ("CREATED", "STARTED", "RUNNING", "COMPLETED", "STOPPED", "FAILED")


def rows(**kwargs: Any) -> fields.List:
    """Return a field of contact rows: objects with any values."""
    return fields.List(JsonObject(), **kwargs)


class OutboundCampaignSchema(ApiSchema):  # Contract: records.outbound_campaign
    """A campaign of a voice deployment."""

    id = fields.String()
    created_at = Timestamp()
    updated_at = Timestamp()
    deployment_id = fields.String()
    worker_id = fields.String()
    team_id = fields.String()
    data = rows(metadata={"description": "contact rows, as sent"})
    status = fields.String(metadata={"description": "status of the campaign; RUNNING while calls are placed"})
    batch_size = Integer(validate=validate.Range(1))
    batch_interval_minutes = Integer(validate=validate.Range(0))
    name = fields.String(allow_none=True)
    description = fields.String(allow_none=True)
    additional_data = JsonObject(allow_none=True)
    telephony_provider = JsonObject(allow_none=True)
    flow_id = fields.String(allow_none=True)
    created_by_id = fields.String(allow_none=True)


class CampaignMembersSchema(ApiSchema):
    """The fields that creating and updating a campaign have in common."""

    data = rows(required=True, metadata={"description": "contact rows; each needs `phoneNumber` in E.164"})
    name = fields.String()
    description = fields.String()
    batch_size = Integer(
        data_key="batch_size",
        load_default=10,
        validate=validate.Range(1),
        metadata={"description": "number of calls in a batch"},
    )
    batch_interval_minutes = Integer(data_key="batch_interval_minutes", load_default=5, validate=validate.Range(0))
    additional_data = JsonObject(data_key="additional_data")
    telephony_provider = JsonObject()
    status = fields.String(
        load_default="CREATED",
        validate=OneOf(*STATUSES),
        metadata={
            "description": "new status: STARTED or RUNNING places the calls, any other status cancels the queued ones"
        },
    )


class OutboundCampaignBody(CampaignMembersSchema):
    """A campaign to create."""

    class Meta(CampaignMembersSchema.Meta):
        without_effect = ("team_id",)

    flow_id = fields.String(
        data_key="flow_id", metadata={"description": "flow of the calls; default: the deployment's flow"}
    )
    team_id = fields.String(data_key="team_id", metadata={"description": "ignored; the key's team is used"})
    created_by_id = fields.String(data_key="created_by", metadata={"description": "id of a user"})


class CampaignUpdateBody(CampaignMembersSchema):
    """Changes of a campaign."""


class StopCampaignSchema(ApiSchema):
    """The campaign to stop."""

    campaign_id = fields.String(required=True, data_key="campaign_id")


class BatchCallsResultSchema(ApiSchema):  # Contract: records.batch_calls_result
    """The queued rows."""

    message = fields.String()
    rows_processed = Integer(metadata={"description": "number of rows that were accepted"})


class QueueRemovalSchema(ApiSchema):  # Contract: records.queue_removal_result
    """The cancelled rows."""

    message = fields.String()
    removed_count = Integer()
    removed_items = fields.List(JsonObject(), metadata={"description": "rows that are not called yet"})


class Text(fields.String):
    """A text. Numbers and booleans are taken as their JSON text, since other people's clients send them."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool | int | float):
            value = orjson.dumps(value).decode()
        return super()._deserialize(value, attr, data, **kwargs)


class TextRow(fields.Dict):
    """A contact row of texts. Its field `dryline`, for the stand-in itself, may be an object."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        for_stand_in = value.get("dryline") if isinstance(value, dict) else None
        if not isinstance(for_stand_in, dict):
            return super()._deserialize(value, attr, data, **kwargs)
        rest = {name: text for name, text in value.items() if name != "dryline"}
        return {**super()._deserialize(rest, attr, data, **kwargs), "dryline": for_stand_in}


class VoiceBatchCallsBody(ApiSchema):
    """Batch calls of a voice deployment."""

    data = fields.List(
        TextRow(keys=fields.String(), values=Text()),
        required=True,
        metadata={"description": "one row per call: `id`, `phoneNumber` in E.164 and any other values"},
    )
    batch_size = Number(data_key="batch_size", load_default=10, validate=validate.Range(1))
    batch_interval_minutes = Number(data_key="batch_interval_minutes", load_default=5, validate=validate.Range(0))
    condition = fields.String(
        allow_none=True, metadata={"description": 'condition that a row must meet, such as `{{status}} == "active"`'}
    )
    country = fields.String()
    extractions = fields.String(allow_none=True, metadata={"description": "JSON text of the values to extract"})
    additional_data = fields.String(data_key="additional_data")
    ws_url = fields.String(attribute="wsUrl")


def require_contact_rows(value: Any) -> None:
    """Check the rows of a campaign in a state document: objects in an array, or one object. Raises ValidationError."""
    rows = value if isinstance(value, list) else [value]
    if not all(isinstance(row, dict) for row in rows):
        raise ValidationError("Must be an array of objects, or an object.")


ROWS = {
    "outboundCampaigns": RowSchema(
        OutboundCampaignSchema,
        "deploymentId data",
        data=fields.Raw(validate=require_contact_rows),
        status=fields.String(validate=OneOf(*STATUSES)),
        ends_at=Timestamp(allow_none=True),
    )
}
