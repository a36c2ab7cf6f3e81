"""What moves by itself: threads look for due work, and a call on the clock has it done before it is answered."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dryline.world.clock import for_team

if TYPE_CHECKING:
    from dryline.world.world import World

log = logging.getLogger("dryline")

# A step does one piece of the work that is due at a moment of API time, and says whether it found any. It looks without
# a lock: most looks find nothing.
Step = Callable[["World", str], bool]


class Runner:
    """Runs some steps again and again until none finds work: a round. One runner does not wait for another."""

    LOOK_EVERY_S = 1.0  # of real time; a commit that makes work wakes the thread at once
    COMPLAIN_EVERY_S = 60.0

    def __init__(self, world: World, name: str, steps: tuple[Step, ...]) -> None:
        self.world = world
        self.name = name
        self.steps = steps
        self._thread: threading.Thread | None = None
        self._one_round = threading.Lock()
        self._wake = threading.Event()
        self._news = threading.Condition()
        self._asked = self._done = 0  # rounds
        self._busy_since: float | None = None  # with one step
        self._complained: dict[Step, float] = {}

    def start(self) -> None:
        """Run rounds in a thread, when woken and now and then."""
        self._thread = threading.Thread(target=self._loop, name=f"dryline-{self.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let the running round end, whoever runs it; `world.ending` is set and keeps it short."""
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with self._news:
            self._news.notify_all()
        with self._one_round:
            pass

    def wake(self) -> None:
        """There may be work."""
        self._wake.set()

    def run(self) -> None:
        """Do all work that is due now, in the calling thread. A step that fails does not stop the others."""
        with self._one_round:
            self._run()

    def ask(self) -> int:
        """Have the thread begin a round. What this gives is for `wait`."""
        with self._news:
            self._asked += 1
            self._wake.set()
            return self._asked

    def wait(self, round: int, asked_at: float, patience_s: float) -> None:
        """Until that round is over, but no longer than `patience_s` for any one step. Without a thread, run it here.

        `asked_at`, when it was asked for, is of `time.monotonic`.
        """
        if self._thread is None:
            if self._one_round.acquire(timeout=patience_s):
                try:
                    self._run()
                finally:
                    self._one_round.release()
            return
        with self._news:
            while self._done < round and not self.world.ending.is_set():
                left = (self._busy_since or asked_at) + patience_s - time.monotonic()
                if left <= 0:
                    return
                self._news.wait(left)

    def _loop(self) -> None:
        with self.world.active():
            while not self.world.ending.is_set():
                self._wake.wait(self.LOOK_EVERY_S)
                self._wake.clear()
                round = self._asked
                self.run()
                with self._news:
                    self._done = round
                    self._news.notify_all()

    def _run(self) -> None:
        for team_id in (None, *self.world.clock.teams):
            with for_team(team_id):
                self._run_for_one_clock()
        self._busy_since = None

    def _run_for_one_clock(self) -> None:
        # What falls due meanwhile is for the next round, so that this one has an end.
        moment = self.world.clock.stamp()
        found = True
        with self.world.ids.by_itself():
            while found and not self.world.ending.is_set():
                found = False
                for step in self.steps:
                    found = self._try(step, moment) or found

    def _try(self, step: Step, moment: str) -> bool:
        self._busy_since = now = time.monotonic()
        try:
            return step(self.world, moment)
        except Exception:
            if now - self._complained.get(step, -self.COMPLAIN_EVERY_S) >= self.COMPLAIN_EVERY_S:
                self._complained[step] = now
                log.exception("%s failed; it is tried again.", step.__name__)
            return False


class Jobs:
    """The runners of one world: one for what is quick, and one for each kind of work that may take long."""

    # How long a call on the clock waits for one export, or for one address that is told: long enough for what a test
    # makes, short enough for whoever shares the server. What takes longer goes on by itself.
    PATIENCE_S = 2.0

    def __init__(self, world: World, quick: tuple[Step, ...], slow: Mapping[str, tuple[Step, ...]]) -> None:
        self.world = world
        self._quick = Runner(world, "jobs", quick)
        self._slow = [Runner(world, name, steps) for name, steps in slow.items()]

    def start(self) -> None:
        """Begin to move by itself."""
        for runner in (self._quick, *self._slow):
            runner.start()

    def stop(self) -> None:
        """End: a long step gives its work back, and what waits for another server is cut."""
        self.world.ending.set()
        self.world.outgoing.end()
        for runner in (self._quick, *self._slow):
            runner.stop()

    def wake(self) -> None:
        """There may be work."""
        for runner in (self._quick, *self._slow):
            runner.wake()

    def run_due(self) -> None:
        """Do the work that is due now, all that is quick of it, and of the rest what can be had with some patience."""
        self._quick.run()
        asked_at = time.monotonic()
        rounds = [(runner, runner.ask()) for runner in self._slow]
        for runner, round in rounds:
            runner.wait(round, asked_at, self.PATIENCE_S)
