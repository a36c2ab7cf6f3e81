"""The base class of simulated runs, which wait, run for some seconds of API time, and pass or fail."""

from datetime import timedelta
from typing import Any, ClassVar, Self

from peewee import TextField, fn

from dryline.models.collection import ImportContext, Row, changes_without_due_time
from dryline.models.due import due_rows
from dryline.models.open_json import OpenJsonRecord
from dryline.storage.current_world import current
from dryline.storage.json_values import json_list, json_members
from dryline.storage.record import JsonField, Record, constant
from dryline.world.clock import parse, wire

STARTS_AFTER = timedelta(seconds=1)
SECONDS_EACH = 2  # of API time for each conversation
LONGEST = timedelta(hours=1)


class Run(OpenJsonRecord):
    """A run. Its status goes from `waiting` to RUNNING to PASSED or FAILED; `due_at` is the time of the next step."""

    waiting: ClassVar[str]

    updated_at = TextField()
    status = TextField()
    due_at = TextField(null=True)
    results = JsonField(null=True)

    @classmethod
    def begin(cls, team: Record, **values: Any) -> Self:
        """Create a waiting run."""
        due = wire(current().now() + STARTS_AFTER)
        return cls.add(team, status=cls.waiting, due_at=due, **values)

    @classmethod
    def complete(cls, row: Row, rows: ImportContext) -> None:
        """Schedule an imported run that has not ended as if it was created now, unless it has a `due_at`."""
        if row.setdefault("status", cls.waiting) in (cls.waiting, "RUNNING") and row.get("due_at") is None:
            row["due_at"] = wire(current().now() + STARTS_AFTER)

    @classmethod
    def import_changes_at(cls, row: Row) -> str | None:
        """Return an empty text for a run that `complete` schedules."""
        is_open = row.get("status", cls.waiting) in (cls.waiting, "RUNNING")
        return changes_without_due_time(row) if is_open else None

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        return cls.due_with_status(moment, limit, cls.waiting, "RUNNING")

    @classmethod
    def due_with_status(cls, moment: str, limit: int, *statuses: str) -> list[Self]:
        """Return the due runs with these statuses, as `due` does."""
        return due_rows(cls._due_query, limit, moment=moment, statuses=json_list(statuses))

    @classmethod
    def _due_query(cls, moment: str, statuses: str) -> Any:
        # These two are in the index of open runs.
        is_open = cls.status.in_([constant(cls.waiting), constant("RUNNING")])
        due_at = fn.COALESCE(cls.due_at, cls.created_at)

        # A run that was last changed later than the moment, before the clock was set back, does not wait again.
        is_due = (due_at <= moment) | (cls.updated_at > moment)
        has_status = cls.status.in_(json_members(statuses))
        return cls.select().where(is_open, has_status, is_due).order_by(due_at, cls.id)

    def start_running(self, moment: str, conversations: int) -> None:
        """Change the status to RUNNING, as of the time it was due, at the latest of the moment of the round.

        The end is due after so many conversations.
        """
        began = min(self.due_at or moment, moment)
        end = parse(began) + min(timedelta(seconds=SECONDS_EACH * min(conversations, 10_000)), LONGEST)
        self.change(status="RUNNING", due_at=wire(end), updated_at=began)

    def end(self, moment: str, results: list[dict[str, Any]], passed: bool) -> None:
        """End the run with these results, as of the time it was due, at the latest of the moment of the round."""
        ended = min(self.due_at or moment, moment)
        status = "PASSED" if passed else "FAILED"
        self.change(status=status, results=results, due_at=None, updated_at=ended)
