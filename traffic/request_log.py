"""The request log: the newest requests, in memory."""

import threading
import time
from collections import deque
from dataclasses import dataclass
from itertools import takewhile
from sys import getsizeof

from dryline.traffic.masking import mask_json

# The header of requests that a test makes itself, with the client of the test helpers.
FROM_TEST = "X-Dryline-From-Test"
MAX_ENTRIES = 10_000
MAX_BYTES = 24_000_000
# The part of an answer's body that an entry keeps.
ANSWER_BYTES = 64_000
# The memory of an entry with usual headers beside its texts, measured over 10,000 requests.
ENTRY_BYTES = 600
# Entries share usual headers. The memory of a header is counted from this number of headers on.
USUAL_HEADERS = 30
HEADER_BYTES = 200


@dataclass(slots=True, eq=False)
class Entry:
    """One request. `duration_ms` is real time; `fault_id` names the fault that hit it.

    `time` is API time, `answered_at` real time, in seconds since 1970. `unmasked_answer` is the beginning of the
    answer's body, and nothing of a file. `client` is the address of the client or of a proxy.
    """

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
    answer_headers: tuple[tuple[str, str], ...]
    unmasked_answer: bytes
    key_id: str | None = None
    client: str | None = None
    number: int = 0
    answered_at: float = 0

    @property
    def answer(self) -> bytes:
        """The answer's body, with its secrets masked. Masking takes time, so it is done for a reader only."""
        return mask_json(self.unmasked_answer)

    @property
    def from_test(self) -> bool:
        """Whether the test itself made the request, and not the program that it tests."""
        return any(name == FROM_TEST for name, _ in self.headers)

    def text(self) -> str:
        """Return the body as text. Bytes that are no text are replaced."""
        return self.body.decode(errors="replace")

    def memory(self) -> int:
        """Return about how many bytes of memory the entry takes."""
        headers = sum([len(name) + len(value) for name, value in self.headers])
        headers += HEADER_BYTES * max(0, len(self.headers) - USUAL_HEADERS)
        bodies = len(self.body) + len(self.unmasked_answer)
        # Text with wide characters takes up to four bytes for each.
        return ENTRY_BYTES + headers + bodies + len(self.method) + getsizeof(self.path) + getsizeof(self.query)


class RequestLog:
    """The newest requests of one world, at most MAX_ENTRIES and MAX_BYTES of them. The newest one is always kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added = threading.Condition(self._lock)
        self._entries: deque[Entry] = deque()
        self._bytes = 0
        self.count = 0  # of requests since the start of the server
        self.clears = 0  # how often the log was cleared
        self._subscription: deque[Entry] | None = None

    def add(self, entry: Entry) -> None:
        """Add a request that was answered just now."""
        entry.answered_at = time.time()
        with self._lock:
            self.count += 1
            entry.number = self.count
            if self._subscription is not None:
                self._subscription.append(entry)
            self._keep(entry)
            while len(self._entries) > MAX_ENTRIES or (self._bytes > MAX_BYTES and len(self._entries) > 1):
                self._bytes -= self._entries.popleft().memory()
            self._added.notify_all()

    def clear(self, team_id: str | None = None) -> None:
        """Forget all requests, or those of one team."""
        with self._lock:
            entries = [entry for entry in self._entries if team_id is not None and entry.team_id != team_id]
            self._entries.clear()
            self._bytes = 0
            for entry in entries:
                self._keep(entry)
            self.clears += 1

    def newest_first(self) -> list[Entry]:
        with self._lock:
            return list(reversed(self._entries))

    def newer_than(self, number: int) -> list[Entry]:
        """Return the entries after the one of this number, newest first."""
        with self._lock:
            return list(takewhile(lambda entry: entry.number > number, reversed(self._entries)))

    def wait_for_next(self, count: int, timeout_s: float) -> None:
        """Wait until there were more than `count` requests, or until the time is over."""
        with self._added:
            if self.count == count:
                self._added.wait(timeout_s)

    def subscribe(self) -> deque[Entry]:
        """Return a queue that receives each request from now on, for one reader. `clear` does not empty it."""
        self._subscription = deque(maxlen=MAX_ENTRIES)
        return self._subscription

    def _keep(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._bytes += entry.memory()
