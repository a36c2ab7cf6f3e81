"""Threads that do background work: they poll for due work, and do it at once when the clock is moved."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from queue import SimpleQueue
from typing import TYPE_CHECKING

from dryline.models.due import SET_ASIDE
from dryline.storage.current_world import running_part_of_task
from dryline.world.clock import wire
from dryline.world.epochs import EpochEnded
from dryline.world.real_time import monotonic

if TYPE_CHECKING:
    from dryline.world.world import World

log = logging.getLogger("dryline")

# A step works on some rows that are due at a moment of API time, and returns whether there were any. It takes no lock
# to find out: most of the time there are none.
Step = Callable[["World", str], bool]


class _RoundCut(Exception):
    """The server ends, or the clock has moved back: the round ends before it did all due work."""


class Runner:
    """A thread that runs some steps in their order, again and again until none of them finds work: a round."""

    POLL_EVERY_S = 1.0  # of real time; a commit that adds work wakes the thread at once
    CHECK_EVERY_S = 0.1
    LOG_FAILURE_EVERY_S = 60.0

    def __init__(self, world: World, name: str, steps: tuple[Step, ...]) -> None:
        self.world = world
        self.name = name
        self.steps = steps
        self._thread: threading.Thread | None = None
        self._running = threading.Lock()  # held for a round
        self._begun = 0  # how many rounds have begun
        self._last_whole = 0  # the number of the last round that did all due work
        self._wake = threading.Event()
        self._awaited: SimpleQueue[threading.Event] = SimpleQueue()  # each is set after the next round
        self._progress_at = 0.0  # when the last step began, by `real_time.monotonic`
        self._failure_logged_at: dict[Step | None, float] = {}

    def start(self) -> None:
        """Start the thread. It runs a round when woken, and every POLL_EVERY_S."""
        self._thread = threading.Thread(target=self._loop, name=f"dryline-{self.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Wait until the running round ends, in any thread. `world.ending` is set and makes it short."""
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with self._running:
            pass

    def wake(self) -> None:
        """Run a round soon."""
        self._wake.set()

    def run(self, timeout_s: float = -1) -> None:
        """Run a round in the calling thread, unless one of another thread goes on for `timeout_s`.

        A round has one moment, which each step and row is given: work that falls due meanwhile is for the next round,
        so that this one ends. It also ends with its epoch, and when the clock has moved back. A step that fails does
        not stop the others. Of several callers that wait for a round to end, one runs the next for all: any round that
        begins after a call does what was due at the call.
        """
        begun_before = self._begun
        if not self._running.acquire(timeout=timeout_s):
            return
        with contextlib.ExitStack() as stack:
            stack.callback(self._running.release)
            if self._last_whole > begun_before:
                return
            self._begun += 1
            stack.enter_context(self.world.ids.background())
            stack.enter_context(contextlib.suppress(EpochEnded, _RoundCut))
            moment = self.world.clock.now()
            stack.enter_context(running_part_of_task(moment=moment))
            while self._run_steps(moment):
                pass
            self._last_whole = self._begun

    def request_round(self) -> threading.Event:
        """Let the thread run a round. Return what is set when the round has ended, for `wait`."""
        ended = threading.Event()
        self._awaited.put(ended)
        self._wake.set()
        return ended

    def wait(self, ended: threading.Event, timeout_s: float) -> None:
        """Wait until a round has ended, or until one of its steps takes `timeout_s`. Without a thread it runs here."""
        if self._thread is None:
            self.run(timeout_s)
            return
        began = monotonic()
        while not (ended.wait(self.CHECK_EVERY_S) or self.world.ending.is_set()):
            if monotonic() > max(self._progress_at, began) + timeout_s:
                return

    def _loop(self) -> None:
        while not self.world.ending.is_set():
            self._wake.wait(self.POLL_EVERY_S)
            self._wake.clear()
            awaited = [self._awaited.get() for _ in range(self._awaited.qsize())]
            with self.world.active():
                self.run()
            for ended in awaited:
                ended.set()

    def _run_steps(self, moment: datetime) -> bool:
        """Run each step once, and return whether one has found work. Raises EpochEnded and _RoundCut."""
        found_work = False
        for step in self.steps:
            if self.world.ending.is_set() or self.world.clock.now() < moment:
                raise _RoundCut
            self.world.epochs.require_current()
            found_work |= self._run_step(step, wire(moment))
        return found_work

    def _run_step(self, step: Step, now: str) -> bool:
        self._progress_at = began = monotonic()
        try:
            # From here on the step looks up its rows: those of a team's earlier epoch are gone.
            part = running_part_of_task(team_began=self.world.epochs.count)
            with part, self.world.activity.doing(f"background work: {step.__name__}"):
                self.world.db.require_file()
                return step(self.world, now)
        except EpochEnded:
            return True  # the round ends before the next step, or only a team's epoch has ended, and it looks again
        except Exception as error:
            self.world.epochs.require_current()
            if cause := self.world.find_outside_cause(error):
                if self._is_to_be_logged(None, began):  # for all steps alike
                    log.error("Background work waits: %s", cause)
            elif self._is_to_be_logged(step, began):
                log.error("%s failed, and is tried again: %s", step.__name__, error, exc_info=error)
            return False

    def _is_to_be_logged(self, step: Step | None, now: float) -> bool:
        """Return whether a step's failure was not logged for LOG_FAILURE_EVERY_S. It counts as logged from now on."""
        logged_at = self._failure_logged_at.get(step)
        if logged_at is not None and now - logged_at < self.LOG_FAILURE_EVERY_S:
            return False
        self._failure_logged_at[step] = now
        return True


class Jobs:
    """The runners of one world: one for all quick steps, and one for each kind of slow work."""

    # How long a request that moves the clock waits for one slow step, such as an export or a webhook delivery. The work
    # goes on afterwards.
    TIMEOUT_S = 2.0

    def __init__(self, world: World, quick: tuple[Step, ...], slow: Mapping[str, tuple[Step, ...]]) -> None:
        self.world = world
        self._quick = Runner(world, "jobs", quick)
        self._slow = [Runner(world, name, steps) for name, steps in slow.items()]

    def start(self) -> None:
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
        """Do the work that is due: all quick work, and slow work until a step takes TIMEOUT_S.

        Rows whose work has failed are tried again.
        """
        SET_ASIDE.of(self.world).clear()
        self._quick.run()
        for runner, ended in [(runner, runner.request_round()) for runner in self._slow]:
            runner.wait(ended, self.TIMEOUT_S)
