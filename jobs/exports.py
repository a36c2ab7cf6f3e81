"""Export jobs: write files, expire exports, and repair files after a crash, an import or a restore."""

import contextlib
import logging
import secrets
import sqlite3

import peewee
from marshmallow import ValidationError

from dryline.jobs import export_files
from dryline.jobs.due_rows import retry_row_later, work_on_each
from dryline.models.exports import Export, requeue_interrupted
from dryline.storage.current_world import WorldLocal, running_part_of_task
from dryline.storage.errors import Conflict, Unavailable
from dryline.world.world import World

log = logging.getLogger("dryline")

# The ids of exports whose writing has ended, but whose rows could not be changed, as on a full disk or while another
# program has the database locked. Each has the reason of its failure, or None for one that has to be written again.
_UNSETTLED: WorldLocal[dict[str, str | None]] = WorldLocal(lambda world: {})


def expire(world: World, now: str) -> bool:
    """Expire exports whose 24 hours are over, and remove their files. Return whether there were any."""

    def work(export: Export) -> None:
        export.transition("EXPIRED")
        _remove_file_after_commit(world, export)
        message = f"export {export.id} EXPIRED"
        world.db.after_commit(lambda: world.events.add(message, exportId=export.id, status="EXPIRED"))

    return work_on_each(world, lambda: Export.due_to_expire(now, 1), work)


def write_next(world: World, now: str) -> bool:
    """Write the export that has waited longest. Return whether there was one."""
    _store_unsettled(world)
    waiting = Export.due(now, 1)
    for first in waiting:
        with retry_row_later(world, first), running_part_of_task(team_id=first.team_id):
            export = _begin_writing(world, first)
            if export is None:
                continue
            try:
                if world.runtime_settings.export_outcome == "FAILED":
                    _fail_by_setting(world, export)
                else:
                    write_and_complete(world, export)
            except Unavailable:
                _UNSETTLED.of(world)[export.id] = None
                raise
    return bool(waiting)


def _begin_writing(world: World, first: Export) -> Export | None:
    """Change an export to PROCESSING, and return it; None if a request has changed it, or the mode, meanwhile."""
    with world.transaction():
        export = Export.find(id=first.id)
        if export is None or export.status != "PENDING" or export.is_changed_by_hand:
            return None
        return export.transition("PROCESSING")


def _fail_by_setting(world: World, export: Export) -> None:
    """Make an export that is PROCESSING FAILED, as the setting `export_outcome` says."""
    with contextlib.suppress(Conflict), world.transaction():
        export.fail(world.runtime_settings.export_error)
        message = f"export {export.id} FAILED, as exportOutcome says"
        world.db.after_commit(lambda: world.events.add(message, exportId=export.id, status="FAILED"))


def transition(world: World, id: str, status: str, error_message: str | None = None) -> Export:
    """Make one transition by hand: COMPLETED writes the file, EXPIRED removes it.

    An export whose file cannot be written becomes FAILED. Raises NotFound, and Conflict in the export mode auto and for
    a transition that the state machine lacks. Contract: DESIGN, The control plane.
    """
    with world.transaction():
        export = Export.by_id(id)
        world.enter_team(export.team_id)
        export.require_transition_by_hand(status)
        if status == "FAILED":
            export.transition(status, error_message=error_message or "Failed by hand.")
        elif status != "COMPLETED":
            export.transition(status)
        if status == "EXPIRED":
            _remove_file_after_commit(world, export)
    if status == "COMPLETED":
        write_and_complete(world, export)
    return Export.by_id(id)


def write_and_complete(world: World, export: Export) -> None:
    """Write the file of an export that is PROCESSING, and make it COMPLETED, or FAILED after an error."""
    if _write_file(world, export):
        message = f"export {export.id} COMPLETED, {export.row_count:,} rows"
        world.events.add(message, exportId=export.id, status="COMPLETED", rowCount=export.row_count)


def _write_file(world: World, export: Export) -> bool:
    """Write the file, complete the export, and give the file its name.

    The lock covers both. The row is committed last: whoever sees it finds the file, and a process that is killed in
    between leaves the row as it was. If the row changes or disappears meanwhile, the file is dropped. If the server
    shuts down meanwhile, the next start writes the file. Return whether it was written.
    """
    part = export.path.with_suffix(f".{secrets.token_hex(8)}.part")  # no two attempts share one
    status = export.status
    try:
        row_count, size = export_files.write(export, part)
        with world.transaction():
            export.complete(row_count, size)
            part.replace(export.path)
        return True
    except Conflict:
        log.info("Export %s changed while its file was written. The file was dropped.", export.id)
    except export_files.WriteInterrupted:
        if status == "PROCESSING":
            with contextlib.suppress(Conflict), world.transaction():
                export.requeue()
    except Unavailable:
        export.status = status
        raise
    except Exception as error:
        export.status = status  # as in the row: the transaction was rolled back
        _fail(world, export, error)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return False


def _fail(world: World, export: Export, error: Exception) -> None:
    world.epochs.require_current()  # otherwise there is no such export any more
    if isinstance(error, OSError):
        reason = f"The file could not be written: {error.strerror or error}."
    elif isinstance(error, sqlite3.Error | peewee.DatabaseError):  # peewee has its own for the first row alone
        reason = f"The logs could not be read: {error}."
    elif isinstance(error, ValidationError):
        reason = f"The filters or fields are not valid: {error}."
    else:
        reason = "Internal error."
    log.error("Export %s failed: %s", export.id, reason, exc_info=reason == "Internal error.")
    unsettled = _UNSETTLED.of(world)
    unsettled[export.id] = reason
    with contextlib.suppress(Conflict), world.transaction():
        export.fail(reason)
    del unsettled[export.id]


def _store_unsettled(world: World) -> None:
    """Change the rows that could not be changed before: until then their exports stay PROCESSING and block others."""
    unsettled = _UNSETTLED.of(world)
    for id, reason in list(unsettled.items()):
        with world.transaction():
            export = Export.find(id=id)
            if export is not None and export.status == "PROCESSING":
                export.requeue() if reason is None else export.fail(reason)
        unsettled.pop(id, None)


def _remove_file_after_commit(world: World, export: Export) -> None:
    path = export.path

    def remove_file() -> None:
        with contextlib.suppress(OSError):  # the next start removes a file that stays
            path.unlink(missing_ok=True)

    world.db.after_commit(remove_file)


def recover(world: World) -> None:
    """Repair exports at a start, before any job runs.

    Interrupted exports are PENDING again and their unfinished files are removed. Exports whose 24 hours ended while
    the server was down expire. Then see `repair_files`.
    """
    with world.transaction():
        requeue_interrupted()
        for path in export_files.all_files():
            if path.suffix == ".part":
                path.unlink()
    while expire(world, world.stamp()):
        pass
    repair_files(world)


def repair_files(world: World) -> None:
    """Make files agree with rows that were replaced or added without these jobs, by an import or a restore.

    A finished file without a COMPLETED export is removed. A COMPLETED export whose file is missing, or has not
    `file_size_bytes` (None in an imported row), gets a new one from the present logs. A file that is being written is
    left to its writer, who notices that the row has changed.
    """
    with world.transaction():  # no export becomes COMPLETED meanwhile
        completed = Export.select().where(Export.status == "COMPLETED")
        without_file = {export.path: export for export in completed if export.is_unexpired}
        for path in export_files.all_files():
            export = without_file.get(path)
            if export is not None and path.stat().st_size == export.file_size_bytes:
                del without_file[path]
            elif path.suffix != ".part":
                path.unlink()
    for export in without_file.values():
        _write_file(world, export)
