"""The times at which live calls come in: a Poisson process with a given rate per minute."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any, Self

from dryline.world.clock import parse
from dryline.world.ids import random_from, random_state


class Arrivals:
    """The calls that come in after `since`.

    Their times and their random sources depend on `random` alone, not on how often `until` is called. `skipped` counts
    calls that were left out.
    """

    def __init__(self, since: datetime, random: Random, next_wait: float | None = None) -> None:
        self.since = since
        self.skipped = 0
        self._random = random
        self._next_wait = random.expovariate(1) if next_wait is None else next_wait  # in mean waits

    @classmethod
    def restored(cls, state: list[Any]) -> Self:
        """Return arrivals that go on after a `state`. Raises ValueError or TypeError for anything else."""
        since, skipped, next_wait, random = state
        if not 0 <= next_wait < 1_000:
            raise ValueError(f"nobody waits {next_wait} times the mean")
        arrivals = cls(parse(since), random_from(random), float(next_wait))
        arrivals.skipped = int(skipped)
        return arrivals

    def state(self) -> list[Any]:
        """Return the state as JSON, for `restored`."""
        return [self.since.isoformat(), self.skipped, self._next_wait, random_state(self._random)]

    def until(self, now: datetime, mean_wait: timedelta, limit: int) -> list[tuple[datetime, Random]]:
        """Return the next calls up to `now`, at most `limit`: the time and a random source of each."""
        calls: list[tuple[datetime, Random]] = []
        while len(calls) < limit and (wait := self._next_wait * mean_wait) <= now - self.since:
            self.since += wait
            self._next_wait = self._random.expovariate(1)
            calls.append((self.since, Random(self._random.getrandbits(64))))
        return calls

    def skip_to(self, moment: datetime) -> None:
        """Leave out the calls before a moment."""
        self.since = max(self.since, moment)
