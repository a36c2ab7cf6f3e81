"""Campaigns of legacy voice deployments, whose rows each have a status and a result of their own."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import Collection
from dryline.models.due import due_rows
from dryline.models.queued_calls import BATCH_INTERVAL_MINUTES, BATCH_SIZE, due_times, present
from dryline.models.said_outcomes import demand_outcomes
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid, NotFound
from dryline.storage.record import JsonField, Record, connection, connection_execute
from dryline.world.clock import parse

OPEN = ("PENDING", "PROCESSING")
# `due_at` of a row that somebody drives by hand.
NEVER = "9999-12-31T23:59:59.999Z"


class Voicev1Campaign(Record):
    """A legacy campaign: RUNNING from its creation, COMPLETED when no row is open, FAILED when every row failed."""

    id_prefix = "campaign"

    updated_at = TextField()
    deployment_id = TextField()
    status = TextField(default="RUNNING")
    steps = JsonField(default=list)

    @classmethod
    def launch(cls, deployment: VoiceV1Deployment, *, steps: list[Any] | None = None) -> Self:
        """A new campaign without rows. Contract: createVoiceV1Campaign."""
        return cls.add(deployment, deployment_id=deployment.id, steps=steps or [])

    @cached_property
    def data(self) -> list[Voicev1CampaignData]:
        """Its rows, in the order they were sent."""
        return list(Voicev1CampaignData.listing(self, campaign_id=self.id))

    def run(self, rows: list[dict[str, Any]]) -> Self:
        """Call these rows, ten every five minutes, the first ones now. A row of the same id is replaced.

        Raises Invalid when two rows have the same id, and as `demand_outcomes`. Contract: runVoiceV1Campaign.
        """
        demand_outcomes(rows)
        ids: set[str] = set()
        for index, row in enumerate(rows):
            if row["id"] in ids:
                raise Invalid(f"Another row has the id {row['id']!r}.", f"data.{index}.id")
            ids.add(row["id"])
        self.change(status="RUNNING")
        world = current()
        now = world.clock.now()
        due = iter(due_times(len(rows), BATCH_SIZE, BATCH_INTERVAL_MINUTES, now))
        new = []
        for row in rows:
            status = {"RUNNING": "PROCESSING"}.get(row.get("status", "PENDING"), row.get("status", "PENDING"))
            values = {
                "id": world.ids.new(Voicev1CampaignData.id_prefix),
                "team_id": self.team_id,
                "created_at": world.clock.stamp(),
                "updated_at": world.clock.stamp(),
                "arrived_at": world.clock.stamp(),
                "campaign_id": self.id,
                "row_id": row["id"],
                "row_data": row,
                "status": status,
                "due_at": next(due) if status in OPEN else None,
            }
            new.append(values)
        drop = "DELETE FROM voicev1_campaign_data WHERE campaign_id = ? AND row_id = ?"
        connection().executemany(drop, [(self.id, id) for id in ids])
        Voicev1CampaignData.add_many(new)
        world.db.after_commit(world.wake)
        return self

    def hasten(self) -> int:
        """Have the rows due now that are due next. Returns how many they are."""
        waiting = "campaign_id = ? AND status IN ('PENDING', 'PROCESSING') AND done_at IS NULL AND due_at < ?"
        sql = f"SELECT min(due_at) FROM voicev1_campaign_data WHERE {waiting}"
        (first,) = connection_execute(sql, (self.id, NEVER)).fetchone()
        if first is None:
            return 0
        now = current().clock.stamp()
        sql = f"UPDATE voicev1_campaign_data SET due_at = min(due_at, ?) WHERE {waiting} AND due_at = ?"
        count = connection_execute(sql, (now, self.id, NEVER, first)).rowcount
        current().db.after_commit(current().wake)
        return count

    def row(self, id: str) -> Voicev1CampaignData:
        """The row of this id on the wire. Raises NotFound."""
        row = Voicev1CampaignData.find(campaign_id=self.id, row_id=id)
        if row is None:
            raise NotFound(f"Campaign {self.id} has no row {id}.")
        return row

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` campaigns that have rows, and none open: at any moment."""
        its_rows = "SELECT 1 FROM voicev1_campaign_data WHERE campaign_id = voicev1_campaign.id"
        over = (
            f"status = 'RUNNING' AND EXISTS ({its_rows})"
            f" AND NOT EXISTS ({its_rows} AND status IN ('PENDING', 'PROCESSING'))"
        )
        return due_rows(cls, over, "created_at, id", limit)

    def proceed(self) -> None:
        """COMPLETED, or FAILED where every row has, as of the moment the last row was done."""
        reached = Voicev1CampaignData.find(campaign_id=self.id, status="COMPLETED")
        sql = "SELECT max(updated_at) FROM voicev1_campaign_data WHERE campaign_id = ?"
        (done,) = connection_execute(sql, (self.id,)).fetchone()
        self.change(status="COMPLETED" if reached else "FAILED", updated_at=max(done, self.updated_at))


class Voicev1CampaignData(Record):
    """A row of a legacy campaign. PENDING; PROCESSING when it is called; COMPLETED or FAILED when that call is over.

    `row_id` is its id on the wire, unique in the campaign alone.
    """

    id_prefix = "campaigndata"
    order = ("created_at", "id")

    updated_at = TextField()
    campaign_id = TextField()
    row_id = TextField()
    row_data = JsonField()
    status = TextField(default="PENDING")
    result = JsonField(null=True)
    due_at = TextField(null=True)
    done_at = TextField(null=True)
    outcome = JsonField(null=True)
    arrived_at = TextField(default=present)

    @classmethod
    def noun(cls) -> str:
        """What messages call it."""
        return "Campaign row"

    def revise(self, **values: Any) -> Self:
        """Change row, status or result by hand. PENDING has the row called (again) now; any other status leaves it be.

        While the row is open its campaign runs. Raises NotFound when the campaign is gone.
        Contract: updateVoiceV1CampaignData.
        """
        if "status" in values:
            again = values["status"] == "PENDING"
            values.update(due_at=current().clock.stamp() if again else NEVER, done_at=None, outcome=None)
            if values["status"] in OPEN:
                Voicev1Campaign.fetch(self, self.campaign_id).change(status="RUNNING")
            current().db.after_commit(current().wake)
        return self.change(**values)

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` rows to be called by a moment, in their turn."""
        waiting = "status IN ('PENDING', 'PROCESSING') AND done_at IS NULL AND due_at <= :moment"
        return due_rows(cls, waiting, "due_at, id", limit, moment=moment)

    def called(self, ends_at: str, outcome: dict[str, Any]) -> None:
        """Note that the row is being called until `ends_at`, and what will have come of it."""
        self.change(status="PROCESSING", done_at=ends_at, outcome=outcome, updated_at=self.due_at)

    @classmethod
    def over(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` rows whose call is over at a moment."""
        return due_rows(cls, "status = 'PROCESSING' AND done_at <= :moment", "done_at, id", limit, moment=moment)

    def finish(self) -> None:
        """Take what has come of the call as the row's result."""
        reached = bool(self.outcome and self.outcome.get("reached"))
        status = "COMPLETED" if reached else "FAILED"
        self.change(status=status, result=self.outcome, updated_at=self.done_at)

    @classmethod
    def schedule_the_unscheduled(cls) -> bool:
        """Give times to open rows without one, which came in with a state document, from then on.

        Says whether there were any.
        """
        queues: dict[tuple[str, str], list[str]] = {}
        waiting = cls.select(cls.id, cls.campaign_id, cls.arrived_at).where(cls.status << OPEN, cls.due_at.is_null())
        for row in waiting.order_by(cls.created_at, cls.id):
            queues.setdefault((row.campaign_id, row.arrived_at), []).append(row.id)
        for (_, arrived_at), ids in queues.items():
            times = due_times(len(ids), BATCH_SIZE, BATCH_INTERVAL_MINUTES, parse(arrived_at))
            connection().executemany(
                "UPDATE voicev1_campaign_data SET due_at = ? WHERE id = ?", list(zip(times, ids, strict=True))
            )
        return bool(queues)


STATE = {
    "voicev1Campaigns": Collection(Voicev1Campaign, needs={"deployment_id": ("voicev1Deployments",)}),
    "voicev1CampaignData": Collection(
        Voicev1CampaignData,
        came_in=Voicev1CampaignData.schedule_the_unscheduled,
        needs={"campaign_id": ("voicev1Campaigns",)},
        has_id=False,
        sorted_by=("created_at", "row_id", "campaign_id"),
    ),
}
