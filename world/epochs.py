"""The epochs of a world and of its teams, which keep the work of one epoch out of the next.

A reset, a restore, a replacement of the state and an undo begin an epoch of the world. The reset, the replacement and
the deletion of a team begin an epoch of this team. A task of an earlier epoch writes and sends nothing more: its next
transaction or request to another server raises EpochEnded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from dryline.storage.current_world import Task, current_task

# How long the beginning of an epoch waits for requests that are on their way to other servers.
SENDS_TIMEOUT_S = 2.0
MAX_TEAMS = 1_000  # whose last epoch is remembered


class EpochEnded(BaseException):
    """The epoch of the running task has ended, and the task with it.

    It is no Exception, so that no handler of errors takes it for a failure of the work, as with asyncio's
    CancelledError.
    """


@dataclass(eq=False)
class _Send:
    """A request that is on its way to another server. `epoch_ended` is done when the epoch of its task has ended."""

    task: Task
    epoch_ended: Future[None]


class Epochs:
    """The present epochs. `count` rises with the beginning of each one, of the world or of a team.

    A task remembers the count at which it began. It belongs to an earlier epoch if one has begun at a higher count.
    """

    def __init__(self) -> None:
        self.count = 0
        self._world_began = 0  # the count at which the epoch of the world began
        self._team_began: OrderedDict[str, int] = OrderedDict()  # the same of teams, latest last
        # A count from which on no epoch of a team is missing in `_team_began`. A task of a team that is not there, and
        # that is older than this, may belong to an earlier epoch, and is taken as if it did.
        self._teams_known_since = 0
        self._sends: list[_Send] = []  # the requests that are on their way to other servers
        self._paused_teams: list[str | None] = []  # whose sends wait; None stands for all teams
        self._sends_changed = threading.Condition()
        self._beginning = threading.RLock()  # held while an epoch begins: one at a time

    def is_current(self, task: Task) -> bool:
        """Return whether a task belongs to the present epoch of the world, and of its team if that is known."""
        if task.began < self._world_began:
            return False
        return task.team_id is None or task.team_began >= self._team_began.get(task.team_id, self._teams_known_since)

    def is_of_world(self, task: Task) -> bool:
        """Return whether a task belongs to the present epoch of the world, whatever its team."""
        return task.began >= self._world_began

    def require_current(self, task: Task | None = None) -> None:
        """Raise EpochEnded if a task, or else the running one, belongs to an earlier epoch."""
        if not self.is_current(task or current_task()):
            raise EpochEnded

    def begin(self, task: Task, team_id: str | None = None) -> None:
        """Begin an epoch of the world, or of one team. The task that begins it goes on in it.

        The caller has the write lock, and has called `pause_sends`. Nobody waits any longer for the answer to a request
        of an earlier epoch.
        """
        self.count += 1
        if team_id is None:
            self._world_began = self.count
        else:
            self._team_began.pop(team_id, None)
            self._team_began[team_id] = self.count
            if len(self._team_began) > MAX_TEAMS:
                _, self._teams_known_since = self._team_began.popitem(last=False)
        self.admit(task)
        with self._sends_changed:
            for send in self._sends:
                if not self.is_current(send.task) and not send.epoch_ended.done():
                    send.epoch_ended.set_result(None)

    def admit(self, task: Task) -> None:
        """Let a task go on in the present epochs."""
        task.began = task.team_began = self.count

    @contextmanager
    def sending(self, task: Task) -> Iterator[Future[None]]:
        """Send a request to another server in the block. Raises EpochEnded.

        While an epoch begins, it waits for it, since the change may still be refused. The block gets a Future that is
        done when the epoch of the task has ended.
        """
        send = _Send(task, Future())
        with self._sends_changed:
            self._sends_changed.wait_for(lambda: not self._is_paused(task))
            self.require_current(task)
            self._sends.append(send)
        try:
            yield send.epoch_ended
        finally:
            with self._sends_changed:
                self._sends.remove(send)
                self._sends_changed.notify_all()

    @contextmanager
    def pause_sends(self, team_id: str | None = None) -> Iterator[None]:
        """Let no request to another server begin in the block, on behalf of any team or of one.

        Before the block it waits up to SENDS_TIMEOUT_S for those that are on their way. The caller has no lock: a
        receiver may call back.
        """
        with self._beginning:
            with self._sends_changed:
                self._paused_teams.append(team_id)
            try:
                with self._sends_changed:
                    self._sends_changed.wait_for(lambda: not self._are_on_their_way(team_id), SENDS_TIMEOUT_S)
                yield
            finally:
                with self._sends_changed:
                    self._paused_teams.remove(team_id)
                    self._sends_changed.notify_all()

    def _is_paused(self, task: Task) -> bool:
        return any(team_id in (None, task.team_id) for team_id in self._paused_teams)

    def _are_on_their_way(self, team_id: str | None) -> bool:
        return any(team_id in (None, send.task.team_id) for send in self._sends)
