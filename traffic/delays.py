"""Random delays, which repeat with the seed."""

import math
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

LONGEST_MS = 600_000


class DelayDistribution(NamedTuple):
    """`uniform` from `lower_ms` to `upper_ms`; or `lognormal` around `median_ms`: most are short, some are long.

    `sigma` is the standard deviation of its logarithm: two thirds lie within a factor of e^sigma of the median.
    """

    type: str
    lower_ms: int | None = None
    upper_ms: int | None = None
    median_ms: int | None = None
    sigma: float | None = None

    def draw_ms(self, chance: Random) -> int:
        """Return the next delay, at most LONGEST_MS."""
        if self.type == "uniform":
            return round(chance.uniform(self.lower_ms or 0, self.upper_ms or 0))
        drawn = chance.lognormvariate(math.log(self.median_ms or 1), self.sigma or 0)
        return round(min(drawn, LONGEST_MS))

    def in_words(self) -> str:
        if self.type == "uniform":
            return f"{self.lower_ms:,} to {self.upper_ms:,} ms late"
        return f"about {self.median_ms:,} ms late, some much more"

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form. `names` maps wire names to attributes."""
        return {name: value for name, attribute in names.items() if (value := getattr(self, attribute)) is not None}
