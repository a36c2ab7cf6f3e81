"""The changes that replace the state as a whole. Each begins an epoch (world/epochs.py), but for the addition of rows.

A change reads and checks its input first. Then it waits for requests that are on their way to other servers, and
replaces the rows under the write lock. If it fails, nothing has changed, and no epoch has begun.

With `undo`, its name in words, a change keeps a snapshot from before it, and returns the name of this snapshot.
"""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

from dryline.state import document, scenarios, snapshots
from dryline.state.parsing import Document
from dryline.state.snapshots import Snapshot
from dryline.state.undo import require_last, undoable
from dryline.storage.current_world import current_task
from dryline.storage.errors import BadDocument, Invalid
from dryline.world.epochs import EpochEnded
from dryline.world.world import World


def reset(
    world: World, scenario: str | None = None, *, lenient: bool | None = None, undo: str | None = None
) -> str | None:
    """Go back to the start, or to another scenario: data, clock, ids, runtime settings, faults and request log.

    `lenient` is as in `parse_document`. Raises Invalid, naming `scenario`, for a scenario that cannot be loaded.
    """
    lenient = world.settings.lenient if lenient is None else lenient
    try:
        content = scenarios.load_for_reset(world, scenario or world.settings.scenario, lenient=lenient)
        with _replacing_state(world) as begin_epoch, undoable(world, undo) as snapshot:
            scenarios.replace_by_scenario(world, content)
            begin_epoch()
            world.reset_runtime()
    except BadDocument as error:
        raise Invalid(str(error), "scenario") from None
    return snapshot


def reset_team(world: World, team_id: str, *, undo: str | None = None) -> str | None:
    """Delete one team's rows except its name and keys, and its fault rules and requests. Raises NotFound."""
    document.require_team(team_id)
    with _replacing_state(world, team_id) as begin_epoch, undoable(world, undo) as snapshot:
        document.empty_team(world, team_id)
        begin_epoch()
        _forget_team(world, team_id)
    return snapshot


def delete_team(world: World, team_id: str, *, undo: str | None = None) -> str | None:
    """Delete a team with all its rows. Raises NotFound, and Conflict for the start team."""
    document.require_removable_team(team_id)
    with _replacing_state(world, team_id) as begin_epoch, undoable(world, undo) as snapshot:
        document.delete_team(world, team_id)
        begin_epoch()
        _forget_team(world, team_id)
    return snapshot


def replace(world: World, content: Document, team_id: str | None = None, *, undo: str | None = None) -> str | None:
    """Replace all rows, or all rows of one team, by the document's, all or nothing.

    Raises NotFound for an unknown team, BadDocument if the document breaks a rule, Conflict if another team has one of
    its ids.
    """
    document.require_team(team_id)
    with _replacing_state(world, team_id) as begin_epoch, undoable(world, undo) as snapshot:
        document.replace(world, content, team_id)
        begin_epoch()
    return snapshot


def extend(world: World, content: Document, team_id: str | None = None, *, undo: str | None = None) -> str | None:
    """Add the document's rows. This begins no epoch.

    Raises NotFound for an unknown team, BadDocument if the document breaks a rule, Conflict if an id exists already.
    """
    with undoable(world, undo) as snapshot:
        document.extend(world, content, team_id)
    world.repair_files()
    return snapshot


def restore(world: World, name: str, *, undo: str | None = None) -> str | None:
    """Go back to a snapshot: rows, files, clock, and with a seed the next ids and live calls.

    Raises NotFound, and Conflict if a newer version made the snapshot, it is damaged, or another program has the
    database locked.
    """
    snapshots.find(world, name)
    with _replacing_state(world) as begin_epoch, undoable(world, undo) as snapshot:
        snapshots.restore(world, name, begin_epoch)
    return snapshot


def undo_last(world: World) -> Snapshot:
    """Undo the last change that kept a snapshot, by going back to it. A second undo takes the first back.

    Raises NotFound if there is none, and Conflict as `restore`.
    """
    require_last(world)  # before requests to other servers are waited for
    with _replacing_state(world) as begin_epoch:
        last = require_last(world)  # again, as another change may have come first
        with undoable(world, "undo"):
            snapshots.restore(world, last.name, begin_epoch)
    return last


@contextlib.contextmanager
def _replacing_state(world: World, team_id: str | None = None) -> Iterator[Callable[[], None]]:
    """Run a block that replaces rows, of one team or of all. It calls the yielded function when they are replaced.

    This begins the epoch. What follows, in the block and in the caller, belongs to it. After the block, the jobs are
    woken, and files are brought in line with the rows.
    """
    task = current_task()
    with world.epochs.pause_sends(team_id), world.write_lock:
        world.epochs.admit(task)  # another change that came at the same time does not end this one
        yield partial(world.epochs.begin, task, team_id)
    if team_id is None:
        world.damage = None  # of what was replaced
    world.wake()
    with contextlib.suppress(EpochEnded):  # the change that has begun another one repairs them
        world.repair_files()


def _forget_team(world: World, team_id: str) -> None:
    world.faults.clear(team_id)
    world.requests.clear(team_id)
