"""Dispatch each request to the event loop or to a thread pool, so that slow requests never delay fast ones."""

import math
import re
import threading
from enum import Enum
from typing import Any

from dryline.blueprints.paths import HEALTH, READS
from dryline.serving.thread_pool import ThreadPool
from dryline.world.world import World

# After this many writes by the event loop, a thread moves them from the write-ahead log into the database.
WRITES_PER_CHECKPOINT = 250


class Lane(Enum):
    """A class of requests that the same threads answer."""

    LOOP = "the event loop answers: the request takes about a millisecond and never blocks"
    READ = "takes some milliseconds and never blocks"
    WRITE = "blocks only on the write before it, which may be a simulation"
    BLOCKING = "may block or take long"


# The largest body, in bytes, that the event loop checks. More may take more than a millisecond.
SMALL_BODY = 16_000
# The longest path and query together that the event loop takes. No request of the API needs more.
LONG_ADDRESS = 5_000
# Lists and sums of what calls leave behind: there may be a million rows.
_EXPENSIVE_READS = re.compile(r"/(deploymentLogs/[^/]+|runtime-errors|llm-logs)/?$|/llm-logs/by-")
# Code that is run to check it; sums, searches and test runs; calls that are queued by the thousand.
_EXPENSIVE_WRITES = re.compile(
    r"/(flows|campaigns|outbound-campaigns)(/|$)"
    r"|/(voice-analysis|query|run|make-batch-calls|stop-batch-calls|stop-campaign)/?$"
)


def lane_for(world: World, method: str, path: str, query: str, body_bytes: int) -> Lane:
    """Return the lane of a request. No other place decides this.

    Blocking are the control plane, downloads, uploads, the documentation (made when it is first read), text searches
    (which read every transcript), and all of the API while a fault may delay it. Deletions are not for the event loop,
    because they take dependent records along.
    """
    if path == HEALTH:
        return Lane.LOOP
    if not path.startswith("/api/") or world.faults.may_delay() or "searchQuery=" in query:
        return Lane.BLOCKING
    is_long = body_bytes > SMALL_BODY or len(path) + len(query) > LONG_ADDRESS
    if method in READS:
        return Lane.READ if is_long or _EXPENSIVE_READS.search(path) else Lane.LOOP
    if method == "DELETE" or is_long or _EXPENSIVE_WRITES.search(path):
        return Lane.WRITE
    return Lane.LOOP


class Lanes:
    """The dispatcher of waitress: the event loop, and a thread pool for each other lane.

    SQLite has one writer at a time, so one thread is enough for writes. Blocking requests get as many threads as they
    need; the limit of connections bounds these.
    """

    def __init__(self, world: World, readers: int) -> None:
        self._world = world
        self._path_prefix = f"{world.settings.public_path}/"
        sizes = {Lane.READ: readers, Lane.WRITE: 1, Lane.BLOCKING: math.inf}
        self._pools = {lane: ThreadPool(f"dryline-{lane.name.lower()}", size) for lane, size in sizes.items()}
        self._loop_thread: int | None = None
        self._writes_since_checkpoint = 0  # by the event loop
        # The connection whose oldest request the event loop answers now or next.
        self.current_channel: Any = None

    def start_loop(self) -> None:
        """Make the calling thread the event loop's. Until then, threads answer everything."""
        self._loop_thread = threading.get_ident()
        self._world.db.set_nonblocking()

    @property
    def in_loop(self) -> bool:
        """Whether the calling thread is the event loop's."""
        return threading.get_ident() == self._loop_thread

    def add_task(self, channel: Any) -> None:
        """Have the oldest request of a connection answered. waitress calls this with the connection locked.

        The event loop calls it when a request has arrived; the request is only noted then, for `serve_current`. After
        a response, the thread that sent it calls this for the next request of the connection. That one goes to a
        thread pool, so that the event loop gets to the other connections.
        """
        if self.in_loop and self.current_channel is None:
            self.current_channel = channel
        else:
            self._enqueue(channel)

    def serve_current(self) -> None:
        """Answer the request that the event loop has noted, or give it to a thread if it may block or take long.

        Faults cannot change meanwhile: one that delays would block the event loop.
        """
        channel = self.current_channel
        if channel is None:
            return
        try:
            with self._world.faults.lock:
                lane, method = self._classify(channel)
                if lane is Lane.LOOP:
                    if method in READS:
                        channel.service()
                        return
                    with self._world.try_write_lock() as is_locked:
                        if is_locked:
                            channel.service()
                            self._count_write()
                            return
        finally:
            self.current_channel = None
        self._enqueue(channel)

    def start_missing_threads(self) -> None:
        """Start the threads that could not be started when a request was queued."""
        for pool in self._pools.values():
            pool.start_missing_threads()

    def end(self, deadline: float) -> None:
        """Let the threads end, and wait for them until `deadline` (of `real_time.monotonic`)."""
        for pool in self._pools.values():
            pool.end(deadline)

    def _classify(self, channel: Any) -> tuple[Lane, str]:
        """Return the lane and the method of a connection's oldest request."""
        request = channel.requests[0]
        if request.error is not None:  # waitress has refused it: there is no path, and the response is ready
            return Lane.LOOP, "GET"
        method, path = request.command.upper(), request.path
        if len(self._path_prefix) > 1 and path.startswith(self._path_prefix):  # a proxy has left the prefix there
            path = path[len(self._path_prefix) - 1 :]
        body_bytes = int(request.headers.get("CONTENT_LENGTH") or 0)
        return lane_for(self._world, method, path, request.query, body_bytes), method

    def _enqueue(self, channel: Any) -> None:
        lane, method = self._classify(channel)
        if lane is Lane.LOOP:
            lane = Lane.READ if method in READS else Lane.WRITE
        self._pools[lane].add(channel.service)

    def _count_write(self) -> None:
        self._writes_since_checkpoint += 1
        if self._writes_since_checkpoint >= WRITES_PER_CHECKPOINT:
            self._writes_since_checkpoint = 0
            self._pools[Lane.BLOCKING].add(self._world.db.checkpoint)
