"""The one source of ids and of chance."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from random import Random
from typing import Any

_UUID = re.compile(r"_([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$")


# Whether what runs is a job, and no request (see `Ids.by_itself`).
_by_itself: ContextVar[bool] = ContextVar("dryline_by_itself", default=False)


# Of a node's name, which has at most nine of them (settings.py).
_LETTERS = "-0123456789abcdefghijklmnopqrstuvwxyz"


def node_digits(node: str) -> str:
    """A node's name as the last twelve digits of a UUID, where RFC 9562 (5.1) has the node that made it.

    Read as a number of base 37 without a zero: 37 letters in nine places are less than 48 bits.
    """
    number = 0
    for letter in node:
        number = number * len(_LETTERS) + _LETTERS.index(letter) + 1
    return f"{number:012x}"


class _Source:
    """Chance, and the number that has risen so far."""

    __slots__ = ("high", "random")

    def __init__(self, seed: str | None, high: int) -> None:
        self.random = Random(seed)
        self.high = high

    def position(self) -> list[Any]:
        version, numbers, gauss = self.random.getstate()
        return [self.high, version, list(numbers), gauss]

    def go_to(self, position: list[Any]) -> None:
        high, version, numbers, gauss = position
        self.high = high
        self.random.setstate((version, tuple(numbers), gauss))


class Ids:
    """Hands out ids like `worker_<uuid>`: version 4 in form, and rising, so that rows of one instant keep their order.

    With a seed the same calls give the same ids. A server that is one of several has a `node`'s name, which its ids
    carry (`node_digits`): no two nodes hand out the same one, whatever their seeds. `generation` counts the starts on
    one data directory, so that a restart with the same seed does not hand out the same ids again. What moves by itself
    draws from a source of its own: it runs when a thread gets to it, which must not change what a request gets.
    """

    def __init__(self, seed: int | None = None, generation: int = 0, node: str | None = None) -> None:
        self._lock = threading.Lock()
        self._node, self._node_digits = node, node_digits(node) if node else None
        self.restart(seed, generation)

    def restart(self, seed: int | None, generation: int = 0) -> None:
        """Begin again, as on the first day of `seed`."""
        self.seed = seed
        # 60 bits rise: from the time without a seed, from a fixed low point with one.
        high = time.time_ns() // 1000 << 8 if seed is None else 1 << 56 | generation << 40
        begin = f"{seed}/{generation}" + (f"/node {self._node}" if self._node else "")
        self._asked = _Source(None if seed is None else begin, high)
        self._moved = _Source(None if seed is None else f"{begin}/by itself", high)

    @contextlib.contextmanager
    def by_itself(self) -> Iterator[None]:
        """For a block, draw ids and chance from the source of what moves by itself."""
        token = _by_itself.set(True)
        try:
            yield
        finally:
            _by_itself.reset(token)

    @property
    def random(self) -> Random:
        """Chance."""
        return self._source.random

    @property
    def _source(self) -> _Source:
        return self._moved if _by_itself.get() else self._asked

    def new(self, prefix: str) -> str:
        """The next id, e.g. `new("worker")` -> `worker_0190f3c2-7a5e-4b1c-9d2e-5f6a7b8c9d0e`."""
        source = self._source
        with self._lock:
            source.high += source.random.randrange(1, 1 << 12)
            low = source.random.getrandbits(62)
            rising = source.high & (1 << 60) - 1
        # Written out here, not by uuid.UUID, which takes as long as all the rest: a simulated call has three ids.
        digits = (rising << 64 | 0b10 << 62 | low).to_bytes(16, "big").hex()[1:]
        end = digits[19:] if self._node_digits is None else self._node_digits
        return f"{prefix}_{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-{digits[15:19]}-{end}"

    def skip_past(self, ids: Iterable[str]) -> None:
        """Never hand out one of these: they came from elsewhere, maybe from an earlier run with the same seed."""
        found = [match[1] + match[2] + match[3] for match in map(_UUID.search, ids) if match]
        if found:
            highest = int(max(found), 16)
            with self._lock:
                # An id near the end of the numbers is nobody's but an inventor's: it must not use them up.
                if highest < 7 << 57:
                    for source in (self._asked, self._moved):
                        source.high = max(source.high, highest)

    def position(self) -> list[Any]:
        """Where ids and chance have come to, in both sources, as JSON, for `go_to`."""
        with self._lock:
            return [self._asked.position(), self._moved.position()]

    def go_to(self, position: list[Any]) -> None:
        """Go on from there: the same calls give what they gave then."""
        asked, moved = position
        with self._lock:
            self._asked.go_to(asked)
            self._moved.go_to(moved)
