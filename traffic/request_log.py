"""What was called: the newest requests, kept in memory within bounds."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Any, NamedTuple

from dryline.storage.errors import Invalid
from dryline.traffic.masking import mask_json
from dryline.traffic.path_patterns import PathPattern

MOST_ENTRIES = 10_000
MOST_BYTES = 64_000_000
# Of an answer's body that are kept.
ANSWER_BYTES = 64_000
# What an entry costs beside its texts.
_OVERHEAD = 1_000
# Real time that one question may take for its regular expression, in seconds.
LONGEST_SEARCH_S = 2.0
MOST_SURPLUS = 10
# How often who waits for requests looks whether the server ends, in seconds.
LOOK_EVERY_S = 0.25


class Entry(NamedTuple):
    """One request. `duration_ms` is real time; `fault_id` names the fault that hit it.

    `time` is API time, `answered_at` real time, in seconds since 1970. `sent` is the beginning of the answer's body, at
    most ANSWER_BYTES of it; empty where that was a file.
    """

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
    answer_headers: tuple[tuple[str, str], ...] = ()
    sent: bytes = b""
    answered_at: float = 0

    @property
    def answer(self) -> bytes:
        """What was sent, with its secrets masked. Masking takes time, so it is done for a reader only."""
        return mask_json(self.sent)

    def text(self) -> str:
        """The body as text; bytes that are none are replaced."""
        return self.body.decode(errors="replace")


class Wanted(NamedTuple):
    """What to look for. `path` may hold `*`; `after` is the number of a request before; None matches anything."""

    method: str | None = None
    path: str | None = None
    status: int | None = None
    since: str | None = None
    after: int | None = None
    team_id: str | None = None
    body_contains: str | None = None
    body_matches: str | None = None

    def conditions(self) -> list[tuple[str, Callable[[Entry], bool]]]:
        """Each condition with its name."""
        found: list[tuple[str, Callable[[Entry], bool]]] = []
        if self.path is not None:
            path = PathPattern(self.path)
            found.append(("path", lambda entry: path.matches(entry.path)))
        if self.method is not None:
            method = self.method.upper()
            found.append(("method", lambda entry: entry.method == method))
        if self.status is not None:
            found.append(("status", lambda entry: entry.status == self.status))
        if self.since is not None:
            since = self.since
            found.append(("since", lambda entry: entry.time >= since))
        if self.after is not None:
            after = self.after
            found.append(("after", lambda entry: entry.number > after))
        if self.team_id is not None:
            found.append(("team", lambda entry: entry.team_id == self.team_id))
        if self.body_contains is not None:
            part = self.body_contains
            found.append(("bodyContains", lambda entry: part in entry.text()))
        if self.body_matches is not None:
            found.append(("bodyMatches", _body_test(self.body_matches)))
        return found


def _body_test(pattern: str) -> Callable[[Entry], bool]:
    """Whether a regular expression is found in a body. The test raises Invalid once all its searches took too long.

    `re` knows no bound and stops the whole process meanwhile; `regex` does, and lets the others run.
    """
    import regex  # imported late: a start does not need it

    compiled = regex.compile(pattern, regex.DOTALL)
    until = time.monotonic() + LONGEST_SEARCH_S

    def test(entry: Entry) -> bool:
        try:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            return compiled.search(entry.text(), timeout=left, concurrent=True) is not None
        except TimeoutError:
            raise Invalid(f"The search takes longer than {LONGEST_SEARCH_S:g} s.", "body_matches") from None

    return test


@dataclass(frozen=True)
class Verdict:
    """Whether something was called as often as it should have been. `expected` says how often that is.

    Where it was called too often, `surplus` has the newest calls beyond the bound; where not often enough, `nearest`
    has the requests that miss the fewest conditions, each with the names of those that it misses.
    """

    met: bool
    count: int
    expected: str
    surplus: list[Entry]
    nearest: list[tuple[Entry, list[str]]]


class RequestRecord:
    """The newest requests of one world: at most 10,000, and at most 64 MB; the oldest go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self._waiting = 0  # how many wait for news: a request that nobody waits for tells nobody
        self._clears = 0
        # Bare tuples of texts and numbers: a garbage collection need not look into ten thousand of those.
        self._entries: deque[tuple[Any, ...]] = deque()
        self._bytes = 0
        self._count = 0
        self._tail: deque[tuple[Any, ...]] | None = None

    def add(self, *values: Any) -> None:
        """Keep one request, answered now: the values of an `Entry` after its number, in their order."""
        with self._lock:
            self._count += 1
            entry = (self._count, *values, time.time())
            self._entries.append(entry)
            if self._tail is not None:
                self._tail.append(entry)
            self._bytes += _size(entry)
            while len(self._entries) > MOST_ENTRIES or self._bytes > MOST_BYTES:
                self._bytes -= _size(self._entries.popleft())
            if self._waiting:
                self._news.notify_all()

    @property
    def count(self) -> int:
        """How many there were in all."""
        return self._count

    def clear(self, team_id: str | None = None) -> None:
        """Forget all, or what one team called."""
        with self._lock:
            kept = [entry for entry in self._entries if team_id is not None and entry[_TEAM_ID] != team_id]
            self._entries = deque(kept)
            self._bytes = sum(map(_size, kept))
            self._clears += 1

    def tail(self) -> deque[tuple[Any, ...]]:
        """Where each request is put, too, from now on: its one reader takes them from the left. No reset empties it."""
        self._tail = deque(maxlen=MOST_ENTRIES)
        return self._tail

    def find(self, wanted: Wanted) -> Iterator[Entry]:
        """What meets every condition, newest first."""
        tests = [test for _, test in wanted.conditions()]
        return (entry for entry in self._newest_first() if all(test(entry) for test in tests))

    def wait(self, wanted: Wanted, count: int, within_s: float, ending: threading.Event) -> list[Entry]:
        """What meets every condition, newest first, once it is so many; what there is when time is over, or the server.

        Raises Invalid. Requests are looked at once, and outside of the lock: who makes them does not wait.
        """
        until = time.monotonic() + within_s
        found: list[Entry] = []
        seen, clears = 0, -1
        with self._news:
            self._waiting += 1
        try:
            while True:
                if clears != self._clears:
                    found, seen, clears = [], 0, self._clears
                known, new = self._count, self._since(seen)
                tests = [test for _, test in wanted.conditions()]
                found = [entry for entry in new if all(test(entry) for test in tests)] + found
                seen = new[0].number if new else seen
                left = until - time.monotonic()
                if len(found) >= count or left <= 0 or ending.is_set():
                    return found
                with self._news:
                    if self._count == known:
                        self._news.wait(min(left, LOOK_EVERY_S))
        finally:
            with self._news:
                self._waiting -= 1

    def _since(self, number: int) -> list[Entry]:
        """What came after the request of that number, newest first."""
        with self._lock:
            newer = takewhile(lambda entry: entry[_NUMBER] > number, reversed(self._entries))
            return list(map(Entry._make, newer))

    def verify(self, wanted: Wanted, least: int | None, most: int | None) -> Verdict:
        """Check how often something was called; at least once where neither bound is given. Raises Invalid."""
        if least is None:
            least = 1 if most is None else 0
        calls = list(self.find(wanted))
        count = len(calls)
        expected = f"at least {least}" + ("" if most is None else f" and at most {most}")
        if most is not None and count > most:
            return Verdict(False, count, expected, calls[: count - most][:MOST_SURPLUS], [])
        if count < least:
            return Verdict(False, count, expected, [], self._nearest(wanted))
        return Verdict(True, count, expected, [], [])

    def _nearest(self, wanted: Wanted, most: int = 3) -> list[tuple[Entry, list[str]]]:
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
    texts = len(entry[_PATH]) + len(entry[_QUERY]) + len(entry[_BODY]) + len(entry[_SENT])
    return texts + sum(map(len, chain.from_iterable(entry[_HEADERS]))) + _OVERHEAD


_NUMBER, _PATH, _QUERY, _HEADERS, _BODY, _TEAM_ID, _SENT = map(
    Entry._fields.index, ("number", "path", "query", "headers", "body", "team_id", "sent")
)
