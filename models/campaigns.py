"""Outbound campaigns: contact rows that a voice deployment calls, batch by batch. Contract: records.outbound_campaign.

CREATED waits. STARTED (or RUNNING) queues the rows; with the first call it is RUNNING, with the end of the last one
COMPLETED. Any other status takes out what is queued. The contract shows no transitions: assumed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

from peewee import IntegerField, TextField

from dryline.models.collection import FLOW, VOICE_DEPLOYMENT, Collection, Neighbours, Row
from dryline.models.due import due_rows
from dryline.models.flows import Flow
from dryline.models.queued_calls import BATCH_INTERVAL_MINUTES, BATCH_SIZE, QueuedCall, due_times, numbered, present
from dryline.models.said_outcomes import demand_outcomes
from dryline.models.voice_deployments import VoiceDeployment
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import JsonField, Record, connection_execute
from dryline.world.clock import parse

ACTIVE = ("STARTED", "RUNNING")
_SCHEDULE = ("data", "status", "batch_size", "batch_interval_minutes")


class OutboundCampaign(Record):
    """A campaign. `data` are its contact rows, `ends_at` is when the last of the calls placed so far is over."""

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
    arrived_at = TextField(default=present)

    @classmethod
    def launch(cls, deployment: VoiceDeployment, *, flow_id: str | None = None, **values: Any) -> Self:
        """A new campaign; its flow is the deployment's unless it names one of the worker's.

        Raises NotFound for an unknown flow, and Invalid as `demand_outcomes`. Contract: createOutboundCampaign.
        """
        demand_outcomes(values["data"])
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
        """Change the values. What is still to be called follows the new rows, batches and status."""
        demand_outcomes(values.get("data"))
        self.change(**values)
        if not values.keys().isdisjoint(_SCHEDULE):
            self.queue_rows()
        return self

    def stop(self) -> list[dict[str, Any]]:
        """Take what is queued out and be STOPPED. Returns the rows not yet called. Contract: stopCampaign."""
        removed = QueuedCall.take_out(QueuedCall.campaign_id == self.id)
        self.change(status="STOPPED")
        return removed

    def hasten(self) -> int:
        """Have the next batch due now. Returns how many rows it has."""
        return QueuedCall.hasten(self.id)

    def queue_rows(self, start: str | None = None) -> int:
        """Queue, anew, the rows not yet called, if the campaign is active; else none. Returns how many.

        The next batch keeps its time where there was one, else it is due at `start`, or now. Raises NotFound when the
        deployment is gone.
        """
        next_batch = QueuedCall.first_due(self.id) or start or present()
        QueuedCall.take_out(QueuedCall.campaign_id == self.id)
        if self.status not in ACTIVE:
            return 0
        called = self._called()
        rows = []
        for id, row in numbered(self.data if isinstance(self.data, list) else [self.data]):
            if called[id] > 0:
                called[id] -= 1
            else:
                rows.append((id, row))
        due = due_times(len(rows), self.batch_size, self.batch_interval_minutes, parse(next_batch))
        deployment = VoiceDeployment.fetch(self, self.deployment_id)
        terms = {"additionalData": self.additional_data} if self.additional_data is not None else None
        QueuedCall.enqueue(deployment, rows, due, campaign_id=self.id, terms=terms)
        return len(rows)

    def calls(self) -> list[tuple[str, str, str | None, str | None, str | None]]:
        """Its calls in the order they began, as the logs say: row id, log id, outcome, start, end."""
        sql = (
            "SELECT json_extract(metadata, '$.rowId'), id, status, start_time, end_time FROM voice_log"
            " WHERE deployment_id = ? AND team_id = ? AND json_extract(metadata, '$.campaignId') = ?"
            " ORDER BY start_time, id"
        )
        found = connection_execute(sql, (self.deployment_id, self.team_id, self.id))
        return [(str(row_id), *rest) for row_id, *rest in found]

    def _called(self) -> Counter[str]:
        """How often each row id was called: so a stopped campaign goes on where it was."""
        return Counter(row_id for row_id, *_ in self.calls())

    @classmethod
    def placed(cls, id: str, at: str, ends_at: str) -> None:
        """Note that calls were placed at a time, the last of which ends at another."""
        connection_execute(
            "UPDATE outbound_campaign SET ends_at = max(coalesce(ends_at, ''), ?),"
            " updated_at = CASE status WHEN 'STARTED' THEN ? ELSE updated_at END,"
            " status = CASE status WHEN 'STARTED' THEN 'RUNNING' ELSE status END WHERE id = ?",
            (ends_at, at, id),
        )

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` campaigns with an empty queue: STARTED ones (they came in so), and those that are over."""
        over = (
            "status IN ('STARTED', 'RUNNING')"
            " AND NOT EXISTS (SELECT 1 FROM queued_call WHERE campaign_id = outbound_campaign.id)"
            " AND (status = 'STARTED' OR coalesce(ends_at, '') <= :moment)"
        )
        return due_rows(cls, over, "created_at, id", limit, moment=moment)

    def proceed(self) -> None:
        """Begin, or be COMPLETED: nothing is left to call or to wait for."""
        if self.status == "RUNNING":
            # Started again with nothing left to call, it is over since then, not since its last call.
            over = max(self.ends_at or current().clock.stamp(), self.updated_at)
            self.change(status="COMPLETED", updated_at=over)
        elif not self.queue_rows(self.arrived_at):
            self.change(status="RUNNING")

    @classmethod
    def batches(cls) -> dict[str | None, tuple[float, float]]:
        """Batch size and interval of every active campaign."""
        found = cls.select(cls.id, cls.batch_size, cls.batch_interval_minutes).where(cls.status << ACTIVE)
        return {campaign.id: (campaign.batch_size, campaign.batch_interval_minutes) for campaign in found}


def complete_campaign(row: Row, rows: Neighbours) -> None:
    """What launching it would have given. Raises Invalid for a worker that is not its deployment's."""
    deployment = rows.row("voiceDeployments", row["deployment_id"])
    row.setdefault("flow_id", deployment["flow_id"])
    if row.setdefault("worker_id", deployment["worker_id"]) != deployment["worker_id"]:
        raise Invalid("The deployment is of another worker.", "worker_id")


def schedule_calls() -> None:
    """Queued calls that came in without a time follow each other in the batches of their campaign."""
    QueuedCall.schedule_the_unscheduled(OutboundCampaign.batches())


STATE = {
    "outboundCampaigns": Collection(
        OutboundCampaign, needs=VOICE_DEPLOYMENT, may=FLOW, complete=complete_campaign, came_in=schedule_calls
    )
}
