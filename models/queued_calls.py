"""Queued calls: what batch calls and campaigns have still to call, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import DEPLOYMENT, Collection
from dryline.models.deployments import Deployment
from dryline.models.due import due_rows
from dryline.models.numbering import e164
from dryline.storage.current_world import current
from dryline.storage.record import JsonField, Record, connection, connection_execute
from dryline.world.clock import parse, wire

Row = dict[str, Any]

BATCH_SIZE = 10
BATCH_INTERVAL_MINUTES = 5
_LAST_DAY = datetime(9999, 12, 31, tzinfo=UTC)
# The members of a row that may hold its number. Only the first is named by a source.
_NUMBERS = ("phoneNumber", "phone_number", "phone")


def present() -> str:
    """The present moment."""
    return current().clock.stamp()


class QueuedCall(Record):
    """One row that waits to be called at `due_at`. `terms` are what a plain batch says of its calls.

    A row that comes in with a state document need not say when: `schedule_the_unscheduled` sees to it.
    """

    id_prefix = "queued"
    order = ("created_at", "id")

    deployment_id = TextField()
    campaign_id = TextField(null=True)
    row = JsonField()
    due_at = TextField(null=True)
    row_id = TextField(null=True)
    terms = JsonField(null=True)
    arrived_at = TextField(default=present)

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
        """Queue rows, each with its id, for the times in `due`."""
        world = current()
        shared = {
            "team_id": deployment.team_id,
            "created_at": world.clock.stamp(),
            "deployment_id": deployment.id,
            "campaign_id": campaign_id,
            "terms": terms,
            "arrived_at": world.clock.stamp(),
        }
        cls.add_many(
            {"id": world.ids.new(cls.id_prefix), "row": row, "row_id": row_id, "due_at": due_at, **shared}
            for (row_id, row), due_at in zip(rows, due, strict=True)
        )
        world.db.after_commit(world.wake)

    @classmethod
    def take_out(cls, *conditions: Any) -> list[Row]:
        """Remove what is queued under these conditions. Returns the rows, those due first at the front."""
        calls = cls.select().where(*conditions).order_by(cls.due_at, cls.id)
        rows = [call.row for call in calls]
        cls.delete().where(*conditions).execute()
        return rows

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` calls to be placed by a moment, in their turn."""
        return due_rows(cls, "due_at <= :moment", "due_at, id", limit, moment=moment)

    @classmethod
    def first_due(cls, campaign_id: str) -> str | None:
        """When the campaign's next batch is due."""
        sql = "SELECT min(due_at) FROM queued_call WHERE campaign_id = ?"
        return connection_execute(sql, (campaign_id,)).fetchone()[0]

    @classmethod
    def hasten(cls, campaign_id: str) -> int:
        """Have the campaign's next batch due now, where it is not already. Later ones keep their times.

        Returns how many calls the batch has.
        """
        first, now = cls.first_due(campaign_id), present()
        if first is None:
            return 0
        sql = "UPDATE queued_call SET due_at = min(due_at, ?) WHERE campaign_id = ? AND due_at = ?"
        count = connection_execute(sql, (now, campaign_id, first)).rowcount
        current().db.after_commit(current().wake)
        return count

    @classmethod
    def schedule_the_unscheduled(cls, batches: Mapping[str | None, tuple[float, float]]) -> bool:
        """Give times to calls without one, from their arrival on. `batches` has size and interval of campaigns.

        Says whether there were any.
        """
        queues: dict[tuple[str, str | None, str], list[str]] = {}
        for call in cls.select().where(cls.due_at.is_null()).order_by(cls.created_at, cls.id):
            queues.setdefault((call.deployment_id, call.campaign_id, call.arrived_at), []).append(call.id)
        for (_, campaign_id, arrived_at), ids in queues.items():
            size, interval = batches.get(campaign_id, (BATCH_SIZE, BATCH_INTERVAL_MINUTES))
            times = due_times(len(ids), size, interval, parse(arrived_at))
            connection().executemany(
                "UPDATE queued_call SET due_at = ? WHERE id = ?", list(zip(times, ids, strict=True))
            )
        return bool(queues)


def due_times(count: int, batch_size: float, interval_minutes: float, start: datetime) -> list[str]:
    """When each of `count` rows is called: batch by batch, the first at once."""
    size = max(int(batch_size), 1)
    times = []
    for first in range(0, count, size):
        try:
            due = start + timedelta(minutes=interval_minutes * (first // size))
        except OverflowError:
            due = _LAST_DAY
        times += [wire(due)] * min(size, count - first)
    return times


def numbered(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    """The rows with their ids: the one that the row brings, else its place in the list, from 1.

    An imported campaign may have other JSON for its rows: that is none.
    """
    rows = rows if isinstance(rows, list) else []
    return [(str(row["id"]) if row.get("id") not in (None, "") else str(n), row) for n, row in enumerate(rows, 1)]


def phone_number(row: Row) -> str | None:
    """The row's number as E.164; None where it has none that can be called."""
    for name in _NUMBERS:
        if isinstance(row.get(name), str):
            return e164(row[name])
    return None


def stated_number(row: Row) -> str | None:
    """What the row gives as its number, usable or not."""
    return next((str(row[name]) for name in _NUMBERS if row.get(name) is not None), None)


def number_fault(row: Row) -> str | None:
    """Why the row cannot be called; None where it can."""
    if phone_number(row) is not None:
        return None
    stated = stated_number(row)
    return "The row has no phoneNumber." if stated is None else f"{stated!r} is no phone number in E.164 form."


STATE = {"queuedCalls": Collection(QueuedCall, needs=DEPLOYMENT, may={"campaign_id": ("outboundCampaigns",)})}
