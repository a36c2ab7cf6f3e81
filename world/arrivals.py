"""When calls come in by themselves: at random and independent of each other, so many a minute (a Poisson process)."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random


class Arrivals:
    """The calls that come in after `since`. Moments and what chance each has depend on `chance` alone, not on when
    somebody looks."""

    def __init__(self, since: datetime, chance: Random) -> None:
        self.since = since
        self._chance = chance
        self._wait = chance.expovariate(1)  # for the next one, in mean waits

    def until(self, now: datetime, mean_wait: timedelta, limit: int) -> list[tuple[datetime, Random]]:
        """The next `limit` of those up to `now`: when, and a source of chance for each."""
        found: list[tuple[datetime, Random]] = []
        while len(found) < limit and (wait := self._wait * mean_wait) <= now - self.since:
            self.since += wait
            self._wait = self._chance.expovariate(1)
            found.append((self.since, Random(self._chance.getrandbits(64))))
        return found

    def skip_to(self, moment: datetime) -> None:
        """Leave out what would come in before a moment."""
        self.since = max(self.since, moment)
