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
MAX_BYTES = 12_000_000
# The part of an answer's body that an entry keeps at first.
ANSWER_BYTES = 64_000
# Bodies above SHORT_BYTES are cut to that once the newer ones among them take MAX_LONG_BYTES.
SHORT_BYTES = 1_000
MAX_LONG_BYTES = 4_000_000
# The memory of an entry with usual headers beside its texts, measured over 10,000 requests.
ENTRY_BYTES = 600
# Entries share usual headers. The memory of a header is counted from this number of headers on.
USUAL_HEADERS = 30
HEADER_BYTES = 200


@dataclass(slots=True, eq=False)
class Entry:
    """One request. `duration_ms` is real time; `fault_id` names the fault that hit it.

    `time` is API time, `answered_at` real time, in seconds since 1970. The log may keep only the beginning of `body`
    and `unmasked_answer`, and nothing of a file; `body_bytes` is the whole length of the body. `client` is the
    address of the client or of a proxy.
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
    endpoint: str | None = None  # the name of the route that the path leads to
    key_id: str | None = None
    client: str | None = None
    number: int = 0
    body_bytes: int = 0
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

    def long_bytes(self) -> int:
        """Return the bytes of body and answer if one of them is long, else 0."""
        body, answer = len(self.body), len(self.unmasked_answer)
        return body + answer if body > SHORT_BYTES or answer > SHORT_BYTES else 0

    def cut(self) -> int:
        """Keep the beginning of the body and of the answer. Return the number of bytes that are gone."""
        before = len(self.body) + len(self.unmasked_answer)
        self.body = self.body[:SHORT_BYTES]
        self.unmasked_answer = self.unmasked_answer[:SHORT_BYTES]
        return before - len(self.body) - len(self.unmasked_answer)

    def memory(self) -> int:
        """Return about how many bytes of memory the entry takes."""
        headers = sum([len(name) + len(value) for name, value in self.headers])
        headers += HEADER_BYTES * max(0, len(self.headers) - USUAL_HEADERS)
        bodies = len(self.body) + len(self.unmasked_answer)
        # Text with wide characters takes up to four bytes for each.
        return ENTRY_BYTES + headers + bodies + len(self.method) + getsizeof(self.path) + getsizeof(self.query)


class RequestLog:
    """The newest requests of one world, at most MAX_ENTRIES and MAX_BYTES of them. The oldest go first.

    The newest request is always kept whole, and its long body does not push out others.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added = threading.Condition(self._lock)
        self._entries: deque[Entry] = deque()
        self._bytes = 0
        self._long: deque[Entry] = deque()  # those with long bodies, not yet cut
        self._long_bytes = 0
        self.count = 0  # of requests since the start of the server
        self.clears = 0  # how often the log was cleared
        self._subscription: deque[Entry] | None = None

    def add(self, entry: Entry) -> None:
        """Add a request that was answered just now."""
        entry.answered_at, entry.body_bytes = time.time(), len(entry.body)
        with self._lock:
            self.count += 1
            entry.number = self.count
            if self._subscription is not None:
                self._subscription.append(entry)
            self._keep(entry)
            while self._long_bytes > MAX_LONG_BYTES and self._long[0] is not entry:
                self._cut_oldest()
            while len(self._entries) > MAX_ENTRIES or self._bytes > MAX_BYTES + entry.long_bytes():
                self._drop_oldest()
            self._added.notify_all()

    def clear(self, team_id: str | None = None) -> None:
        """Forget all requests, or those of one team."""
        with self._lock:
            entries = [entry for entry in self._entries if team_id is not None and entry.team_id != team_id]
            self._entries.clear()
            self._long.clear()
            self._bytes = self._long_bytes = 0
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
        if long_bytes := entry.long_bytes():
            self._long.append(entry)
            self._long_bytes += long_bytes

    def _cut_oldest(self) -> None:
        entry = self._long.popleft()
        self._long_bytes -= entry.long_bytes()
        self._bytes -= entry.cut()

    def _drop_oldest(self) -> None:
        entry = self._entries.popleft()
        if self._long and self._long[0] is entry:
            self._cut_oldest()  # a reader may have it yet
        self._bytes -= entry.memory()
