"""Schemas of voice logs."""

from collections.abc import Sequence
from typing import Any

from marshmallow import ValidationError, fields, validate

from dryline.schemas.base import (
    AnyTime,
    Boolean,
    Integer,
    JsonObject,
    Number,
    OneOf,
    PartSchema,
    QueryInteger,
    QuerySchema,
    Timestamp,
    instance_of,
)
from dryline.schemas.logs import LogFilterSchema, LogSchema, NumberedPageSchema, PageArgumentsSchema
from dryline.schemas.row_forms import RowForm
from dryline.storage import json_shapes


class TransferEventSchema(PartSchema):  # Contract: records.transfer_event
    """An event of a call transfer."""

    id = fields.String(required=True)
    created_at = Timestamp(required=True)
    duration = fields.String()
    to_number = fields.String()
    from_number = fields.String()
    call_transfer_id = fields.String(metadata={"description": "id of the transfer record"})
    type = fields.String(metadata={"description": "event of the transfer"})
    timestamp = Timestamp()
    parent_call_sid = fields.String()
    call_sid = fields.String()


class TransferMetricsSchema(PartSchema):
    """Metrics of a transfer. `transfers` is 1 with a transfer record, `transfer_events` the number of events."""

    transfers = Number(required=True)
    transfer_minutes = Number(required=True)
    transfer_event_minutes = Number(required=True, metadata={"description": "minutes by the provider's events"})
    transfer_events = Number(required=True, metadata={"description": "number of the provider's events"})


class TransferDataSchema(PartSchema):  # Contract: records.transfer_data
    """The transfer record of a voice log."""

    id = fields.String(required=True)
    created_at = Timestamp(required=True)
    updated_at = Timestamp(required=True)
    call_sid = fields.String()
    voice_log_id = fields.String(metadata={"description": "log of the transferred call"})
    status = fields.String(metadata={"description": "status of the transfer"})
    duration = fields.String(metadata={"description": "length as text"})
    transfer_events = fields.List(
        fields.Nested(TransferEventSchema),
        required=True,
        metadata={"description": "events from the provider, in order"},
    )
    metrics = fields.Nested(TransferMetricsSchema, required=True)


class VoiceLogSchema(LogSchema):  # Contract: records.voice_log
    """A call, with 28 fields that can be selected."""

    class Meta(LogSchema.Meta):
        pass

    bb_engine_session_id = fields.String(allow_none=True, metadata={"description": "id of the engine's session"})
    external_call_id = fields.String(allow_none=True, metadata={"description": "id of the call at the engine"})
    direction = fields.String(allow_none=True)
    from_number = fields.String(allow_none=True)
    to_number = fields.String(allow_none=True)
    transcription = fields.String(allow_none=True)
    recording_url = fields.String(
        allow_none=True,
        metadata={"description": "URL of the recording, valid for one day and without a key; null if nobody answered"},
    )
    data = JsonObject(allow_none=True, metadata={"description": "latencies and other measurements of the call"})
    telephony_source = fields.String(
        allow_none=True, data_key="Telephony_source", metadata={"description": "telephony provider"}
    )
    status = fields.String(allow_none=True, metadata={"description": "such as completed, no-answer or failed"})
    call_sid = fields.String(
        allow_none=True, data_key="call_sid", metadata={"description": "id of the call at the telephony provider"}
    )
    duration = Integer(allow_none=True, validate=validate.Range(0))
    success_results = JsonObject(allow_none=True)
    transfer_data = fields.Nested(TransferDataSchema, allow_none=True)


ATTRIBUTES = instance_of(VoiceLogSchema).wire_names
# `fields` can leave out any field but the id.
VoiceLogSchema.Meta.sometimes = tuple(instance_of(VoiceLogSchema).fields.keys() - {"id"})

SORTABLE = (
    "startTime",
    "endTime",
    "direction",
    "fromNumber",
    "toNumber",
    "status",
    "externalCallId",
    "createdAt",
    "updatedAt",
)


class MemberNames(fields.String):
    """Wire names of a voice log's fields, separated by commas; loaded as the set of their attributes."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        names = [name.strip() for name in super()._deserialize(value, attr, data, **kwargs).split(",") if name.strip()]
        unknown = [name for name in names if name not in ATTRIBUTES]
        if unknown:
            raise ValidationError(f"A voice log has no field {', '.join(map(repr, unknown))}.")
        return frozenset(ATTRIBUTES[name] for name in names) or None


class SortMember(fields.String):
    """The wire name of a field to sort by, one of `members`, loaded as its attribute."""

    def __init__(self, members: Sequence[str], **kwargs: Any) -> None:
        super().__init__(metadata={"enum": list(members), **kwargs.pop("metadata", {})}, **kwargs)
        self.members = members

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        name = super()._deserialize(value, attr, data, **kwargs)
        if name not in self.members:
            raise ValidationError(f"Must be one of: {', '.join(self.members)}.")
        return ATTRIBUTES[name]


class SelectionSchema(QuerySchema):
    """The fields of a voice log to return."""

    members = MemberNames(
        data_key="fields",
        attribute="fields",
        load_default=None,
        metadata={"description": "names of fields, separated by commas; `id` is always included; default: all fields"},
    )


class VoiceLogFilterSchema(LogFilterSchema):
    """Filters of voice logs. Limits of times and lengths are inclusive."""

    direction = fields.String(validate=OneOf("inbound", "outbound"))
    from_number = fields.String(metadata={"description": "part of the number in `fromNumber`"})
    to_number = fields.String(metadata={"description": "part of the number in `toNumber`"})
    status = fields.String(metadata={"description": "only this status"})
    external_call_id = fields.String(metadata={"description": "only this id"})
    call_sid = fields.String(metadata={"description": "only this id of the telephony provider's call"})
    search_query = fields.String(metadata={"description": "text in the transcription, in upper or lower case"})
    start_time_after = AnyTime(metadata={"description": "only calls that started at this time or later"})
    start_time_before = AnyTime(metadata={"description": "only calls that started at this time or earlier"})
    end_time_after = AnyTime(metadata={"description": "only calls that ended at this time or later"})
    end_time_before = AnyTime(metadata={"description": "only calls that ended at this time or earlier"})
    start_date = AnyTime(metadata={"description": "same as `startTimeAfter`", "deprecated": True})
    end_date = AnyTime(metadata={"description": "same as `startTimeBefore`", "deprecated": True})
    min_duration = QueryInteger(validate=validate.Range(0), metadata={"description": "least length in seconds"})
    max_duration = QueryInteger(validate=validate.Range(0), metadata={"description": "greatest length in seconds"})


class VoiceLogListSchema(VoiceLogFilterSchema, PageArgumentsSchema, SelectionSchema):
    """Filters, order, page and fields of voice logs."""

    sort_by = SortMember(
        SORTABLE, load_default="start_time", metadata={"description": "field to sort by", "default": "startTime"}
    )
    sort_order = fields.String(
        load_default="desc", validate=OneOf("asc", "desc"), metadata={"description": "order: asc or desc"}
    )
    cursor = fields.String(metadata={"description": "`nextCursor` of the previous page; overrides page and order"})


class VoiceLogPageSchema(NumberedPageSchema):
    """A page of voice logs."""

    data = fields.List(fields.Nested(VoiceLogSchema), metadata={"description": "logs on this page"})
    next_cursor = fields.String(allow_none=True, metadata={"description": "cursor of the next page; null on the last"})
    has_more = Boolean()


ROWS = {"voiceLogs": RowForm(VoiceLogSchema, "workerId", shapes=json_shapes.VOICE_LOG)}
