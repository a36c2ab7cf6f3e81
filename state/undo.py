"""Snapshots that are taken before a change that replaces or deletes much, so that it can be undone."""

import contextlib
from collections.abc import Iterator

from dryline.state import snapshots
from dryline.state.snapshots import Snapshot
from dryline.storage.errors import NotFound
from dryline.world.world import World

MAX_SNAPSHOTS = 5  # of the world, and of each team


def listing(world: World, team_id: str | None = None) -> list[Snapshot]:
    """Return these snapshots of the world or of a team, the last one taken first. Raises NotFound."""
    taken = [snapshot for snapshot in snapshots.all_snapshots(world, team_id) if snapshot.change is not None]
    # Not by API time: the clock may have been set back between them.
    return sorted(taken, key=lambda snapshot: snapshot.path.stat().st_mtime_ns, reverse=True)


@contextlib.contextmanager
def undoable(world: World, change: str, team_id: str | None = None) -> Iterator[str]:
    """Take a snapshot before the block, whose change has this name in words, and yield the snapshot's name.

    The newest five such snapshots are kept. If the change fails, its snapshot is deleted.
    """
    name = _next_name(world, f"before {change} ", team_id)
    snapshots.save(world, name, team_id, change=change)
    try:
        yield name
    except BaseException:
        snapshots.remove(world, name, team_id)
        raise
    for old in listing(world, team_id)[MAX_SNAPSHOTS:]:
        snapshots.remove(world, old.name, team_id)


def undo(world: World, team_id: str | None = None) -> Snapshot:
    """Undo the last such change, by going back to its snapshot. A second undo takes the first back.

    Raises NotFound if there is none.
    """
    taken = listing(world, team_id)
    if not taken:
        raise NotFound("There is nothing to undo. A temporary server keeps no snapshots of commands and resets.")
    with undoable(world, "undo", team_id):
        if team_id is None:
            snapshots.restore(world, taken[0].name)
        else:
            snapshots.restore_team(world, taken[0].name, team_id)
    return taken[0]


def _next_name(world: World, prefix: str, team_id: str | None) -> str:
    """Return the prefix with the number after the highest one among the snapshots."""
    ends = [one.name.removeprefix(prefix) for one in snapshots.all_snapshots(world, team_id)]
    return f"{prefix}{1 + max((int(end) for end in ends if end.isdigit() and len(end) < 10), default=0)}"
