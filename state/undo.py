"""Snapshots that are taken before a change that replaces or deletes much, so that it can be undone."""

import contextlib
from collections.abc import Iterator

from dryline.state import snapshots
from dryline.state.snapshots import Snapshot
from dryline.storage.errors import NotFound
from dryline.world.world import World

MAX_SNAPSHOTS = 5


def listing(world: World) -> list[Snapshot]:
    """Return the snapshots taken before a change, the last one taken first."""
    taken = [snapshot for snapshot in snapshots.all_snapshots(world) if snapshot.change is not None]
    # Not by API time: the clock may have been set back between them.
    return sorted(taken, key=lambda snapshot: snapshot.path.stat().st_mtime_ns, reverse=True)


@contextlib.contextmanager
def undoable(world: World, change: str | None) -> Iterator[str | None]:
    """Take a snapshot before the block, whose change has this name in words, and yield the snapshot's name.

    The newest five such snapshots are kept. If the change fails, its snapshot is deleted. Nobody else writes meanwhile.
    Without `change` no snapshot is taken.
    """
    if change is None:
        yield None
        return
    with world.changing():
        prefix = f"before {change} "
        ends = [one.name.removeprefix(prefix) for one in snapshots.all_snapshots(world)]
        number = 1 + max((int(end) for end in ends if end.isdigit() and len(end) < 10), default=0)
        name = f"{prefix}{number}"
        snapshots.save(world, name, change=change)
        try:
            yield name
        except BaseException:
            snapshots.remove(world, name)
            raise
        for old in listing(world)[MAX_SNAPSHOTS:]:
            snapshots.remove(world, old.name)


def require_last(world: World) -> Snapshot:
    """Return the snapshot from before the last change. Raises NotFound if there is none."""
    taken = listing(world)
    if not taken:
        raise NotFound("There is nothing to undo. A temporary server keeps no snapshots of commands and resets.")
    return taken[0]
