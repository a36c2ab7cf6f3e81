"""Who answers a request: the loop's own thread what cannot wait, threads the rest. No slow one delays a quick one."""

from __future__ import annotations

import math
import re
import threading
import time
from enum import Enum
from functools import partial
from typing import Any

from dryline.blueprints.base import HEALTH, READS
from dryline.serving.thread_pool import ThreadPool
from dryline.world.world import World

# Method and path of a request.
Asked = tuple[str, str]

# Seconds of processor time that make an answer a long one: threads give it from then on, until it is short again.
LONG_S = 0.005
# How many such requests are remembered.
MOST_LONG = 1000
# After so many writes of the loop's thread another one moves them from the write-ahead log into the database.
WRITES_A_CHECKPOINT = 250


class Lane(Enum):
    """Who answers a request."""

    AT_ONCE = "the loop's own thread: it takes about a millisecond and waits for nothing"
    READ = "may take some milliseconds, waits for nothing"
    WRITE = "waits for the writer before it, who may be a simulation, and for nothing else"
    WAITING = "may wait for something else or take long"


# The bytes of a body that the loop's thread reads: more may take more than a millisecond to check.
SMALL_BODY = 16_000
# What calls leave behind may be a million rows, which a filter or a total goes through.
_LONG_READS = re.compile(r"/(deploymentLogs/[^/]+|runtime-errors|llm-logs)/?$|/llm-logs/by-")
# Code that is run to check it; sums, searches and runs; calls queued by the thousand.
_LONG_WRITES = re.compile(
    r"/(flows|campaigns|outbound-campaigns)(/|$)"
    r"|/(voice-analysis|query|run|make-batch-calls|stop-batch-calls|stop-campaign)/?$"
)


def lane(world: World, method: str, path: str, query: str, body_bytes: int) -> Lane:
    """Who answers a request. This is the only place that says so.

    Beside `/api` lie the control plane's long work, downloads, uploads and the documentation, which is made when it is
    first read; a text search reads every transcript; and a fault may delay anything of the API. A deletion takes along
    what hangs on its record.
    """
    if path == HEALTH:
        return Lane.AT_ONCE
    if not path.startswith("/api/") or world.faults.may_delay() or "searchQuery=" in query:
        return Lane.WAITING
    if method in READS:
        return Lane.READ if body_bytes > SMALL_BODY or _LONG_READS.search(path) else Lane.AT_ONCE
    if method == "DELETE" or body_bytes > SMALL_BODY or _LONG_WRITES.search(path):
        return Lane.WRITE
    return Lane.AT_ONCE


class Lanes:
    """waitress' dispatcher: the loop's own thread, and threads for each other lane, so that none is held up by another.

    Writers follow each other at the database: more than one thread of them would only get in each other's way. For what
    waits there are as many as it takes. A request occupies its connection, so that is never more than there are
    connections.
    """

    def __init__(self, world: World, readers: int) -> None:
        self._world = world
        self._below = f"{world.settings.public_path}/"
        most = {Lane.READ: readers, Lane.WRITE: 1, Lane.WAITING: math.inf}
        self._pools = {lane: ThreadPool(f"dryline-{lane.name.lower()}", count) for lane, count in most.items()}
        self._loop: int | None = None
        self._long: set[Asked] = set()
        self._writes = 0  # in the loop's thread, since it last had them moved into the database
        # The connection whose oldest request the loop's thread is to answer, or is answering.
        self.in_hand: Any = None

    def begin(self) -> None:
        """The running thread is the loop's. Before this, threads answer everything."""
        self._loop = threading.get_ident()
        self._world.db.hurry()

    @property
    def in_loop(self) -> bool:
        """Whether the running thread is the loop's."""
        return threading.get_ident() == self._loop

    def add_task(self, channel: Any) -> None:
        """Have the oldest request of a connection answered.

        waitress calls it with the connection locked: from the loop, once a request is there, which is only noted for
        `answer`; and, where more came together, from whoever has answered the one before. Those go to threads: the loop
        answers one, and then looks at the other connections.
        """
        if self.in_loop and self.in_hand is None:
            self.in_hand = channel
        else:
            self._hand_over(channel)

    def answer(self) -> None:
        """Answer what the loop's thread has in hand, or hand it to another thread where it may wait or take long.

        No fault is added meanwhile: one that delays would find this thread.
        """
        channel = self.in_hand
        if channel is None:
            return
        try:
            with self._world.faults.unchanged:
                which, asked = self._about(channel)
                if which is Lane.AT_ONCE and asked not in self._long:
                    if asked[0] in READS:
                        self._serve(channel, asked)
                        return
                    with self._world.held_if_free() as free:
                        if free:
                            self._serve(channel, asked)
                            self._count_write()
                            return
        finally:
            self.in_hand = None
        self._hand_over(channel)

    def start_missing_threads(self) -> None:
        """Start the threads that could not be started when a request was queued."""
        for pool in self._pools.values():
            pool.start_missing_threads()

    def end(self, deadline: float) -> None:
        """Let the threads end; wait for them until `deadline`, by time.monotonic()."""
        for pool in self._pools.values():
            pool.end(deadline)

    def _about(self, channel: Any) -> tuple[Lane, Asked]:
        """Who answers a connection's oldest request, and what it asks for."""
        request = channel.requests[0]
        if request.error is not None:  # what waitress refuses has no path; the answer is ready
            return Lane.AT_ONCE, ("GET", "")
        method, path = request.command.upper(), request.path
        if len(self._below) > 1 and path.startswith(self._below):  # as a proxy passed it on
            path = path[len(self._below) - 1 :]
        body_bytes = int(request.headers.get("CONTENT_LENGTH") or 0)
        return lane(self._world, method, path, request.query, body_bytes), (method, path)

    def _hand_over(self, channel: Any) -> None:
        which, asked = self._about(channel)
        if which is Lane.AT_ONCE:
            which = Lane.READ if asked[0] in READS else Lane.WRITE
        self._pools[which].add(partial(self._serve_in, which, channel))

    def _serve_in(self, which: Lane, channel: Any) -> None:
        """Answer in a thread of a lane. What has to wait since it was queued there goes to those that wait."""
        now, asked = self._about(channel)
        if now is Lane.WAITING and which is not Lane.WAITING:
            self._hand_over(channel)
        else:
            self._serve(channel, asked)

    def _serve(self, channel: Any, asked: Asked) -> None:
        """Answer, and remember whether that was long: processor time, since who waits for a processor is not long."""
        began = time.thread_time()
        channel.service()
        if time.thread_time() - began > LONG_S:
            if len(self._long) >= MOST_LONG:
                self._long.clear()
            self._long.add(asked)
        else:
            self._long.discard(asked)

    def _count_write(self) -> None:
        self._writes += 1
        if self._writes >= WRITES_A_CHECKPOINT:
            self._writes = 0
            self._pools[Lane.WAITING].add(self._world.db.checkpoint)
