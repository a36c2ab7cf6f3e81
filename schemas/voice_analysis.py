"""Schemas of voice analysis."""

from typing import Any

from marshmallow import fields

from dryline.schemas.base import AnyTime, ApiSchema, Boolean, Number, OneOf, Timestamp


class DayOrTime(AnyTime):
    """An ISO 8601 time, or a date such as `2026-11-21`, which stays a date: its limits depend on the time zone."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        moment = super()._deserialize(value, attr, data, **kwargs)
        return moment[:10] if len(value) <= 10 else moment


class VoiceAnalysisBody(ApiSchema):  # Contract: analyzeVoice
    """Options of an analysis. By default it includes all calls."""

    start_date = DayOrTime(metadata={"description": "start of the period; a date means its midnight in the zone"})
    end_date = DayOrTime(metadata={"description": "end; a date includes the whole day; default with a start: now"})
    granularity = fields.String(load_default="monthly", validate=OneOf("daily", "weekly", "monthly", "yearly"))
    deployment_ids = fields.List(fields.String(), metadata={"description": "ids to include; an empty list means all"})
    worker_id = fields.String(metadata={"description": "only this worker"})
    include_transfers = Boolean(load_default=True, metadata={"description": "count transfers; otherwise they are 0"})
    include_call_details = Boolean(load_default=False, metadata={"description": "include the single calls"})
    timezone = fields.String(load_default="UTC", metadata={"description": "IANA time zone of the days and periods"})


class CallTotalsSchema(ApiSchema):
    """Figures of calls."""

    total_calls = Number()
    total_minutes = Number()
    total_transfers = Number(metadata={"description": "transfers, one per call with a transfer record"})
    total_transfer_minutes = Number()


class AnalysisSummarySchema(CallTotalsSchema):
    """Figures of all calls."""

    average_call_duration = Number(metadata={"description": "length in minutes"})


class WorkerTotalsSchema(CallTotalsSchema):
    """Figures of a worker's calls."""

    worker_id = fields.String()


class DeploymentTotalsSchema(CallTotalsSchema):
    """Figures of a deployment's calls."""

    deployment_id = fields.String(allow_none=True)


class PeriodTotalsSchema(CallTotalsSchema):
    """Figures of a period's calls. A period without calls has no entry."""

    period = fields.String(metadata={"description": "period: 2026-11-21, 2026-W47 (from Monday), 2026-11 or 2026"})
    per_worker = fields.List(fields.Nested(WorkerTotalsSchema), metadata={"description": "figures for each worker"})
    per_deployment = fields.List(
        fields.Nested(DeploymentTotalsSchema), metadata={"description": "figures for each deployment"}
    )


class CallDetailSchema(ApiSchema):
    """A call of the analysis."""

    id = fields.String(metadata={"description": "id of the call's log"})
    worker_id = fields.String()
    deployment_id = fields.String(allow_none=True)
    period = fields.String(metadata={"description": "period of the call"})
    start_time = Timestamp(allow_none=True)
    end_time = Timestamp(allow_none=True)
    direction = fields.String(allow_none=True)
    from_number = fields.String(allow_none=True)
    to_number = fields.String(allow_none=True)
    status = fields.String(allow_none=True, metadata={"description": "outcome of the call"})
    minutes = Number()
    transfers = Number()
    transfer_minutes = Number()


class VoiceAnalysisSchema(ApiSchema):  # Contract: records.voice_analysis
    """Figures in total and by period."""

    class Meta(ApiSchema.Meta):
        sometimes = ("call_details",)

    summary = fields.Nested(AnalysisSummarySchema)
    breakdown = fields.List(fields.Nested(PeriodTotalsSchema), metadata={"description": "figures for each period"})
    call_details = fields.List(
        fields.Nested(CallDetailSchema), metadata={"description": "only with `includeCallDetails`"}
    )
