"""The event log: results of background work and calls of the control plane, in memory, for the server's log lines."""

import time
from collections import deque
from typing import Any, NamedTuple

# Enough for a fifth of a second. If nobody drains the log, the newest events stay.
MAX_EVENTS = 1_000


class BackgroundEvent(NamedTuple):
    """Something that the server did. `at` is real time, in seconds since 1970."""

    at: float
    text: str
    members: dict[str, Any]  # for JSON lines, by their names on the wire
    is_problem: bool


class EventLog:
    """The events of one world that nobody has read yet. Any thread may add and drain."""

    def __init__(self) -> None:
        self._events: deque[BackgroundEvent] = deque(maxlen=MAX_EVENTS)

    def add(self, text: str, *, is_problem: bool = False, **members: Any) -> None:
        """Add an event. Call this after the commit."""
        self._events.append(BackgroundEvent(time.time(), text, members, is_problem))

    def drain(self) -> list[BackgroundEvent]:
        """Return the events since the last call, oldest first."""
        events = []
        while self._events:
            events.append(self._events.popleft())
        return events
