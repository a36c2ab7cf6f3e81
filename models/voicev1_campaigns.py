"""Campaigns of legacy voice deployments. Each of their rows has a status and a result."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from peewee import TextField, chunked, fn

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.collection import ImportContext, Row, StateCollection, changes_without_due_time
from dryline.models.due import due_rows
from dryline.models.plain_sql import due_time_of_row
from dryline.models.queued_calls import BATCH_INTERVAL_MINUTES, BATCH_SIZE, QueuedCall, due_times
from dryline.models.scripted_outcomes import require_outcomes
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid, NotFound
from dryline.storage.record import JsonField, Record, constant
from dryline.world.clock import LATEST, wire

OPEN = ("PENDING", "PROCESSING")
# In documents the time of the call of an open row that is not called, because its status was set by hand: the last time
# that a document may have.
NEVER = wire(LATEST)


class Voicev1Campaign(Record):
    """A legacy campaign: RUNNING from its creation, COMPLETED when no row is open, FAILED when every row failed."""

    id_prefix = "campaign"

    updated_at = TextField()
    deployment_id = TextField()
    status = TextField(default="RUNNING")
    steps = JsonField(default=list)

    @classmethod
    def launch(cls, deployment: VoiceV1Deployment, *, steps: list[Any] | None = None) -> Self:
        """Create a campaign without rows. Contract: createVoiceV1Campaign."""
        return cls.add(deployment, deployment_id=deployment.id, steps=steps or [])

    @cached_property
    def data(self) -> list[Voicev1CampaignData]:
        """The rows, in the order they were sent."""
        return list(Voicev1CampaignData.listing(self, campaign_id=self.id))

    def run(self, rows: list[dict[str, Any]]) -> Self:
        """Call these rows, ten every five minutes, starting now. They replace rows of the same ids.

        Raises Invalid when two rows have the same id, and as `require_outcomes`. Contract: runVoiceV1Campaign.
        """
        require_outcomes(rows)
        ids: set[str] = set()
        for index, row in enumerate(rows):
            if row["id"] in ids:
                raise Invalid(f"Another row has the id {row['id']!r}.", f"data.{index}.id")
            ids.add(row["id"])
        self.change(status="RUNNING")
        data, world = Voicev1CampaignData, current()
        for some in chunked(ids, 1000):
            data.delete().where(data.campaign_id == self.id, data.row_id.in_(some)).execute()
            QueuedCall.take_out(QueuedCall.voicev1_campaign_id == self.id, QueuedCall.row_id.in_(some))
        due = iter(due_times(len(rows), BATCH_SIZE, BATCH_INTERVAL_MINUTES, world.now()))
        for row in rows:
            status = row.get("status", "PENDING").replace("RUNNING", "PROCESSING")
            added = data.add(self, campaign_id=self.id, row_id=row["id"], row_data=row, status=status)
            if status in OPEN:
                self.queue_row(added, next(due))
        return self

    def queue_row(self, row: Voicev1CampaignData, due_at: str) -> None:
        """Queue a row. Its queued call has its id, which is also the seed of the call."""
        now = current().stamp()
        call = {
            "id": row.id,
            "team_id": self.team_id,
            "created_at": now,
            "arrived_at": now,
            "deployment_id": self.deployment_id,
            "voicev1_campaign_id": self.id,
            "row_id": row.row_id,
            "row": row.row_data,
            "due_at": due_at,
        }
        QueuedCall.add_many([call])
        current().db.after_commit(current().wake)

    def run_next_batch_now(self) -> int:
        """Make the rows that are due next due now, and return their number."""
        return QueuedCall.run_next_batch_now(QueuedCall.voicev1_campaign_id == self.id)

    def fetch_row(self, id: str) -> Voicev1CampaignData:
        """Return the row with this id on the wire. Raises NotFound."""
        row = Voicev1CampaignData.find(campaign_id=self.id, row_id=id)
        if row is None:
            raise NotFound(f"Campaign {self.id} has no row {id}.")
        return row

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        return due_rows(cls._due_query, limit)

    @classmethod
    def _due_query(cls) -> Any:
        rows = Voicev1CampaignData.select(Voicev1CampaignData.id).where(Voicev1CampaignData.campaign_id == cls.id)
        open_rows = rows.where(Voicev1CampaignData.status.in_(OPEN))
        is_due = fn.EXISTS(rows) & ~fn.EXISTS(open_rows)
        return cls.select().where(cls.status == "RUNNING", is_due).order_by(cls.created_at, cls.id)

    def proceed(self, moment: str) -> None:
        """Complete the campaign, or fail it if every row failed, as of the time the last row was done."""
        row = Voicev1CampaignData
        reached = row.find(campaign_id=self.id, status="COMPLETED")
        done_at = row.select(fn.MAX(row.updated_at)).where(row.campaign_id == self.id).scalar()
        self.change(status="COMPLETED" if reached else "FAILED", updated_at=max(done_at, self.updated_at))


class Voicev1CampaignData(Record):
    """A row of a legacy campaign. PENDING; PROCESSING when it is called; COMPLETED or FAILED when that call is over.

    `row_id` is its id on the wire, unique in the campaign alone. It waits for its call in the queue. During the call
    `done_at` is the end of it, and `outcome` what it will come to, which then is the `result`.
    """

    id_prefix = "campaigndata"
    name_in_messages = "Campaign row"
    order = ("created_at", "id")

    updated_at = TextField()
    campaign_id = TextField()
    row_id = TextField()
    row_data = JsonField()
    status = TextField(default="PENDING")
    result = JsonField(null=True)
    done_at = TextField(null=True)
    outcome = JsonField(null=True)

    def revise(self, **values: Any) -> Self:
        """Change row, status or result by hand. PENDING calls the row (again) now; any other status does not call it.

        An open row sets its campaign RUNNING. Raises NotFound if the campaign was deleted.
        Contract: updateVoiceV1CampaignData.
        """
        waiting = QueuedCall.voicev1_campaign_id == self.campaign_id, QueuedCall.row_id == self.row_id
        if "status" not in values:
            QueuedCall.update(row=values.get("row_data", self.row_data)).where(*waiting).execute()
            return self.change(**values)

        QueuedCall.take_out(*waiting)
        current().db.after_commit(current().wake)
        self.change(**values, done_at=None, outcome=None)
        if self.status in OPEN:
            campaign = Voicev1Campaign.fetch(self, self.campaign_id).change(status="RUNNING")
            if self.status == "PENDING":
                campaign.queue_row(self, current().stamp())
        return self

    def record_call(self, begins_at: str, ends_at: str, outcome: dict[str, Any]) -> None:
        """Record that the row is being called until `ends_at`, and the outcome of the call."""
        self.change(status="PROCESSING", done_at=ends_at, outcome=outcome, updated_at=begins_at)

    @classmethod
    def due_to_finish(cls, moment: str, limit: int) -> list[Self]:
        return due_rows(cls._due_to_finish_query, limit, moment=moment) or due_rows(
            cls._ended_early_query, limit, moment=moment
        )

    @classmethod
    def _due_to_finish_query(cls, moment: str) -> Any:
        return cls._in_call_query().where(cls.done_at <= moment)

    @classmethod
    def _ended_early_query(cls, moment: str) -> Any:
        # A row whose call has ended early, since the clock was set back.
        calls = CallInProgress.select(CallInProgress.id)
        call = calls.where(CallInProgress.id == fn.json_extract(cls.outcome, "$.logId"))
        return cls._in_call_query().where(cls.done_at > moment, ~fn.EXISTS(call))

    @classmethod
    def _in_call_query(cls) -> Any:
        is_open = cls.status.in_([constant(status) for status in OPEN])  # the condition of the index
        return cls.select().where(is_open, cls.status == "PROCESSING").order_by(cls.done_at, cls.id)

    def finish(self) -> None:
        """Set the row's result to the outcome of its call."""
        reached = bool(self.outcome and self.outcome.get("reached"))
        status = "COMPLETED" if reached else "FAILED"
        self.change(status=status, result=self.outcome, updated_at=self.done_at)


def queue_imported_row(row: Row, rows: ImportContext) -> None:
    """Queue a row that waits for its call. Without a time of its own it is called in the batches of a run."""
    due_at = row.pop("due_at", None)
    waits_for_call = row.get("status", "PENDING") in OPEN and row.get("done_at") is None
    if not waits_for_call or (due_at or "") >= NEVER:
        return
    call = {
        "id": row["id"],
        "team_id": row["team_id"],
        "created_at": row.get("updated_at") or row.get("created_at"),
        "deployment_id": rows.find_row("voicev1Campaigns", row["campaign_id"])["deployment_id"],
        "voicev1_campaign_id": row["campaign_id"],
        "row_id": row["row_id"],
        "row": row["row_data"],
        "due_at": due_at,
    }
    rows.add("queuedCalls", call)


STATE = {
    "voicev1Campaigns": StateCollection(Voicev1Campaign, required_links={"deployment_id": ("voicev1Deployments",)}),
    "voicev1CampaignData": StateCollection(
        Voicev1CampaignData,
        complete=queue_imported_row,
        computed={"due_at": due_time_of_row(NEVER)},
        required_links={"campaign_id": ("voicev1Campaigns",)},
        changes_at=lambda row: changes_without_due_time(row) if row.get("status", OPEN[0]) in OPEN else None,
        has_id=False,
        sorted_by=("created_at", "row_id", "campaign_id"),
    ),
}
