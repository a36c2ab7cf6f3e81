"""The one source of ids and of chance."""

from __future__ import annotations

import random
import threading
import time
from uuid import UUID


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
        high = self._high & (1 << 60) - 1
        return f"{prefix}_{UUID(int=(high >> 12) << 80 | 0x4 << 76 | (high & 0xFFF) << 64 | 0b10 << 62 | low)}"
