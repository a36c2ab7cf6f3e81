"""The request log: the newest requests, in memory."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import takewhile
from operator import attrgetter

from dryline.world.events import ACCESS
from dryline.world.masking import mask_json
from dryline.world.origins import CONSOLE, PROGRAM, Origin

MAX_ENTRIES = 10_000
MAX_BYTES = 24_000_000  # of all that is kept of requests and answers; the headers of most are shared
# Bounds of their own of the requests that persons make in the console, so that they drop no request of a program.
MAX_CONSOLE_ENTRIES = 500
MAX_CONSOLE_BYTES = 4_000_000
_HEADER_BYTES = 50  # of memory that a header takes beside its text
# The part of an answer's body that an entry keeps.
ANSWER_BYTES = 64_000


@dataclass(slots=True, eq=False)
class Entry:
    """One request. `duration_ms` is real time; `fault_id` names the fault that hit it.

    `time` is API time, `answered_at` real time, in seconds since 1970. The members from `status` on are set with the
    answer, `team_id` and `number` at the latest; a request in progress has no number. The log keeps the beginning of
    `unmasked_answer`, and nothing of a file. `client` is the address of the client or of a proxy.
    """

    time: str
    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    origin: Origin = PROGRAM
    fault_id: str | None = None
    team_id: str | None = None
    route: str = ""  # that the path leads to, such as /api/workers/<id>
    endpoint: str | None = None  # the name of the route
    client: str | None = None
    number: int = 0
    status: int | None = None
    duration_ms: float = 0
    answer_headers: tuple[tuple[str, str], ...] = ()
    unmasked_answer: bytes = b""
    key_id: str | None = None
    answered_at: float = 0
    size: int = 0  # in bytes, which the log counts

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status or 'cut'}"

    @property
    def in_progress(self) -> bool:
        """Whether the request is not answered yet."""
        return not self.number

    @property
    def answer(self) -> bytes:
        """The answer's body, with its secrets masked. Masking takes time, so it is done for a reader only."""
        return mask_json(self.unmasked_answer)

    @property
    def error(self) -> str:
        """The error message of the answer, or an empty text."""
        if (self.status or 0) < 400 or not self.unmasked_answer:
            return ""
        try:
            return str(json.loads(self.answer)["error"])
        except (ValueError, TypeError, KeyError):
            return ""

    def text(self) -> str:
        """Return the body as text. Bytes that are no text are replaced."""
        return self.body.decode(errors="replace")

    def count_bytes(self) -> int:
        """Return the size of what is kept of the request and its answer."""
        headers = (*self.headers, *self.answer_headers)
        header_bytes = sum(len(name) + len(value) + _HEADER_BYTES for name, value in headers)
        return len(self.path) + len(self.query) + header_bytes + len(self.body) + len(self.unmasked_answer)


@dataclass(slots=True)
class DroppedRequests:
    """Requests of one method, route, team and origin that fell out of the log.

    There are `count` of them; `number` and `time` are the highest.
    """

    method: str
    route: str
    team_id: str | None
    origin: Origin
    count: int = 0
    number: int = 0
    time: str = ""


class _Newest:
    """Entries with bounds. The oldest fall out first, the newest never."""

    def __init__(self) -> None:
        self.entries: deque[Entry] = deque()
        self._bytes = 0

    def add(self, entry: Entry, max_entries: int, max_bytes: int) -> list[Entry]:
        """Add an entry, and return those that fall out."""
        self.entries.append(entry)
        self._bytes += entry.size
        fallen = []
        while len(self.entries) > max_entries or (self._bytes > max_bytes and len(self.entries) > 1):
            fallen.append(self.entries.popleft())
            self._bytes -= fallen[-1].size
        return fallen

    def keep(self, stays: Callable[[Entry], bool]) -> None:
        """Forget the entries that do not stay."""
        self.entries = deque(filter(stays, self.entries))
        self._bytes = sum(entry.size for entry in self.entries)


class RequestLog:
    """The requests of one world that are in progress, and the newest that are answered.

    These are at most MAX_ENTRIES, with at most MAX_BYTES, and those of the console beside them. The log is cleared in a
    block of `changing`, which is `World.changing`.
    """

    def __init__(self, changing: Callable[[], AbstractContextManager[None]]) -> None:
        self._changing = changing
        self._lock = threading.Lock()
        self._added = threading.Condition(self._lock)
        self._in_progress: dict[Entry, None] = {}
        self._newest = _Newest()
        self._newest_of_console = _Newest()
        self._dropped: dict[tuple[str, str, str | None, Origin], DroppedRequests] = {}
        self.count = 0  # of requests that were answered since the start of the server
        self.clears = 0  # how often the log was cleared

    def begin(self, entry: Entry) -> None:
        """Add a request that has just arrived. `add` or `discard` follows."""
        with self._lock:
            self._in_progress[entry] = None

    def add(self, entry: Entry) -> None:
        """Add a request that was answered just now, unless the log was cleared since its `begin`."""
        entry.answered_at = time.time()
        entry.size = entry.count_bytes()
        with self._lock:
            self.count += 1
            entry.number = self.count
            if entry in self._in_progress:
                del self._in_progress[entry]
                if entry.origin == CONSOLE:
                    dropped = self._newest_of_console.add(entry, MAX_CONSOLE_ENTRIES, MAX_CONSOLE_BYTES)
                else:
                    dropped = self._newest.add(entry, MAX_ENTRIES, MAX_BYTES)
                for each in dropped:
                    self._count_dropped(each)
            self._added.notify_all()
        ACCESS.info(entry)

    def discard(self, entry: Entry) -> None:
        """Remove a request that will have no answer."""
        with self._lock:
            self._in_progress.pop(entry, None)

    def clear(self, team_id: str | None = None) -> None:
        """Forget all requests, or those of one team."""

        def stays(each: Entry | DroppedRequests) -> bool:
            return team_id is not None and each.team_id != team_id

        with self._changing(), self._lock:
            self._newest.keep(stays)
            self._newest_of_console.keep(stays)
            self._in_progress = dict.fromkeys(filter(stays, self._in_progress))
            self._dropped = {key: each for key, each in self._dropped.items() if stays(each)}
            self.clears += 1

    def newest_first(self) -> list[Entry]:
        with self._lock:
            return self._newest_first()

    def in_progress_and_answered(self) -> list[Entry]:
        """Return the requests in progress and then those that are answered, each newest first."""
        with self._lock:
            return [*reversed(self._in_progress), *self._newest_first()]

    def dropped(self) -> list[DroppedRequests]:
        """Return what fell out of the log since it was cleared."""
        with self._lock:
            return list(self._dropped.values())

    def newer_than(self, number: int) -> list[Entry]:
        """Return the entries after the one of this number, newest first."""
        with self._lock:
            return list(takewhile(lambda entry: entry.number > number, self._newest_first()))

    def wait_for_next(self, count: int, timeout_s: float) -> None:
        """Wait until there were more than `count` requests, or until the time is over."""
        with self._added:
            if self.count == count:
                self._added.wait(timeout_s)

    def _newest_first(self) -> list[Entry]:
        if not self._newest_of_console.entries:
            return list(reversed(self._newest.entries))
        both = [*self._newest.entries, *self._newest_of_console.entries]
        return sorted(both, key=attrgetter("number"), reverse=True)

    def _count_dropped(self, entry: Entry) -> None:
        # Clients can invent any number of methods and paths, so those without a route are counted together.
        route = (entry.method, entry.route, entry.team_id) if entry.route else ("", "", None)
        key = (*route, entry.origin)
        dropped = self._dropped.get(key)
        if dropped is None:
            dropped = self._dropped[key] = DroppedRequests(*key)
        dropped.count += 1
        dropped.number, dropped.time = entry.number, max(dropped.time, entry.time)
