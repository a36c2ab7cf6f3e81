"""The one source of ids and of chance."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterable
from typing import Any

_UUID = re.compile(r"_([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$")


class Ids:
    """Hands out ids like `worker_<uuid>`: version 4 in form, and rising, so that rows of one instant keep their order.

    With a seed the same calls give the same ids. `generation` counts the starts on one data directory, so that a
    restart with the same seed does not hand out the same ids again.
    """

    def __init__(self, seed: int | None = None, generation: int = 0) -> None:
        self._lock = threading.Lock()
        self.restart(seed, generation)

    def restart(self, seed: int | None, generation: int = 0) -> None:
        """Begin again, as on the first day of `seed`."""
        self.seed = seed
        self.random = random.Random(None if seed is None else f"{seed}/{generation}")
        # 60 bits rise: from the time without a seed, from a fixed low point with one.
        self._high = time.time_ns() // 1000 << 8 if seed is None else 1 << 56 | generation << 40

    def new(self, prefix: str) -> str:
        """The next id, e.g. `new("worker")` -> `worker_0190f3c2-7a5e-4b1c-9d2e-5f6a7b8c9d0e`."""
        with self._lock:
            self._high += self.random.randrange(1, 1 << 12)
            low = self.random.getrandbits(62)
        # Written out here, not by uuid.UUID, which takes as long as all the rest: a simulated call has three ids.
        high, low_digits = f"{self._high & (1 << 60) - 1:015x}", f"{0b10 << 62 | low:016x}"
        return f"{prefix}_{high[:8]}-{high[8:12]}-4{high[12:]}-{low_digits[:4]}-{low_digits[4:]}"

    def skip_past(self, ids: Iterable[str]) -> None:
        """Never hand out one of these: they came from elsewhere, maybe from an earlier run with the same seed."""
        found = [match[1] + match[2] + match[3] for match in map(_UUID.search, ids) if match]
        if found:
            highest = int(max(found), 16)
            with self._lock:
                # An id near the end of the numbers is nobody's but an inventor's: it must not use them up.
                if highest < 7 << 57:
                    self._high = max(self._high, highest)

    def position(self) -> list[Any]:
        """Where the ids and chance have come to, as JSON, for `go_to`."""
        with self._lock:
            version, numbers, gauss = self.random.getstate()
            return [self._high, version, list(numbers), gauss]

    def go_to(self, position: list[Any]) -> None:
        """Go on from there: the same calls give what they gave then."""
        high, version, numbers, gauss = position
        with self._lock:
            self._high = high
            self.random.setstate((version, tuple(numbers), gauss))
