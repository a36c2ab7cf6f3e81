"""Exports move: claimed, written, completed, expired; and made whole again after a crash or an import."""

from __future__ import annotations

import contextlib
import itertools
import logging
import sqlite3
from collections.abc import Callable

from marshmallow import ValidationError

from dryline.jobs import export_files
from dryline.models.exports import Export, give_back_all
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import Conflict, NotFound
from dryline.world.clock import set_current_team
from dryline.world.world import World

log = logging.getLogger("dryline")

EXPIRED_AT_ONCE = 50  # in one transaction
# How much writing of lost files is done at once, in steps of export_files.STEP: some ten thousand rows. It is counted
# in work and not in seconds, so that it is the same on any machine.
REMADE_AT_ONCE = 5
# The ids of the exports whose lost files are to be written again.
LOST: WorldLocal[set[str]] = WorldLocal(lambda world: set())


# Steps


def expire(world: World, moment: str) -> bool:
    """Expire the exports whose 24 hours are over, and remove their files."""
    expired = _expire(world, moment)
    for export in expired:
        world.news.tell(f"export {export.id} EXPIRED", exportId=export.id, status="EXPIRED")
    return bool(expired)


def _expire(world: World, moment: str) -> list[Export]:
    if not Export.outlived(moment, 1):
        return []
    with world.transaction():
        outlived = Export.outlived(moment, EXPIRED_AT_ONCE)
        for export in outlived:
            export.move("EXPIRED")
            _remove_after_commit(world, export)
    return outlived


def write_next(world: World, moment: str) -> bool:
    """Write the export that has waited longest."""
    if not Export.due(moment, 1):
        return False
    with world.transaction():
        due = Export.due(moment, 1)
        for export in due:
            export.move("PROCESSING")
    for export in due:
        fulfil(world, export)
    return bool(due)


def remake_next(world: World, moment: str) -> bool:
    """Make a lost file anew."""
    lost = LOST.of(world)
    if not lost:
        return False
    id = lost.pop()
    export = Export.find(id=id)
    if export is not None and export.lost:
        _remake(world, export, world.ending.is_set)
    return True


# By hand


def transition(world: World, id: str, status: str, error_message: str | None = None) -> Export:
    """Make one move of the state machine: to COMPLETED writes the file, to EXPIRED removes it.

    Where the file cannot be written the export is FAILED. Raises NotFound, and Conflict for a move that the state
    machine lacks. Contract: DESIGN, The control plane.
    """
    with world.transaction():
        export = _find(id)
        set_current_team(export.team_id)
        export.demand_move(status)
        if status == "FAILED":
            export.move(status, error_message=error_message or "Failed by hand.")
        elif status != "COMPLETED":
            export.move(status)
        if status == "EXPIRED":
            _remove_after_commit(world, export)
    if status == "COMPLETED":
        fulfil(world, export)
    return _find(id)


def _find(id: str) -> Export:
    export = Export.find(id=id)
    if export is None:
        raise NotFound(f"Export {id} not found.")
    return export


# Files


def fulfil(world: World, export: Export) -> None:
    """Write the file of an export in PROCESSING and complete it.

    What stands in the way makes it FAILED. A stopping server gives it back. When its row changed or vanished while it
    was written, the file is dropped and the row left alone.
    """
    try:
        _make(world, export, export.complete, world.ending.is_set)
        told = f"export {export.id} COMPLETED, {export.row_count:,} rows"
        world.news.tell(told, exportId=export.id, status="COMPLETED", rowCount=export.row_count)
    except Conflict:
        log.info("Export %s changed while it was written: its file is dropped.", export.id)
    except export_files.Stopped:
        with contextlib.suppress(Conflict), world.transaction():
            export.give_back()
    except Exception as error:
        _fail(world, export, error)


def _make(world: World, export: Export, mark: Callable[[int, int], object], stop: Callable[[], bool]) -> None:
    """Write the file, `mark` the row with its rows and bytes, and give the file its name.

    Mark and name come under one lock, the mark last to be seen: who sees it finds the file, and a process killed in
    between leaves a row that is not marked.
    """
    part = export_files.part_of(export)
    try:
        rows, size = export_files.write(export, part, stop)
        with world.transaction():
            mark(rows, size)
            export_files.put_in_place(part, export.path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _fail(world: World, export: Export, error: Exception) -> None:
    if isinstance(error, OSError):
        reason = f"The file could not be written: {error.strerror or error}."
    elif isinstance(error, sqlite3.Error):
        reason = f"The logs could not be read: {error}."
    elif isinstance(error, ValidationError):
        reason = f"The export asks for what there is not: {error}."
    else:
        reason = "Internal error."
    log.error("Export %s failed: %s", export.id, reason, exc_info=reason == "Internal error.")
    with contextlib.suppress(Conflict), world.transaction():
        export.fail(reason)


def _remove_after_commit(world: World, export: Export) -> None:
    path = export.path

    def remove() -> None:
        with contextlib.suppress(OSError):  # a file that stays is removed at the next start
            path.unlink(missing_ok=True)

    world.db.after_commit(remove)


# Lost files: after a crash, an import, a reset


def recover(world: World) -> None:
    """What a start does before anything else moves: exports that were being written wait again, half-written files go,
    and so do those that were outlived meanwhile, which is no news. Then as `restore_files`."""
    with world.transaction():
        give_back_all(None)
        for path in export_files.found():
            if path.suffix == ".part":
                path.unlink()
    while _expire(world, world.clock.stamp()):
        pass
    restore_files(world)


def restore_files(world: World) -> None:
    """Make files and rows agree, once rows were replaced or added by other ways than these, and that is committed.

    A finished file without its COMPLETED export is removed. A COMPLETED export whose file is missing or has not its
    `file_size_bytes` (None for a row that was imported) gets it anew, from the logs as they are now: at once where
    that is little work altogether, else by `remake_next`. What is being written just then is left to its writer, who
    notices when its row has changed.
    """
    with world.transaction():  # nothing is completed meanwhile
        owed = {export.path: export for export in Export.select().where(Export.status == "COMPLETED") if export.alive}
        for path in export_files.found():
            export = owed.get(path)
            if export is not None and path.stat().st_size == export.file_size_bytes:
                del owed[path]
            elif path.suffix != ".part":
                path.unlink()
    done = itertools.count()
    for export in owed.values():
        if not _remake(world, export, lambda: world.ending.is_set() or next(done) >= REMADE_AT_ONCE):
            remake_soon(world, export)


def remake_soon(world: World, export: Export) -> None:
    """Have the file of an export that has lost it made anew."""
    LOST.of(world).add(export.id)
    world.wake()


def _remake(world: World, export: Export, stop: Callable[[], bool]) -> bool:
    """Whether nothing is left to be done."""
    try:
        _make(world, export, export.renew, stop)
    except export_files.Stopped:
        return False
    except Conflict:
        log.info("Export %s changed while its file was made anew: it is dropped.", export.id)
    except Exception as error:
        _fail(world, export, error)
    return True
