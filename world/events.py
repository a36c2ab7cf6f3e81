"""The access log: a record for each request and for each result of background work. `serving` makes lines of them."""

import logging
from typing import Any, NamedTuple

# Its records have an `Entry` or a `BackgroundEvent` as their message.
ACCESS = logging.getLogger("dryline.access")


class BackgroundEvent(NamedTuple):
    """Something that the server did."""

    text: str
    members: dict[str, Any]  # for JSON lines, by their names on the wire
    is_problem: bool

    def __str__(self) -> str:
        return self.text


class EventLog:
    """The log of background work and of calls of the control plane."""

    def add(self, text: str, *, is_problem: bool = False, **members: Any) -> None:
        """Log an event. Call this after the commit."""
        ACCESS.info(BackgroundEvent(text, members, is_problem))
