"""Answer quick requests in the event loop and all others in the threads of waitress."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import orjson
from werkzeug.exceptions import HTTPException

from dryline.storage.current_world import Task, running_task
from dryline.storage.errors import MustNotWait

if TYPE_CHECKING:
    from dryline.app import Dryline

# The longest path and query together that the event loop takes. No request of the API needs more.
LONG_ADDRESS = 5_000

# The header by which the vendor's clients say whether they are async.
VENDOR_CLIENT = "X_STAINLESS_ASYNC"

log = logging.getLogger("dryline")


class QuickDispatcher:
    """The task dispatcher of a waitress server, in front of the one that waitress has made: its `threads`.

    The event loop's thread is the one that never waits for the database. Others are started when they are needed.
    """

    def __init__(self, app: Dryline) -> None:
        self._app = app
        self._routes = app.url_map.bind("")
        self.threads: Any = None  # `HttpServer` sets it
        self._arrived: deque[Any] = deque()  # connections whose oldest request the event loop looks at next
        self._count_lock = threading.Lock()
        self._thread_count = self._unfinished = 0  # unfinished are the requests that threads answer or will answer

    def add_task(self, channel: Any) -> None:
        """Have the oldest request of a connection answered. waitress calls this with the connection locked."""
        request = channel.requests[0]
        if request.error is not None:  # waitress itself refuses the request
            request.error = _as_api_error(request.error)
        if VENDOR_CLIENT in request.headers:
            # A connection of the vendor's async client belongs to an event loop, and tests begin one after the other
            # with the same client. A connection of its sync client, which most tests do not close, may end in a
            # ResourceWarning when it is garbage. waitress closes a connection if the request says so.
            request.headers["CONNECTION"] = "close"
        if self._app.world.db.is_nonblocking:
            self._arrived.append(channel)
        else:
            self._hand_over(channel)

    def serve_arrived(self) -> None:
        """Answer the requests that the last poll has read, or hand them over to threads. The event loop calls this."""
        while self._arrived:
            channel = self._arrived.popleft()
            try:
                channel.service()
            except MustNotWait:  # raised before anything is sent
                self._hand_over(channel)

    def _hand_over(self, channel: Any) -> None:
        with self._count_lock:
            self._unfinished += 1
            if self._thread_count < min(self._unfinished, self._app.world.settings.threads):
                self._thread_count += 1
                try:
                    self.threads.set_thread_count(self._thread_count)
                except RuntimeError as error:  # a limit of the system, such as a container's number of processes
                    log.warning("A thread cannot be started (%s). Unfinished requests: %d.", error, self._unfinished)
        # The epoch counts in which the request came, not the one in which a thread is free for it.
        serve = partial(self._serve_in_thread, channel, self._app.world.new_task())
        self.threads.add_task(SimpleNamespace(service=serve))

    def _serve_in_thread(self, channel: Any, task: Task) -> None:
        try:
            with running_task(task):
                channel.service()
        finally:
            with self._count_lock:
                self._unfinished -= 1

    def answer(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        """Answer one request by the application. Raises MustNotWait in the event loop unless the request is quick."""
        if not self._app.world.db.is_nonblocking:
            return self._app(environ, start_response)
        with self._app.world.faults.lock:  # no rule can be added meanwhile: one that delays would stop the loop
            if self._app.world.faults or not self._is_quick(environ):
                raise MustNotWait
            return self._app(environ, start_response)

    def _is_quick(self, environ: Any) -> bool:
        """Return whether a request is a GET without a body, of a view whose class says `quick = True`.

        A quick view takes well under a millisecond and never waits; lists are quick whose rows are short and few. A
        path with encoded characters has none: the application decodes them before it looks for the route.
        """
        uri, has_body = environ["REQUEST_URI"], environ.get("CONTENT_LENGTH", "") not in ("", "0")
        is_read = environ["REQUEST_METHOD"] in ("GET", "HEAD") and not has_body
        if not is_read or len(uri) > LONG_ADDRESS or "%" in uri.partition("?")[0]:
            return False
        try:
            endpoint, _ = self._routes.match(environ["PATH_INFO"], "GET")
        except HTTPException:
            return False
        return getattr(getattr(self._app.view_functions[endpoint], "view_class", None), "quick", False)


def _as_api_error(error: Any) -> Any:
    """Return an error of waitress itself, such as a malformed request line, with the API's error body."""
    headers = [("Content-Type", "application/json"), ("X-Content-Type-Options", "nosniff")]
    body = orjson.dumps({"error": f"{error.reason}: {error.body}"})
    return SimpleNamespace(to_response=lambda ident=None: (f"{error.code} {error.reason}", headers, body))
