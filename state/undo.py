"""Automatic snapshots, which the console takes before it replaces or deletes much, so that this can be undone."""

from collections.abc import Iterator
from contextlib import contextmanager

from dryline.state import snapshots
from dryline.world.world import World

PREFIX = "before "
MAX_UNDO_SNAPSHOTS = 5


@contextmanager
def undoable(world: World, change: str) -> Iterator[str]:
    """Take a snapshot before the block, whose change has this name in words, and return the snapshot's name.

    The newest five such snapshots are kept. If the change fails, its snapshot is deleted.
    """
    name = _free_name(world, f"{PREFIX}{change}")
    snapshots.save(world, name)
    try:
        yield name
    except BaseException:
        snapshots.remove(world, name)
        raise
    for old in _by_age(world)[MAX_UNDO_SNAPSHOTS:]:
        snapshots.remove(world, old.name)


def _free_name(world: World, name: str) -> str:
    """Return the name, with a number if there is a snapshot of it."""
    names = {snapshot.name for snapshot in snapshots.listing(world)}
    return next(one for number in range(1, len(names) + 2) if (one := f"{name} {number}") not in names)


def _by_age(world: World) -> list[snapshots.Snapshot]:
    """Return the automatic snapshots, the last one taken first. The clock may have been set back between them."""
    automatic = [one for one in snapshots.listing(world) if one.name.startswith(PREFIX)]
    return sorted(automatic, key=lambda snapshot: snapshot.path.stat().st_mtime, reverse=True)
