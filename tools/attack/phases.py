"""The phases of the attacked world: each reset, restore, load or undo begins one.

What a phase makes has its name, `phase-3-…`: its rows, the words of its flows, the addresses of its webhooks. So a row
or a webhook shows whether it belongs into the present phase.
"""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
from collections.abc import Callable, Iterator

from dryline.tools.attack.client import Answer, Client
from dryline.tools.attack.findings import Findings

_NAME = re.compile(rb"phase-(\d+)-")
LATE_S = 3.0  # a webhook that was being sent at the change may arrive so much later


class Phases:
    """The number of the present phase, and the numbers whose rows the world may have.

    Short requests of clients hold `shared`, so that none of them is under way while a phase begins. Requests that take
    long (simulations, moves of the clock) and background work are under way then: that is what the attack is about.
    """

    def __init__(self, client: Client, findings: Findings) -> None:
        self.number = 1
        self.allowed = frozenset({1})
        self.acknowledged: set[str] = set()  # ids of workers of this phase, which must be there
        self._client = client
        self._findings = findings
        self._condition = threading.Condition()
        self._sharing = 0
        self._is_changing = False
        self._began_at = time.monotonic()

    @property
    def prefix(self) -> str:
        """The beginning of each name of the present phase."""
        return f"phase-{self.number}-"

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Run a block in which no phase begins."""
        with self._condition:
            self._condition.wait_for(lambda: not self._is_changing)
            self._sharing += 1
        try:
            yield
        finally:
            with self._condition:
                self._sharing -= 1
                self._condition.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Run a block in which no other thread is in `shared` or `alone`."""
        with self._condition:
            self._condition.wait_for(lambda: not self._is_changing)
            self._is_changing = True
            self._condition.wait_for(lambda: self._sharing == 0)
        try:
            yield
        finally:
            with self._condition:
                self._is_changing = False
                self._condition.notify_all()

    def begin(self, change: Callable[[], Answer], allowed: frozenset[int] | None = frozenset()) -> None:
        """Look at the rows, and begin a phase by a change. The world may then have rows of the `allowed` phases.

        None allows those that it has after the change. Call it in `alone`.
        """
        self.check_rows()
        began_at, self._began_at = self._began_at, math.inf  # during the change, webhooks of both phases may arrive
        answer = change()
        if answer.is_good or answer.status == 0:
            self.number += 1
            self.acknowledged.clear()
            if allowed is None or answer.status == 0:  # of a killed server nobody knows whether it made the change
                while not (state := self._client.send("GET", "/_dryline/state")).is_good:
                    time.sleep(0.1)
                allowed = frozenset(int(match[1]) for match in _NAME.finditer(state.data))
            self.allowed = allowed | {self.number}
            began_at = time.monotonic()
        self._began_at = began_at

    def check_rows(self) -> None:
        """Report rows of other phases, and workers that are gone. Call it in `alone`."""
        state = self._client.send("GET", "/_dryline/state")
        if not state.is_good:
            return
        for match in _NAME.finditer(state.data):
            if int(match[1]) not in self.allowed:
                around = state.data[max(match.start() - 200, 0) : match.end() + 100]
                self._findings.add("row of another phase", f"in phase {self.number}", around)
                break
        ids = {worker["id"] for worker in state.json["workers"]}
        if lost := self.acknowledged - ids:
            self._findings.add("lost", "workers that were acknowledged", sorted(lost)[:3])

    def receive(self, number: int) -> None:
        """Report a webhook of another phase, which arrives too late to have been under way at the change."""
        if number not in self.allowed and time.monotonic() > self._began_at + LATE_S:
            self._findings.add("webhook of another phase", "arrived", f"{number}, but the world is in {self.number}")
