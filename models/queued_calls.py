"""Queued calls: the rows that batch calls and campaigns have still to call, and when."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any, Self

from peewee import TextField, fn

from dryline.models.collection import DEPLOYMENT, StateCollection, changes_without_due_time
from dryline.models.deployments import Deployment
from dryline.models.due import due_rows
from dryline.models.numbering import e164
from dryline.storage.current_world import current
from dryline.storage.record import JsonField, Record
from dryline.world.clock import LAST, parse, wire

Row = dict[str, Any]

BATCH_SIZE = 10
BATCH_INTERVAL_MINUTES = 5
# The members of a row that may hold its number. The contract names only the first.
_NUMBERS = ("phoneNumber", "phone_number", "phone")


def api_time() -> str:
    """Return the present API time as text, for the default of a column."""
    return current().stamp()


class QueuedCall(Record):
    """One row that is to be called at `due_at`: of a campaign of either kind, or of a batch.

    `terms` are the options that a batch sets for all its calls. An imported row may have no `due_at`;
    `schedule_imported` sets it.
    """

    id_prefix = "queued"
    order = ("created_at", "id")

    deployment_id = TextField()
    campaign_id = TextField(null=True)
    voicev1_campaign_id = TextField(null=True)
    row = JsonField()
    due_at = TextField(null=True)
    row_id = TextField(null=True)
    terms = JsonField(null=True)
    arrived_at = TextField(default=api_time)

    @property
    def owner_id(self) -> str:
        """The id of its campaign, or else of the deployment that a batch belongs to."""
        return self.campaign_id or self.voicev1_campaign_id or self.deployment_id

    @classmethod
    def enqueue(
        cls,
        deployment: Deployment,
        rows: Sequence[tuple[str, Row]],
        due: Sequence[str],
        *,
        campaign_id: str | None = None,
        terms: Row | None = None,
    ) -> None:
        """Queue rows with their ids for the times in `due`."""
        shared = {"deployment_id": deployment.id, "campaign_id": campaign_id, "terms": terms}
        for (row_id, row), due_at in zip(rows, due, strict=True):
            cls.add(deployment, row=row, row_id=row_id, due_at=due_at, **shared)
        current().db.after_commit(current().wake)

    @classmethod
    def take_out(cls, *conditions: Any) -> list[Row]:
        """Remove the queued calls that meet the conditions, and return their rows, earliest first."""
        calls = cls.select().where(*conditions).order_by(cls.due_at, cls.id)
        rows = [call.row for call in calls]
        cls.delete().where(*conditions).execute()
        return rows

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        return due_rows(cls._due_query, limit, moment=moment) or due_rows(cls._queued_later_query, limit, moment=moment)

    @classmethod
    def _due_query(cls, moment: str) -> Any:
        return cls.select().where(cls.due_at <= moment).order_by(cls.due_at, cls.id)

    @classmethod
    def _queued_later_query(cls, moment: str) -> Any:
        # A row that was due when it was queued, before the clock was set back. Later batches keep their times.
        is_queued_later = (cls.created_at > moment) & (cls.due_at <= cls.created_at)
        # An expression keeps SQLite from the index that has the order, and from reading all of it.
        due_at = cls.due_at.concat("")
        return cls.select().where(is_queued_later).order_by(due_at, cls.id)

    @classmethod
    def first_due(cls, campaign_id: str) -> str | None:
        """Return when the campaign's next batch is due."""
        return cls.select(fn.MIN(cls.due_at)).where(cls.campaign_id == campaign_id).scalar()

    @classmethod
    def run_next_batch_now(cls, of_campaign: Any) -> int:
        """Make the rows that are due next due now, and return their number. Later ones keep their times.

        `of_campaign` is the condition for the rows of the campaign.
        """
        first = cls.select(fn.MIN(cls.due_at)).where(of_campaign).scalar()
        if first is None:
            return 0
        count = cls.update(due_at=min(first, api_time())).where(of_campaign, cls.due_at == first).execute()
        current().db.after_commit(current().wake)
        return count

    @classmethod
    def schedule_imported(cls, batches: Mapping[str, tuple[float, float]]) -> None:
        """Set when imported rows without `due_at` are due: in batches of their campaign, from their arrival.

        `batches` maps a campaign's id to the size and interval of its batches.
        """
        queues: dict[tuple[str, str], list[str]] = {}
        for call in cls.select().where(cls.due_at.is_null()).order_by(cls.created_at, cls.id):
            queues.setdefault((call.owner_id, call.arrived_at), []).append(call.id)
        for (owner_id, arrived_at), ids in queues.items():
            size, interval = batches.get(owner_id, (BATCH_SIZE, BATCH_INTERVAL_MINUTES))
            times = due_times(len(ids), size, interval, parse(arrived_at))
            cls.set_each("due_at", dict(zip(ids, times, strict=True)))


def due_times(count: int, batch_size: float, interval_minutes: float, start: datetime) -> list[str]:
    """Return the times at which `count` rows are called: batch by batch, the first batch at `start`."""
    size = max(int(batch_size), 1)
    times = []
    for first in range(0, count, size):
        try:
            due = min(start + timedelta(minutes=interval_minutes * (first // size)), LAST)
        except OverflowError:
            due = LAST
        times += [wire(due)] * min(size, count - first)
    return times


def rows_with_ids(rows: Sequence[Row] | Row) -> list[tuple[str, Row]]:
    """Return the rows, or a single one, with their ids: the row's own `id`, or else its number in the list, from 1."""
    rows = [rows] if isinstance(rows, dict) else rows
    pairs = []
    for number, row in enumerate(rows, 1):
        id = row.get("id")
        if id is None or id == "":
            id = number
        pairs.append((str(id), row))
    return pairs


def phone_number(row: Row) -> str | None:
    """Return the row's number as E.164, or None if it has none that can be called."""
    for name in _NUMBERS:
        if isinstance(row.get(name), str):
            return e164(row[name])
    return None


def stated_number(row: Row) -> str | None:
    """Return the row's number as written, valid or not."""
    return next((str(row[name]) for name in _NUMBERS if row.get(name) is not None), None)


def number_fault(row: Row) -> str | None:
    """Return a sentence that says why the row cannot be called, or None if it can."""
    if phone_number(row) is not None:
        return None
    stated = stated_number(row)
    if stated is not None:
        return f"{stated!r} is no phone number in E.164 form."
    misspelt = get_close_matches(_NUMBERS[0], map(str, row), n=1)
    return f"The row has no phoneNumber; it has {misspelt[0]}." if misspelt else "The row has no phoneNumber."


STATE = {
    "queuedCalls": StateCollection(
        QueuedCall,
        required_links=DEPLOYMENT,
        optional_links={"campaign_id": ("outboundCampaigns",), "voicev1_campaign_id": ("voicev1Campaigns",)},
        # Those of Voice V1 are in `voicev1CampaignData`, as rows with the time of their call.
        fixed={"voicev1_campaign_id": None},
        changes_at=changes_without_due_time,
    )
}
