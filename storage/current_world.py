"""The running task, and the world that it works in.

Several worlds may live in one process, as tests do, so records and files find their database and directory through this
context variable. `World.active()` sets it for a block. A new thread has no task: it needs a copy of the context, or
`World.active()`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from peewee import DatabaseProxy, SqliteDatabase

if TYPE_CHECKING:
    from dryline.world.world import World

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Task:
    """A piece of work in a world: a request, a round of background work, or the work on one row of a round.

    `began` and `team_began` are what world/epochs.py counted when the task was begun, and when the rows of its team
    were looked up. `team_id` is None as long as the team is not known. `moment` is the time of a round of background
    work, and None outside of one.
    """

    world: World
    began: int
    team_began: int
    team_id: str | None = None
    moment: datetime | None = None


_running: ContextVar[Task | None] = ContextVar("dryline_task", default=None)


def current() -> World:
    """Return the world of the running task. Raises LookupError outside of one."""
    return current_task().world


def current_task() -> Task:
    """Return the running task. Raises LookupError outside of one."""
    task = _running.get()
    if task is None:
        raise LookupError("No task is running: see World.active.")
    return task


def find_task() -> Task | None:
    """Return the running task, or None outside of one."""
    return _running.get()


@contextmanager
def running_task(task: Task) -> Iterator[None]:
    """Make this the running task for a block."""
    token = _running.set(task)
    try:
        yield
    finally:
        _running.reset(token)


@contextmanager
def running_part_of_task(**values: Any) -> Iterator[None]:
    """Run a block as a part of the running task, with these values of its own, such as `team_id`."""
    with running_task(replace(current_task(), **values)):
        yield


class WorldLocal(Generic[T]):
    """A value that each world has one of, created at its first use and gone with the world.

    For caches and services of modules that `World` does not know: each is a variable of the module that owns it.
    """

    def __init__(self, create: Callable[[World], T]) -> None:
        self._create = create
        self._lock = threading.RLock()

    def of(self, world: World) -> T:
        """Return the value of a world."""
        with self._lock:
            if self not in world.locals:
                world.locals[self] = self._create(world)
            value: T = world.locals[self]
            return value

    def drop(self, world: World) -> None:
        """Forget the value of a world. The next use creates another."""
        with self._lock:
            world.locals.pop(self, None)


class CurrentDatabase(DatabaseProxy):
    """A peewee database that forwards to the database of the current world."""

    __slots__ = ("_callbacks",)

    def __init__(self) -> None:
        self._callbacks: list[Any] = []

    @property
    def obj(self) -> SqliteDatabase | None:  # type: ignore[override]
        """The current world's database; None outside of a world, as when peewee creates the model classes."""
        task = _running.get()
        return task.world.db if task else None
