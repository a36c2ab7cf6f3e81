"""Threads that do background work: they poll for due work, and do it at once when the clock is moved."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dryline.models.due import SET_ASIDE
from dryline.world.clock import for_team

if TYPE_CHECKING:
    from dryline.world.world import World

log = logging.getLogger("dryline")

# A step does one piece of the work that is due at a moment of API time, and returns whether there was any. It takes no
# lock to find out: most of the time there is none.
Step = Callable[["World", str], bool]


class Runner:
    """One thread that runs some steps. A round runs all steps until none of them finds work."""

    POLL_EVERY_S = 1.0  # of real time; a commit that adds work wakes the thread at once
    LOG_FAILURE_EVERY_S = 60.0

    def __init__(self, world: World, name: str, steps: tuple[Step, ...]) -> None:
        self.world = world
        self.name = name
        self.steps = steps
        self._thread: threading.Thread | None = None
        self._round_lock = threading.Lock()
        self._wake = threading.Event()
        self._round_ended = threading.Condition()
        self._requested_rounds = self._finished_rounds = 0
        self._step_began_at: float | None = None
        self._failure_logged_at: dict[Step, float] = {}

    def start(self) -> None:
        """Start the thread. It runs a round when woken, and every POLL_EVERY_S."""
        self._thread = threading.Thread(target=self._loop, name=f"dryline-{self.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Wait until the running round ends, in any thread. `world.ending` is set and makes it short."""
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with self._round_ended:
            self._round_ended.notify_all()
        with self._round_lock:
            pass

    def wake(self) -> None:
        """Run a round soon."""
        self._wake.set()

    def run(self) -> None:
        """Run a round in the calling thread. A step that fails does not stop the others."""
        with self._round_lock:
            self._run()

    def request_round(self) -> int:
        """Let the thread run a round. Return the round's number, for `wait`."""
        with self._round_ended:
            self._requested_rounds += 1
            self._wake.set()
            return self._requested_rounds

    def wait(self, number: int, requested_at: float, patience_s: float) -> None:
        """Wait until a round has ended, but at most `patience_s` for any one step.

        `requested_at` is of `time.monotonic`. Without a thread the round runs here.
        """
        if self._thread is None:
            if self._round_lock.acquire(timeout=patience_s):
                try:
                    self._run()
                finally:
                    self._round_lock.release()
            return
        with self._round_ended:
            while self._finished_rounds < number and not self.world.ending.is_set():
                remaining_s = (self._step_began_at or requested_at) + patience_s - time.monotonic()
                if remaining_s <= 0:
                    return
                self._round_ended.wait(remaining_s)

    def _loop(self) -> None:
        with self.world.active():
            while not self.world.ending.is_set():
                self._wake.wait(self.POLL_EVERY_S)
                self._wake.clear()
                number = self._requested_rounds
                self.run()
                with self._round_ended:
                    self._finished_rounds = number
                    self._round_ended.notify_all()

    def _run(self) -> None:
        for team_id in (None, *self.world.clock.teams):
            with for_team(team_id):
                self._run_for_current_team()
        self._step_began_at = None

    def _run_for_current_team(self) -> None:
        # One time for the whole round: work that falls due meanwhile is for the next one, so that this one ends.
        now = self.world.clock.stamp()
        found_work = True
        with self.world.ids.background():
            while found_work and not self.world.ending.is_set():
                found_work = False
                for step in self.steps:
                    found_work = self._try(step, now) or found_work

    def _try(self, step: Step, now: str) -> bool:
        self._step_began_at = began = time.monotonic()
        try:
            return step(self.world, now)
        except Exception:
            logged_at = self._failure_logged_at.get(step)
            if logged_at is None or began - logged_at >= self.LOG_FAILURE_EVERY_S:
                self._failure_logged_at[step] = began
                log.exception("%s failed. It is tried again.", step.__name__)
            return False


class Jobs:
    """The runners of one world: one for all quick steps, and one for each kind of slow work."""

    # How long a request that moves the clock waits for one slow step, such as an export or a webhook delivery: long
    # enough for what a test creates, short enough for others that use the server. The work goes on afterwards.
    PATIENCE_S = 2.0

    def __init__(self, world: World, quick: tuple[Step, ...], slow: Mapping[str, tuple[Step, ...]]) -> None:
        self.world = world
        self._quick = Runner(world, "jobs", quick)
        self._slow = [Runner(world, name, steps) for name, steps in slow.items()]

    def start(self) -> None:
        """Start all threads."""
        for runner in (self._quick, *self._slow):
            runner.start()

    def stop(self) -> None:
        """Stop all threads. Slow steps give their work back, and requests to other servers are cut."""
        self.world.ending.set()
        self.world.outgoing.end()
        for runner in (self._quick, *self._slow):
            runner.stop()

    def wake(self) -> None:
        """Look for work soon."""
        for runner in (self._quick, *self._slow):
            runner.wake()

    def run_due(self) -> None:
        """Do the work that is due now: all quick work, and the slow work that ends within PATIENCE_S a step.

        Rows that are set aside are tried again.
        """
        SET_ASIDE.of(self.world).clear()
        self._quick.run()
        requested_at = time.monotonic()
        rounds = [(runner, runner.request_round()) for runner in self._slow]
        for runner, number in rounds:
            runner.wait(number, requested_at, self.PATIENCE_S)
