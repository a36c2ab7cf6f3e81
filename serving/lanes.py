"""Dispatch each request to the event loop or to a thread pool, so that slow requests never delay fast ones."""

from __future__ import annotations

import math
import threading
from enum import Enum
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import HTTPException

from dryline.blueprints.paths import READS
from dryline.serving.thread_pool import ThreadPool

if TYPE_CHECKING:
    from dryline.app import Dryline


class Lane(Enum):
    """A class of requests that the same threads answer."""

    LOOP = "the event loop answers: a GET whose view is quick"
    READ = "takes some milliseconds and never blocks"
    BLOCKING = "may block or take long: has a thread at once, so that the request log has it"


# The longest path and query together that the event loop takes. No request of the API needs more.
LONG_ADDRESS = 5_000


def lane_for(app: Dryline, method: str, target: str, body_bytes: int) -> Lane:
    """Return the lane of a request. No other place decides this.

    `target` is the path and the query as they were sent. Blocking are writes (which wait for each other), the control
    plane, downloads, uploads, the documentation (made when it is first read), text searches (which read every
    transcript), and all of the API while a fault may delay it.
    """
    path, _, query = target.partition("?")
    may_delay = app.world.faults.may_delay()
    is_short = not body_bytes and len(target) <= LONG_ADDRESS
    if method in ("GET", "HEAD") and is_short and not may_delay and has_quick_view(app, path):
        return Lane.LOOP
    is_read = method in READS and path.startswith("/api/") and "searchQuery=" not in query
    return Lane.READ if is_read and not may_delay else Lane.BLOCKING


def has_quick_view(app: Dryline, path: str) -> bool:
    """Return whether the view class that answers GET requests for a path, as it was sent, says `quick = True`.

    A quick view takes well under a millisecond and never waits. A path with encoded characters has none: the
    application decodes them before it looks for the route.
    """
    if "%" in path:
        return False
    try:
        endpoint, _ = app.url_map.bind("").match(path, "GET")
    except HTTPException:
        return False
    return getattr(getattr(app.view_functions[endpoint], "view_class", None), "quick", False)


class Lanes:
    """The dispatcher of waitress: the event loop, and a thread pool for each other lane.

    Blocking requests get as many threads as they need; the limit of connections bounds these.
    """

    def __init__(self, app: Dryline, readers: int) -> None:
        self._app = app
        self._path_prefix = f"{app.world.settings.public_path}/"
        sizes = {Lane.READ: readers, Lane.BLOCKING: math.inf}
        self._pools = {lane: ThreadPool(f"dryline-{lane.name.lower()}", size) for lane, size in sizes.items()}
        self._loop_thread: int | None = None
        # The connection whose oldest request the event loop answers now or next.
        self.current_channel: Any = None

    def start_loop(self) -> None:
        """Make the calling thread the event loop's. Until then, threads answer everything."""
        self._loop_thread = threading.get_ident()
        self._app.world.db.set_nonblocking()

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
            with self._app.world.faults.lock:
                if self._classify(channel) is Lane.LOOP:
                    channel.service()
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

    def _classify(self, channel: Any) -> Lane:
        """Return the lane of a connection's oldest request."""
        request = channel.requests[0]
        if request.error is not None:  # waitress has refused it: there is no path, and the response is ready
            return Lane.LOOP
        target = request.request_uri
        if len(self._path_prefix) > 1 and target.startswith(self._path_prefix):  # a proxy has left the prefix there
            target = target[len(self._path_prefix) - 1 :]
        body_bytes = int(request.headers.get("CONTENT_LENGTH") or 0)
        return lane_for(self._app, request.command.upper(), target, body_bytes)

    def _enqueue(self, channel: Any) -> None:
        lane = self._classify(channel)
        self._pools[Lane.READ if lane is Lane.LOOP else lane].add(channel.service)
