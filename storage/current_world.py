"""The world that the running request or job belongs to.

Several worlds may live in one process, as tests do, so records and files find their database and directory through this
context variable. `World.active()` sets it for a block.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from peewee import DatabaseProxy, SqliteDatabase

if TYPE_CHECKING:
    from dryline.world.world import World

T = TypeVar("T")

_current: ContextVar[World] = ContextVar("dryline_world")


def current() -> World:
    """Return the world of the running request or job. Raises LookupError outside of one."""
    return _current.get()


def enter(world: World) -> Token[World]:
    """Make a world the current one. Pass the returned token to `leave`."""
    return _current.set(world)


def leave(token: Token[World]) -> None:
    """Make the world current that was current before `enter`."""
    _current.reset(token)


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
        world.locals.pop(self, None)


class CurrentDatabase(DatabaseProxy):
    """A peewee database that forwards to the database of the current world."""

    __slots__ = ("_callbacks",)

    def __init__(self) -> None:
        self._callbacks: list[Any] = []

    @property
    def obj(self) -> SqliteDatabase | None:  # type: ignore[override]
        """The current world's database; None outside of a world, as when peewee creates the model classes."""
        world = _current.get(None)
        return world.db if world else None
