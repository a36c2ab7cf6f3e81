"""Simulated runs: what they share. They wait, run for a few seconds of API time, and pass or fail (jobs/moves.py)."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any, ClassVar, Self

from peewee import TextField

from dryline.models.collection import ImportContext, Row
from dryline.models.due import due_rows
from dryline.storage.current_world import current
from dryline.storage.record import JsonField, Record
from dryline.world.clock import parse, wire

STARTS_AFTER = timedelta(seconds=1)
SECONDS_EACH = 2  # of one conversation, in API time
LONGEST = timedelta(hours=1)  # however much there is to run


class Run(Record):
    """Goes from `waiting` to RUNNING to PASSED or FAILED. `due_at` is when it goes on; None means at once."""

    waiting: ClassVar[str]

    updated_at = TextField()
    status = TextField()
    due_at = TextField(null=True)
    results = JsonField(null=True)

    @classmethod
    def begin(cls, team: Record, **values: Any) -> Self:
        """A new run, waiting."""
        due = wire(current().clock.now() + STARTS_AFTER)
        return cls.add(team, status=cls.waiting, due_at=due, **values)

    @classmethod
    def complete(cls, row: Row, rows: ImportContext) -> None:
        """A run that came in and has not ended moves as one that was begun now, unless it says when."""
        if row.setdefault("status", cls.waiting) in (cls.waiting, "RUNNING") and row.get("due_at") is None:
            row["due_at"] = wire(current().clock.now() + STARTS_AFTER)

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` runs of any team that are to go on at a moment, the longest overdue first."""
        return cls.open_ones(moment, limit, cls.waiting, "RUNNING")

    @classmethod
    def open_ones(cls, moment: str, limit: int, *statuses: str) -> list[Self]:
        """As `due`, of these statuses only."""
        # As the index of the open runs has it.
        since, is_open = "COALESCE(due_at, created_at)", f"status IN ('{cls.waiting}', 'RUNNING')"
        of_these = " OR ".join(f"status = '{status}'" for status in statuses)
        where = f"{is_open} AND ({of_these}) AND {since} <= :moment"
        return due_rows(cls, where, f"{since}, id", limit, moment=moment)

    def proceed(self) -> None:
        """Take the step that is due, as of the moment it was due."""
        moment = self.due_at or current().clock.stamp()
        if self.status == self.waiting:
            end = parse(moment) + min(timedelta(seconds=SECONDS_EACH * min(self.conversations(), 10_000)), LONGEST)
            self.change(status="RUNNING", due_at=wire(end), updated_at=moment)
        else:
            # Chance comes from the id, so that a run gives the same however many others run beside it.
            self.end(*self.judge(Random(self.id)))

    def end(self, results: list[dict[str, Any]], passed: bool) -> None:
        """Keep the results, as of the moment they were due."""
        moment = self.due_at or current().clock.stamp()
        status = "PASSED" if passed else "FAILED"
        self.change(status=status, results=results, due_at=None, updated_at=moment)

    def conversations(self) -> int:
        """How many conversations the run holds."""
        raise NotImplementedError

    def judge(self, chance: Random) -> tuple[list[dict[str, Any]], bool]:
        """The results, and whether the run passed."""
        raise NotImplementedError
