"""Figures of a team's calls by worker: how many, how they ended, how long they took, how fast the agent was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple, Self

import orjson

from dryline.models.plain_sql import sum_calls
from dryline.storage.current_world import current
from dryline.storage.record import Record
from dryline.world.clock import wire


class Period(NamedTuple):
    """A time of whole hours or days, the last of which is the present one."""

    size: int
    part: timedelta

    def starts(self) -> list[datetime]:
        """Return when each part begins, the oldest first."""
        now = current().now()
        last = now.replace(minute=0, second=0, microsecond=0)
        if self.part >= timedelta(days=1):
            last = last.replace(hour=0)
        return [last - ago * self.part for ago in reversed(range(self.size))]

    def stamps(self) -> list[str]:
        """Return the text with which the times of each part begin: `2026-11-21T14` or `2026-11-21`."""
        length = 10 if self.part >= timedelta(days=1) else 13
        return [wire(start)[:length] for start in self.starts()]


WEEK = Period(7, timedelta(days=1))


@dataclass
class CallFigures:
    """Sums of some calls that have ended. A share or mean of no calls is None."""

    calls: int = 0
    answered: float = 0
    transferred: float = 0
    answered_s: float = 0
    latencies_ms: list[float] = field(default_factory=list)
    evaluated: float = 0
    successful: float = 0

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
class Comparison:
    """The figures of each part of a period, the oldest first, and those of the same time one period earlier."""

    parts: list[CallFigures]
    before: CallFigures = field(default_factory=CallFigures)

    @property
    def total(self) -> CallFigures:
        """The figures of the whole period."""
        return sum(self.parts, CallFigures())

    @classmethod
    def combined(cls, comparisons: Iterable[Self]) -> Comparison:
        """Return the figures of several workers together."""
        every = list(comparisons)
        parts_of_workers = [comparison.parts for comparison in every]
        parts = [sum(same_time, CallFigures()) for same_time in zip(*parts_of_workers, strict=True)]
        return Comparison(parts, sum((one.before for one in every), CallFigures()))


def figures_by_worker(team: Record, period: Period = WEEK) -> dict[str, Comparison]:
    """Return the figures of the team's workers that had calls in a period or the one before, by worker id. One query.

    The period before ends as long before the present as it takes, so that the same days and hours are compared.
    """
    now, start, stamps = current().now(), period.starts()[0], period.stamps()
    span = period.size * period.part
    times = {"start": start, "start_before": start - span, "now": now, "now_before": now - span}
    params = {name: wire(time) for name, time in times.items()} | {"team": team.team_id, "length": len(stamps[0])}
    figures: dict[str, Comparison] = {}
    for row in sum_calls(params):
        worker_id, stamp, calls, answered, transferred, answered_s, latencies, evaluated, successful = row
        comparison = figures.setdefault(worker_id, Comparison([CallFigures() for _ in stamps]))
        one = CallFigures(calls, answered, transferred, answered_s, orjson.loads(latencies), evaluated, successful)
        if stamp is None:
            comparison.before = one
        else:
            comparison.parts[stamps.index(stamp)] = one
    return figures
