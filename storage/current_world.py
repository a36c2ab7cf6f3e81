"""The world that the running request or job belongs to.

Several worlds may live in one process, as tests do, so records and files find their database and directory through this
context variable. `World.active()` sets it for a block.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

from peewee import DatabaseProxy, SqliteDatabase

if TYPE_CHECKING:
    from dryline.world.world import World

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
