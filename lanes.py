"""Which requests may wait, and the threads that answer: those that wait never stand in the way of the others."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Any

from dryline.blueprints.base import READS
from dryline.blueprints.hosts import HEALTH
from dryline.world.world import World

# How long a thread without work stays, in seconds.
IDLE_S = 10.0

# Answers the oldest request of a connection.
Work = Callable[[], object]

log = logging.getLogger("dryline")


class Lane(Enum):
    """Who answers a request."""

    QUICK = "answered in about a millisecond, waits for nothing"
    WRITE = "waits for the writer before it, who may be a simulation, and for nothing else"
    WAITING = "may wait for something else or take long"


def lane(world: World, method: str, path: str, query: str) -> Lane:
    """Which requests may wait. This is the only place that says so.

    Beside `/api` lie the control plane's long work, downloads, uploads and the documentation, which is made when it is
    first read; a text search reads every transcript; and a fault may delay anything of the API.
    """
    if path == HEALTH:
        return Lane.QUICK
    if not path.startswith("/api/") or world.faults.may_delay() or "searchQuery=" in query:
        return Lane.WAITING
    return Lane.QUICK if method in READS else Lane.WRITE


class Threads:
    """At most `most` threads, each started when there is work and none is free, and ended when it had none for a while.

    The one that worked last works next: its database connection is warm, and those too many end. `at_end` runs in each
    thread before it ends.
    """

    def __init__(self, name: str, most: float, at_end: Callable[[], object]) -> None:
        self._name, self._most, self._at_end = name, most, at_end
        self._lock = threading.Lock()
        self._ended = threading.Condition(self._lock)
        self._queue: deque[Work] = deque()
        self._free: list[_Seat] = []
        self._count = 0
        self._ending = False

    def add(self, work: Work) -> None:
        """Have it done by the next free thread."""
        with self._lock:
            if self._free:
                self._free.pop().take(work)
            elif self._count < self._most:
                self._count += 1
                threading.Thread(target=self._run, args=(work,), name=self._name, daemon=True).start()
            else:
                self._queue.append(work)

    def end(self, deadline: float) -> None:
        """Drop what was not begun and let the threads end; wait for them until `deadline`, by time.monotonic()."""
        with self._lock:
            self._ending = True
            self._queue.clear()
            while self._free:
                self._free.pop().take(None)
            self._ended.wait_for(lambda: not self._count, max(0.0, deadline - time.monotonic()))

    def _run(self, work: Work | None) -> None:
        seat = _Seat()
        try:
            while work is not None:
                try:
                    work()
                except Exception:
                    log.exception("A request failed outside of the application.")
                work = self._next(seat)
            self._at_end()
        finally:
            with self._lock:
                self._count -= 1
                self._ended.notify_all()

    def _next(self, seat: _Seat) -> Work | None:
        """A thread's next piece of work; None when it is to end."""
        with self._lock:
            if self._queue:
                return self._queue.popleft()
            if self._ending:
                return None
            self._free.append(seat)
        if not seat.wait(IDLE_S):
            with self._lock:
                if seat in self._free:
                    self._free.remove(seat)
                    return None
            seat.wait()  # work was given at the last moment
        return seat.leave()


class _Seat:
    """Where a free thread waits for its next work."""

    def __init__(self) -> None:
        self._work: Work | None = None
        self._given = threading.Lock()
        self._given.acquire()

    def take(self, work: Work | None) -> None:
        self._work = work
        self._given.release()

    def wait(self, timeout_s: float = -1) -> bool:
        return self._given.acquire(timeout=timeout_s)

    def leave(self) -> Work | None:
        work, self._work = self._work, None
        return work


class Lanes:
    """waitress' dispatcher: threads for each lane, so that no lane is held up by another.

    Writers follow each other at the database: more than one thread of them would only get in each other's way. For what
    waits there are as many as it takes. A request occupies its connection, so that is never more than there are
    connections.
    """

    def __init__(self, world: World, quick: int) -> None:
        self._world = world
        most = {Lane.QUICK: quick, Lane.WRITE: 1, Lane.WAITING: math.inf}
        self._threads = {lane: Threads(f"dryline-{lane.name.lower()}", most[lane], world.db.close) for lane in Lane}

    def add_task(self, channel: Any) -> None:
        """Answer the oldest request of a connection."""
        request = channel.requests[0]
        if request.error is not None:  # what waitress refuses has no path; the answer is ready
            which = Lane.QUICK
        else:
            which = lane(self._world, request.command.upper(), request.path, request.query)
        self._threads[which].add(channel.service)

    def end(self, deadline: float) -> None:
        """Let the threads end; wait for them until `deadline`, by time.monotonic()."""
        for threads in self._threads.values():
            threads.end(deadline)
