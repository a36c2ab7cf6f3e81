"""Voice logs on the wire."""

from __future__ import annotations

from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number, PartSchema, Timestamp
from marshmallow import fields


class TransferEventSchema(PartSchema):
    """One event of a call transfer. Contract: records.transfer_event."""

    id = fields.String(required=True)
    created_at = Timestamp(required=True)
    duration = fields.String()
    to_number = fields.String()
    from_number = fields.String()
    call_transfer_id = fields.String()
    type = fields.String()
    timestamp = Timestamp()
    parent_call_sid = fields.String()
    call_sid = fields.String()


class TransferMetricsSchema(PartSchema):
    """`transfers` is 1 for a call with a transfer record, `transfer_events` the raw number of events."""

    transfers = Number(required=True)
    transfer_minutes = Number(required=True)
    transfer_event_minutes = Number(required=True)
    transfer_events = Number(required=True)


class TransferDataSchema(PartSchema):
    """The transfer record inside a voice log. Contract: records.transfer_data."""

    id = fields.String(required=True)
    created_at = Timestamp(required=True)
    updated_at = Timestamp(required=True)
    call_sid = fields.String()
    voice_log_id = fields.String()
    status = fields.String()
    duration = fields.String(metadata={"description": "text, not a number"})
    transfer_events = fields.List(fields.Nested(TransferEventSchema), required=True)
    metrics = fields.Nested(TransferMetricsSchema, required=True)


class VoiceLogSchema(ApiSchema):
    """One call: the 28 selectable members, all sent when `fields` names none. Contract: records.voice_log."""

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    worker_id = fields.String(dump_only=True)
    deployment_id = fields.String(dump_only=True, allow_none=True)
    flow_id = fields.String(dump_only=True, allow_none=True)
    bb_engine_session_id = fields.String(dump_only=True, allow_none=True)
    extractions_data = JsonObject(dump_only=True, allow_none=True)
    metadata = JsonObject(dump_only=True, allow_none=True)
    flow_snapshot = fields.Raw(dump_only=True, allow_none=True)
    session_log_data = JsonObject(dump_only=True, allow_none=True)
    type = fields.String(dump_only=True)
    start_time = Timestamp(dump_only=True, allow_none=True)
    end_time = Timestamp(dump_only=True, allow_none=True)
    external_call_id = fields.String(dump_only=True, allow_none=True)
    direction = fields.String(dump_only=True, allow_none=True)
    from_number = fields.String(dump_only=True, allow_none=True)
    to_number = fields.String(dump_only=True, allow_none=True)
    transcription = fields.String(dump_only=True, allow_none=True)
    messages = fields.Raw(dump_only=True, allow_none=True)
    recording_url = fields.String(dump_only=True, allow_none=True)
    data = JsonObject(dump_only=True, allow_none=True)
    telephony_source = fields.String(dump_only=True, allow_none=True, data_key="Telephony_source")
    status = fields.String(dump_only=True, allow_none=True)
    call_sid = fields.String(dump_only=True, allow_none=True, data_key="call_sid")
    duration = Integer(dump_only=True, allow_none=True, metadata={"description": "seconds"})
    success_results = JsonObject(dump_only=True, allow_none=True)
    transfer_data = fields.Nested(TransferDataSchema, dump_only=True, allow_none=True)
