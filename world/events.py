"""What happened beside the requests: jobs that moved something, and calls of the control plane, for who watches."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, NamedTuple

# More than a look finds; where nobody looks, the newest stay.
_MOST = 1_000


class Happening(NamedTuple):
    """One of them. `at` is real time, in seconds since 1970; `bad` what somebody should look at."""

    at: float
    text: str
    facts: dict[str, Any]
    bad: bool


class News:
    """The newest happenings of one world that nobody has taken yet. Any thread may tell or take."""

    def __init__(self) -> None:
        self._untaken: deque[Happening] = deque(maxlen=_MOST)

    def tell(self, text: str, *, bad: bool = False, **facts: Any) -> None:
        """Something happened, once it is committed. `facts` are for machines, by their names on the wire."""
        self._untaken.append(Happening(time.time(), text, facts, bad))

    def take(self) -> list[Happening]:
        """What was told since, in its order."""
        taken = []
        while self._untaken:
            taken.append(self._untaken.popleft())
        return taken
