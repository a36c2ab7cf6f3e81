"""Outbound campaigns: contact rows that a voice deployment calls, batch by batch. Contract: records.outbound_campaign.

CREATED waits. STARTED (or RUNNING) queues the rows; with the first call it is RUNNING, with the end of the last one
COMPLETED. Any other status empties the queue. The contract shows no transitions: assumed.
"""

from collections import Counter
from typing import Any, Self

from peewee import Case, IntegerField, TextField, fn

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.collection import FLOW, VOICE_DEPLOYMENT, ImportContext, Row, StateCollection
from dryline.models.due import due_rows
from dryline.models.flows import Flow
from dryline.models.queued_calls import (
    BATCH_INTERVAL_MINUTES,
    BATCH_SIZE,
    QueuedCall,
    api_time,
    due_times,
    rows_with_ids,
)
from dryline.models.scripted_outcomes import require_outcomes
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.storage.errors import Invalid
from dryline.storage.record import JsonField, Record, constant, tuples
from dryline.world.clock import parse

ACTIVE = ("STARTED", "RUNNING")
# Columns whose change queues the rows anew.
_SCHEDULE = ("data", "status", "batch_size", "batch_interval_minutes")
# The campaign and the row of a call. The paths are constants, as in the index `voice_log_campaign`.
_CAMPAIGN_ID = fn.json_extract(VoiceLog.metadata, constant("$.campaignId"))
_ROW_ID = fn.json_extract(VoiceLog.metadata, constant("$.rowId")).coerce(False)


class OutboundCampaign(Record):
    """A campaign. `data` are its contact rows, `ends_at` is when the last of the calls placed so far ends."""

    id_prefix = "campaign"

    updated_at = TextField()
    worker_id = TextField()
    deployment_id = TextField()
    flow_id = TextField(null=True)
    data = JsonField()
    status = TextField(default="CREATED")
    batch_size = IntegerField(default=BATCH_SIZE)
    batch_interval_minutes = IntegerField(default=BATCH_INTERVAL_MINUTES)
    name = TextField(null=True)
    description = TextField(null=True)
    additional_data = JsonField(null=True)
    telephony_provider = JsonField(null=True)
    created_by_id = TextField(null=True)
    ends_at = TextField(null=True)
    arrived_at = TextField(default=api_time)

    @classmethod
    def launch(cls, deployment: VoiceDeployment, *, flow_id: str | None = None, **values: Any) -> Self:
        """Create a campaign and queue its calls. Without `flow_id` it has the deployment's flow.

        Raises NotFound for an unknown flow, and Invalid as `require_outcomes`. Contract: createOutboundCampaign.
        """
        require_outcomes(values["data"])
        if flow_id is None:
            flow_id = deployment.flow_id
        else:
            Flow.fetch(deployment, flow_id, field="flow_id", worker_id=deployment.worker_id)
        campaign = cls.add(
            deployment, worker_id=deployment.worker_id, deployment_id=deployment.id, flow_id=flow_id, **values
        )
        campaign.queue_rows()
        return campaign

    def revise(self, **values: Any) -> Self:
        """Change the values. If rows, batches or status change, the calls not yet placed are queued anew."""
        require_outcomes(values.get("data", ()))
        self.change(**values)
        if not values.keys().isdisjoint(_SCHEDULE):
            self.queue_rows()
        return self

    def stop(self) -> list[dict[str, Any]]:
        """Stop the campaign and return the rows not yet called. Contract: stopCampaign."""
        removed = QueuedCall.take_out(QueuedCall.campaign_id == self.id)
        self.change(status="STOPPED")
        return removed

    def run_next_batch_now(self) -> int:
        """Make the next batch due now, and return the number of its rows."""
        return QueuedCall.run_next_batch_now(QueuedCall.campaign_id == self.id)

    def queue_rows(self, start: str | None = None) -> int:
        """Replace the campaign's queue by the rows not yet called if it is active, and return their number.

        The next batch keeps its time if there was one; otherwise it is due at `start`, or now. Raises NotFound if the
        deployment was deleted.
        """
        next_batch = QueuedCall.first_due(self.id) or start or api_time()
        QueuedCall.take_out(QueuedCall.campaign_id == self.id)
        if self.status not in ACTIVE:
            return 0
        call_counts = Counter(row_id for row_id, *_ in self.calls())  # a stopped campaign resumes where it was
        rows = []
        for id, row in rows_with_ids(self.data):
            if call_counts[id] > 0:
                call_counts[id] -= 1
            else:
                rows.append((id, row))
        due = due_times(len(rows), self.batch_size, self.batch_interval_minutes, parse(next_batch))
        deployment = VoiceDeployment.fetch(self, self.deployment_id)
        terms = {"additionalData": self.additional_data} if self.additional_data is not None else None
        QueuedCall.enqueue(deployment, rows, due, campaign_id=self.id, terms=terms)
        return len(rows)

    def calls(self) -> list[tuple[str, str, str | None, str | None, str | None]]:
        """Return its calls in the order they began: row id, log id, outcome, start, end."""
        log = VoiceLog
        query = log.select(_ROW_ID, log.id, log.status, log.start_time, log.end_time).where(
            self.id == _CAMPAIGN_ID, log.deployment_id == self.deployment_id, log.team_id == self.team_id
        )
        return [(str(row_id), *rest) for row_id, *rest in tuples(query.order_by(log.start_time, log.id))]

    @classmethod
    def record_call(cls, id: str, began_at: str, ends_at: str) -> None:
        """Record that a call was placed at a time, which ends at `ends_at`."""
        started = cls.status == "STARTED"
        cls.update(
            ends_at=fn.MAX(fn.COALESCE(cls.ends_at, ""), ends_at),
            updated_at=Case(None, [(started, began_at)], cls.updated_at),
            status=Case(None, [(started, "RUNNING")], cls.status),
        ).where(cls.id == id).execute()

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """Return those to start, as they were imported without a queue, or to complete."""
        return due_rows(cls._due_query, limit, moment=moment)

    @classmethod
    def _due_query(cls, moment: str) -> Any:
        is_open = cls.status.in_([constant("STARTED"), constant("RUNNING")])
        queue = QueuedCall.select(QueuedCall.id).where(QueuedCall.campaign_id == cls.id)
        has_ended = fn.COALESCE(cls.ends_at, "") <= moment
        # Calls may have ended early, since the clock was set back.
        calls = CallInProgress.select(CallInProgress.id).where(CallInProgress.deployment_id == cls.deployment_id)
        can_proceed = (cls.status == "STARTED") | has_ended | ~fn.EXISTS(calls)
        return cls.select().where(is_open, ~fn.EXISTS(queue), can_proceed).order_by(cls.created_at, cls.id)

    def proceed(self, moment: str) -> None:
        """Start an imported campaign, or complete one whose last call has ended."""
        if self.status == "RUNNING":
            # If it was started again with nothing left to call, it ended then and not with its last call.
            ended_at = max(self.ends_at or moment, self.updated_at)
            self.change(status="COMPLETED", updated_at=ended_at)
        elif not self.queue_rows(min(self.arrived_at, moment)):
            self.change(status="RUNNING")

    @classmethod
    def batches_by_campaign(cls) -> dict[str, tuple[float, float]]:
        """Return batch size and interval of each active campaign."""
        query = cls.select(cls.id, cls.batch_size, cls.batch_interval_minutes).where(cls.status.in_(ACTIVE))
        return {id: (size, interval) for id, size, interval in tuples(query)}


def complete_imported_campaign(row: Row, rows: ImportContext) -> None:
    """Set the columns that `launch` would have set. Raises Invalid if the deployment is of another worker."""
    deployment = rows.find_row("voiceDeployments", row["deployment_id"])
    row.setdefault("flow_id", deployment["flow_id"])
    if row.setdefault("worker_id", deployment["worker_id"]) != deployment["worker_id"]:
        raise Invalid("The deployment is of another worker.", "worker_id")


STATE = {
    "outboundCampaigns": StateCollection(
        OutboundCampaign,
        required_links=VOICE_DEPLOYMENT,
        optional_links=FLOW,
        complete=complete_imported_campaign,
        after_import=lambda: QueuedCall.schedule_imported(OutboundCampaign.batches_by_campaign()),
    )
}
