"""What was called: the newest requests, kept in memory within bounds."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from dryline.world.path_patterns import path_pattern

MOST_ENTRIES = 10_000
MOST_BYTES = 64_000_000
# What an entry costs beside its body.
_OVERHEAD = 1_000


class Entry(NamedTuple):
    """One request. `duration_ms` is real time; `fault_id` names the fault that hit it."""

    number: int
    time: str
    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    status: int | None
    duration_ms: float
    fault_id: str | None
    team_id: str | None

    def text(self) -> str:
        """The body as text; bytes that are none are replaced."""
        return self.body.decode(errors="replace")


@dataclass
class Wanted:
    """What to look for. `path` may hold `*`; None matches anything."""

    method: str | None = None
    path: str | None = None
    status: int | None = None
    since: str | None = None
    team_id: str | None = None
    body_contains: str | None = None
    body_matches: str | None = None

    def conditions(self) -> list[tuple[str, Callable[[Entry], bool]]]:
        """Each condition with its name."""
        found: list[tuple[str, Callable[[Entry], bool]]] = []
        if self.path is not None:
            path = path_pattern(self.path)
            found.append(("path", lambda entry: path.fullmatch(entry.path) is not None))
        if self.method is not None:
            method = self.method.upper()
            found.append(("method", lambda entry: entry.method == method))
        if self.status is not None:
            found.append(("status", lambda entry: entry.status == self.status))
        if self.since is not None:
            since = self.since
            found.append(("since", lambda entry: entry.time >= since))
        if self.team_id is not None:
            found.append(("team", lambda entry: entry.team_id == self.team_id))
        if self.body_contains is not None:
            part = self.body_contains
            found.append(("bodyContains", lambda entry: part in entry.text()))
        if self.body_matches is not None:
            pattern = re.compile(self.body_matches, re.DOTALL)
            found.append(("bodyMatches", lambda entry: pattern.search(entry.text()) is not None))
        return found


class RequestRecord:
    """The newest requests of one world: at most 10,000, and at most 64 MB; the oldest go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Bare tuples of texts and numbers: a garbage collection need not look into ten thousand of those.
        self._entries: deque[tuple[Any, ...]] = deque()
        self._bytes = 0
        self._count = 0

    def add(self, *values: Any) -> None:
        """Keep one request: the values of an `Entry` after its number, in their order."""
        with self._lock:
            self._count += 1
            entry = (self._count, *values)
            self._entries.append(entry)
            self._bytes += _size(entry)
            while len(self._entries) > MOST_ENTRIES or self._bytes > MOST_BYTES:
                self._bytes -= _size(self._entries.popleft())

    def clear(self, team_id: str | None = None) -> None:
        """Forget all, or what one team called."""
        with self._lock:
            kept = [entry for entry in self._entries if team_id is not None and entry[_TEAM_ID] != team_id]
            self._entries = deque(kept)
            self._bytes = sum(map(_size, kept))

    def find(self, wanted: Wanted) -> Iterator[Entry]:
        """What meets every condition, newest first."""
        tests = [test for _, test in wanted.conditions()]
        return (entry for entry in self._newest_first() if all(test(entry) for test in tests))

    def nearest(self, wanted: Wanted, most: int = 3) -> list[tuple[Entry, list[str]]]:
        """The requests that miss the fewest conditions, each with the names of those that it misses."""
        tests = wanted.conditions()
        misses = [
            (entry, [name for name, test in tests if not test(entry)])
            for entry in self._newest_first()
            if wanted.team_id in (None, entry.team_id)
        ]
        return sorted((miss for miss in misses if miss[1]), key=lambda miss: len(miss[1]))[:most]

    def _newest_first(self) -> list[Entry]:
        with self._lock:
            return [Entry._make(entry) for entry in reversed(self._entries)]


def _size(entry: tuple[Any, ...]) -> int:
    """What an entry takes of the bound, about."""
    return len(entry[_BODY]) + len(entry[_QUERY]) + _OVERHEAD


_BODY, _QUERY, _TEAM_ID = map(Entry._fields.index, ("body", "query", "team_id"))
