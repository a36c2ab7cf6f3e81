"""What moves by itself: one thread runs the due steps, and the control plane runs them when it moves the clock."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from dryline.world.world import World

log = logging.getLogger("dryline")

# A step does one piece of due work and says whether it found any. Steps are added by the areas' modules.
Step = Callable[[World], bool]


def only_if(sql: str) -> Callable[[Step], Step]:
    """Mark a step that has no work unless this statement finds a row: then a look costs microseconds and no lock."""

    def mark(step: Step) -> Step:
        step.only_if = sql  # type: ignore[attr-defined]
        return step

    return mark


class Jobs:
    """Runs steps until none finds work, then waits to be woken or for the next look at the clock."""

    LOOK_EVERY = 1.0  # seconds of real time; a commit that makes work wakes the thread at once

    def __init__(self, world: World, steps: tuple[Step, ...] = ()) -> None:
        self.world = world
        self.steps = steps
        self._wake = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to move by itself."""
        self._thread = threading.Thread(target=self._loop, name="dryline-jobs", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, whoever runs the steps. A running step finishes, or gives its work back where it is long."""
        self.world.ending.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with self._one_at_a_time:
            pass

    def wake(self) -> None:
        """There may be work."""
        self._wake.set()

    def run_due(self) -> None:
        """Do all work that is due now, in the calling thread."""
        with self._one_at_a_time:
            found = True
            while found and not self.world.ending.is_set():
                found = False
                for step in self.steps:
                    found = (self._may_find(step) and step(self.world)) or found

    def _may_find(self, step: Step) -> bool:
        sql = getattr(step, "only_if", None)
        return sql is None or self.world.db.connection().execute(sql).fetchone() is not None

    def _loop(self) -> None:
        with self.world.active():
            while not self.world.ending.is_set():
                self._wake.clear()
                try:
                    self.run_due()
                except Exception:
                    log.exception("A job failed; it is tried again.")
                self._wake.wait(self.LOOK_EVERY)
