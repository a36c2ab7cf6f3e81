"""Threads that do background work: they poll for due work, and do it at once when the clock is moved."""

from __future__ import annotations

import logging
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dryline.models.due import SET_ASIDE
from dryline.traffic.real_time import monotonic
from dryline.world.clock import current_team_id, for_team

if TYPE_CHECKING:
    from dryline.world.world import World

log = logging.getLogger("dryline")

# A step does one piece of the work that is due at a moment of API time, and returns whether there was any. It takes no
# lock to find out: most of the time there is none.
Step = Callable[["World", str], bool]


class _Queue:
    """The work that is due by one clock: the world's, or a team's own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # held for one pass of the steps
        self.requested = self.finished = 0  # rounds
        self.progress_at = 0.0  # when its last step began, by `real_time.monotonic`


class Runner:
    """One thread that runs some steps. A round runs all steps until none of them finds work that is due by a clock.

    The rounds of several clocks take turns, a pass of all steps each, so that much work of a team with a time of its
    own delays no other team.
    """

    POLL_EVERY_S = 1.0  # of real time; a commit that adds work wakes the thread at once
    LOG_FAILURE_EVERY_S = 60.0

    def __init__(self, world: World, name: str, steps: tuple[Step, ...]) -> None:
        self.world = world
        self.name = name
        self.steps = steps
        self._thread: threading.Thread | None = None
        self._queues: defaultdict[str | None, _Queue] = defaultdict(_Queue)  # by the id of the clock's team
        self._wake = threading.Event()
        self._round_ended = threading.Condition()
        self._failure_logged_at: dict[Step, float] = {}

    def start(self) -> None:
        """Start the thread. It runs rounds when woken, and every POLL_EVERY_S."""
        self._thread = threading.Thread(target=self._loop, name=f"dryline-{self.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Wait until the running passes end, in any thread. `world.ending` is set and makes them short."""
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with self._round_ended:
            self._round_ended.notify_all()
        for queue in list(self._queues.values()):
            with queue.lock:
                pass

    def wake(self) -> None:
        """Run rounds soon."""
        self._wake.set()

    def run(self, team_id: str | None, timeout_s: float = math.inf) -> None:
        """Run a round in the calling thread. It begins no pass after `timeout_s`.

        A step that fails does not stop the others.
        """
        now, deadline = self._now(team_id), monotonic() + timeout_s
        while (remaining_s := deadline - monotonic()) > 0 and self._pass(team_id, now, remaining_s):
            pass

    def request_round(self, team_id: str | None) -> int:
        """Let the thread run a round. Return the round's number, for `wait`."""
        with self._round_ended:
            queue = self._queues[team_id]
            queue.requested += 1
            self._wake.set()
            return queue.requested

    def wait(self, team_id: str | None, number: int, deadline: float, step_timeout_s: float = 0) -> None:
        """Wait until a round has ended, at most until the deadline, or until its last step takes `step_timeout_s`.

        The deadline is of `real_time.monotonic`. Without a thread the round runs here.
        """
        if self._thread is None:
            now = self._now(team_id)
            while self._pass(team_id, now, deadline - monotonic()):
                pass
            return
        queue = self._queues[team_id]
        with self._round_ended:
            while queue.finished < number and not self.world.ending.is_set():
                remaining_s = max(queue.progress_at + step_timeout_s, deadline) - monotonic()
                if remaining_s <= 0:
                    return
                self._round_ended.wait(remaining_s)

    def _loop(self) -> None:
        with self.world.active():
            while not self.world.ending.is_set():
                self._wake.wait(self.POLL_EVERY_S)
                self._wake.clear()
                self._run_rounds()

    def _run_rounds(self) -> None:
        """Run a round for each clock, and those that are requested meanwhile."""
        rounds = {team_id: self._begin_round(team_id) for team_id in (None, *self.world.clock.teams)}
        while rounds and not self.world.ending.is_set():
            for team_id, (number, now) in list(rounds.items()):
                if not self._pass(team_id, now, 0):  # a request that runs a pass does the same work
                    with self._round_ended:
                        self._queues[team_id].finished = number
                        self._round_ended.notify_all()
                    del rounds[team_id]
            for team_id, queue in list(self._queues.items()):
                if queue.requested > queue.finished and team_id not in rounds:
                    rounds[team_id] = self._begin_round(team_id)

    def _begin_round(self, team_id: str | None) -> tuple[int, str]:
        return self._queues[team_id].requested, self._now(team_id)

    def _now(self, team_id: str | None) -> str:
        # One time for the whole round: work that falls due meanwhile is for the next one, so that this one ends.
        return self.world.clock.of(team_id).stamp()

    def _pass(self, team_id: str | None, now: str, timeout_s: float) -> bool:
        """Run each step once, and return whether one found work.

        Do nothing if another thread's pass by this clock takes longer than `timeout_s`.
        """
        queue = self._queues[team_id]
        timeout_s = min(max(timeout_s, 0), threading.TIMEOUT_MAX)
        if self.world.ending.is_set() or not queue.lock.acquire(timeout=timeout_s):
            return False
        try:
            with for_team(team_id), self.world.ids.background():
                found_work = False
                for step in self.steps:
                    queue.progress_at = monotonic()
                    found_work = self._try(step, now) or found_work
                    if self.world.ending.is_set():
                        break
                return found_work
        finally:
            queue.lock.release()

    def _try(self, step: Step, now: str) -> bool:
        began = monotonic()
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

    # How long a request that moves the clock waits for one slow step, such as an export or a webhook delivery, and for
    # work that is due by other clocks: long enough for what a test creates, short enough for others that use the
    # server. The work goes on afterwards.
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
        """Do the work that is due by the current team's clock, and in TIMEOUT_S as much as possible of other clocks'.

        That is all quick work, and slow work until a step takes TIMEOUT_S. Rows that are set aside are tried again.
        """
        SET_ASIDE.of(self.world).clear()
        own, others = self._clocks()
        self._quick.run(own)
        deadline = monotonic() + self.TIMEOUT_S
        for team_id in others:
            self._quick.run(team_id, deadline - monotonic())
        rounds = [(runner, id, runner.request_round(id)) for id in (own, *others) for runner in self._slow]
        for runner, team_id, number in rounds:
            runner.wait(team_id, number, deadline, self.TIMEOUT_S if team_id == own else 0)

    def _clocks(self) -> tuple[str | None, list[str | None]]:
        """Return the team of the current team's clock, which is None for the world's, and those of all other clocks."""
        clocks = [None, *self.world.clock.teams]
        own = current_team_id() if current_team_id() in clocks else None
        return own, [team_id for team_id in clocks if team_id != own]
