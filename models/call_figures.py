"""Figures of a team's calls by worker and day: how many, how they ended, how long they took, how fast the agent was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median
from typing import Self

from dryline.storage.current_world import current
from dryline.storage.record import Record, connection
from dryline.world.clock import wire

DAYS = 7
# Days are counted back from the present, so that each is whole. The latest day is 0.
# LIMIT -1 keeps SQLite from merging the queries: it would sort the calls with all of their `data`.
_SQL = """
SELECT worker_id, CAST(julianday(:now) - julianday(start_time) AS INTEGER) AS day, COUNT(*),
    SUM(status IN ('completed', 'transferred')), SUM(status = 'transferred'),
    SUM(CASE WHEN status IN ('completed', 'transferred') THEN duration END),
    GROUP_CONCAT(latency), SUM(success IN ('true', 'false')), SUM(success = 'true')
FROM (
    SELECT worker_id, start_time, status, duration,
        CASE WHEN json_type(data, '$.latency.p50') IN ('integer', 'real')
            THEN json_extract(data, '$.latency.p50') END AS latency,
        json_type(data, '$.call_analysis.call_successful') AS success
    FROM voice_log
    WHERE team_id = :team AND start_time > :since AND start_time <= :now AND status NOT IN ('ringing', 'in-progress')
    LIMIT -1)
GROUP BY 1, 2"""


@dataclass
class CallFigures:
    """Sums of some calls that have ended. A share or mean of no calls is None."""

    calls: int = 0
    answered: int = 0
    transferred: int = 0
    answered_s: float = 0
    latencies_ms: list[float] = field(default_factory=list)
    evaluated: int = 0
    successful: int = 0

    def __add__(self, other: Self) -> CallFigures:
        return CallFigures(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def answered_share(self) -> float | None:
        """The part of the calls in which a person spoke with the agent."""
        return self.answered / self.calls if self.calls else None

    @property
    def transferred_share(self) -> float | None:
        """The part of the answered calls that went on to a person."""
        return self.transferred / self.answered if self.answered else None

    @property
    def mean_length_s(self) -> float | None:
        """The mean length of the answered calls."""
        return self.answered_s / self.answered if self.answered else None

    @property
    def latency_ms(self) -> float | None:
        """The median of the calls' median latencies."""
        return median(self.latencies_ms) if self.latencies_ms else None

    @property
    def success_share(self) -> float | None:
        """The part of the evaluated calls that were a success."""
        return self.successful / self.evaluated if self.evaluated else None


@dataclass
class TwoWeeks:
    """The figures of fourteen days of 24 hours, the oldest first; the last ends now."""

    days: list[CallFigures] = field(default_factory=lambda: [CallFigures() for _ in range(2 * DAYS)])

    @property
    def before(self) -> CallFigures:
        """The figures of the first week."""
        return sum(self.days[:DAYS], CallFigures())

    @property
    def week(self) -> CallFigures:
        """The figures of the last week."""
        return sum(self.days[DAYS:], CallFigures())

    @classmethod
    def of_all(cls, parts: Iterable[TwoWeeks]) -> Self:
        """Return the figures of several workers together."""
        return cls(
            [sum(days, CallFigures()) for days in zip(*(part.days for part in parts), strict=True)] or cls().days
        )


def by_worker(team: Record) -> dict[str, TwoWeeks]:
    """Return the figures of the team's workers that had calls in the last two weeks, by worker id. One query."""
    now = current().clock.now()
    since = now - timedelta(days=2 * DAYS)
    figures: dict[str, TwoWeeks] = {}
    for row in connection().execute(_SQL, {"team": team.team_id, "since": wire(since), "now": wire(now)}):
        worker_id, day, calls, answered, transferred, answered_s, latencies, evaluated, successful = row
        days = figures.setdefault(worker_id, TwoWeeks()).days
        days[-1 - min(max(day, 0), 2 * DAYS - 1)] += CallFigures(
            calls=calls,
            answered=answered or 0,
            transferred=transferred or 0,
            answered_s=answered_s or 0,
            latencies_ms=[float(latency) for latency in (latencies or "").split(",") if latency],
            evaluated=evaluated or 0,
            successful=successful or 0,
        )
    return figures
