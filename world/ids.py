"""Ids and random numbers, which repeat with a seed."""

import contextlib
import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from random import Random
from typing import Any

_UUID = re.compile(r"_([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$")

# The characters of a node's name, which has at most nine (settings.py).
_NODE_CHARACTERS = "-0123456789abcdefghijklmnopqrstuvwxyz"

_in_background: ContextVar[bool] = ContextVar("dryline_in_background", default=False)


def node_digits(node: str) -> str:
    """Return a node's name as the last twelve digits of a UUID, where RFC 9562 (5.1) has the node.

    The name is read as a number in base 37 without a zero: nine of 37 characters fit into 48 bits.
    """
    number = 0
    for character in node:
        number = number * len(_NODE_CHARACTERS) + _NODE_CHARACTERS.index(character) + 1
    return f"{number:012x}"


class _Stream:
    """Random numbers, and the part of ids that rises."""

    __slots__ = ("random", "rising")

    def __init__(self, seed: str | None, rising: int) -> None:
        self.random = Random(seed)
        self.rising = rising

    def state(self) -> list[Any]:
        version, numbers, gauss = self.random.getstate()
        return [self.rising, version, list(numbers), gauss]

    def restore(self, state: list[Any]) -> None:
        self.rising, version, numbers, gauss = state
        self.random.setstate((version, tuple(numbers), gauss))


class Ids:
    """Generates ids like `worker_<uuid>`: version 4 in form, and rising, so that rows of one instant keep their order.

    With a seed the same requests get the same ids. Background work runs at times that depend on threads, so it has a
    stream of its own, and does not change the ids of requests. `generation` counts the starts on a data directory: a
    restart with the same seed does not repeat ids. A server with a `node` name has that in its ids (`node_digits`), so
    that two nodes never generate the same id.
    """

    def __init__(self, seed: int | None = None, generation: int = 0, node: str | None = None) -> None:
        self._lock = threading.Lock()
        self._node, self._node_digits = node, node_digits(node) if node else None
        self.restart(seed, generation)

    def restart(self, seed: int | None, generation: int = 0) -> None:
        """Start again from a seed."""
        self.seed = seed
        if seed is None:  # the rising part of 60 bits starts from the time
            rising = (time.time_ns() // 1000) << 8
            self._foreground, self._background = _Stream(None, rising), _Stream(None, rising)
            return
        rising = (1 << 56) | (generation << 40)  # below the times of this century
        name = f"{seed}/{generation}"
        if self._node:
            name += f"/node {self._node}"
        self._foreground, self._background = _Stream(name, rising), _Stream(f"{name}/by itself", rising)

    @contextlib.contextmanager
    def background(self) -> Iterator[None]:
        """Use the stream of background work for a block."""
        token = _in_background.set(True)
        try:
            yield
        finally:
            _in_background.reset(token)

    @property
    def random(self) -> Random:
        """The random numbers of the running request or of background work."""
        return self._stream.random

    @property
    def _stream(self) -> _Stream:
        return self._background if _in_background.get() else self._foreground

    def new(self, prefix: str) -> str:
        """Return the next id: `new("worker")` -> `worker_0190f3c2-7a5e-4b1c-9d2e-5f6a7b8c9d0e`."""
        stream = self._stream
        with self._lock:
            stream.rising += stream.random.randrange(1, 1 << 12)
            low = stream.random.getrandbits(62)
            rising = stream.rising & ((1 << 60) - 1)
        # Not by uuid.UUID, which would double the time: a simulated call has three ids.
        number = (rising << 64) | (0b10 << 62) | low
        digits = number.to_bytes(16, "big").hex()[1:]
        end = digits[19:] if self._node_digits is None else self._node_digits
        return f"{prefix}_{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-{digits[15:19]}-{end}"

    def skip_past(self, ids: Iterable[str]) -> None:
        """Never generate one of these ids, which were imported and may be of an earlier run with the same seed."""
        rising_parts = [match[1] + match[2] + match[3] for match in map(_UUID.search, ids) if match]
        if rising_parts:
            highest = int(max(rising_parts), 16)
            with self._lock:
                # A very high id was invented by a person: skipping it would use up the numbers.
                if highest < 7 << 57:
                    for stream in (self._foreground, self._background):
                        stream.rising = max(stream.rising, highest)

    def state(self) -> list[Any]:
        """Return the state of both streams as JSON, for `restore`."""
        with self._lock:
            return [self._foreground.state(), self._background.state()]

    def restore(self, state: list[Any]) -> None:
        """Set both streams to a `state`: the same calls return what they returned after it."""
        foreground, background = state
        with self._lock:
            self._foreground.restore(foreground)
            self._background.restore(background)
