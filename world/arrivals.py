"""The times at which live calls come in: a Poisson process with a given rate per minute."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

# With fewer calls, the mean time between two of them could be longer than a calendar.
LEAST_CALLS_PER_MINUTE = 0.001
Arrival = tuple[datetime, int]  # the time of a call, and the seed of its random numbers


class Arrivals:
    """The calls that come in after `since`.

    `since` moves on to each call that was returned. Their times and their seeds depend on `random` alone, not
    on how often `until` is called. `skipped` counts calls that were left out.
    """

    def __init__(self, since: datetime, random: Random) -> None:
        self.since = since
        self.skipped = 0
        self._random = random
        self._next_in_mean_waits = random.expovariate(1)
        self._given_back: list[Arrival] = []

    def until(self, now: datetime, mean_wait: timedelta, limit: int) -> list[Arrival]:
        """Return the next calls up to `now`, at most `limit`: the time and a seed of each."""
        calls, self._given_back = self._given_back[:limit], self._given_back[limit:]
        while len(calls) < limit and (wait := self._next_in_mean_waits * mean_wait) <= now - self.since:
            self.since += wait
            self._next_in_mean_waits = self._random.expovariate(1)
            calls.append((self.since, self._random.getrandbits(64)))
        return calls

    def give_back(self, calls: Sequence[Arrival]) -> None:
        """Take back the last of the calls that `until` has returned. They are the next ones again."""
        self._given_back = [*calls, *self._given_back]
