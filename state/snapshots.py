"""Named snapshots in the data directory: the database, the files that belong to its rows, clock and ids.

A snapshot's folder can be copied into the folder `snapshots` of another data directory and restored there.
"""

import contextlib
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from peewee import PeeweeException

from dryline.models import exports, uploads
from dryline.settings import BadSetting
from dryline.state.collections import COLLECTIONS
from dryline.state.document import admit_start_keys, forget
from dryline.storage.database import WorldDatabase, is_whole
from dryline.storage.errors import Conflict, Invalid, NotFound
from dryline.storage.files import rename, sync, write_whole
from dryline.storage.migrations import LATEST, bring_up_to_date
from dryline.world.world import World

DATABASE, ABOUT = "dryline.sqlite3", "about.json"
# Folders with the files of rows. Files there are replaced and never changed, so a snapshot may link to them.
KINDS = (exports.FILES.kind, uploads.FILES.kind)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
MAX_SNAPSHOTS = 200
# The names of snapshots that the console takes before it replaces or deletes much begin with this.
UNDO_PREFIX = "before "
MAX_UNDO_SNAPSHOTS = 5
_PART, _OLD = ".part", ".old"  # folders of snapshots that are being written, and that are being replaced


class Snapshot:
    """A snapshot in its folder, which has its name. `about` is the content of its about.json."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        self.about = about
        self.name = path.name
        self.created_at: str = about["createdAt"]  # in API time


def listing(world: World) -> list[Snapshot]:
    """Return the snapshots, newest first."""
    snapshots = []
    for path in world.snapshots.glob("*/"):
        with contextlib.suppress(OSError, ValueError):  # half-written or half-removed
            snapshots.append(_read_snapshot(path))
    return sorted(snapshots, key=lambda snapshot: (snapshot.created_at, snapshot.name), reverse=True)


def find(world: World, name: str) -> Snapshot:
    """Return the snapshot of this name. Raises NotFound."""
    path = world.snapshots / name
    if not _NAME.fullmatch(name) or not (path / ABOUT).exists():
        raise NotFound(f"Snapshot {name} not found.")
    return _read_snapshot(path)


def _read_snapshot(path: Path) -> Snapshot:
    return Snapshot(path, orjson.loads((path / ABOUT).read_bytes()))


def save(world: World, name: str) -> Snapshot:
    """Take a snapshot. It replaces a snapshot of the same name.

    Raises Invalid for a bad name, Conflict if there are too many snapshots.
    """
    _require_name(name)
    _require_room(world, name)
    part, path = world.snapshots / _PART / name, world.snapshots / name
    with world.write_lock:
        _remove(part)
        part.mkdir(parents=True)
        world.db.copy_to(part / DATABASE)
        for kind in KINDS:
            _link_files(world, world.directory / kind, part / kind)
        about = {
            "name": name,
            "createdAt": world.clock.stamp(),
            "clock": world.clock.state(),
            "ids": world.ids.state() if world.settings.seed is not None else None,
        }
        write_whole(part / ABOUT, orjson.dumps(about), durable=world.durable)
        _put_in_place(world, part, path)
    return Snapshot(path, about)


def recover(world: World) -> None:
    """After a crash, put back each snapshot that was being replaced, and remove the incomplete ones."""
    for old in world.snapshots.glob(f"{_OLD}/*"):
        if not (world.snapshots / old.name).exists():
            old.replace(world.snapshots / old.name)
    for path in world.snapshots.glob("*/"):
        if not (path / ABOUT).exists():
            shutil.rmtree(path, ignore_errors=True)


def restore(world: World, name: str) -> None:
    """Go back to a snapshot: rows, files, clock, and with a seed the next ids and live calls.

    Raises NotFound, and Conflict if a newer version made the snapshot or it is damaged.
    """
    with world.write_lock:
        snapshot = find(world, name)
        _bring_up(snapshot)
        # Missing files come before the rows that name them, so that a restore that is killed leaves no row without
        # its file.
        for kind in KINDS:
            _link_files(world, snapshot.path / kind, world.directory / kind)
        world.db.replace_with(snapshot.path / DATABASE)
        for kind in KINDS:
            _replace_files(snapshot.path / kind, world.directory / kind)
        world.clock.restore(snapshot.about["clock"])
        if snapshot.about["ids"] is not None and world.settings.seed is not None:
            world.ids.restore(snapshot.about["ids"])
        world.begin_arrivals()
        with world.transaction():
            world.save_runtime_state()
            for about in COLLECTIONS.values():
                if about.after_restore is not None:
                    about.after_restore()
            admit_start_keys(world)
            forget(world)
    world.repair_files()


def _bring_up(snapshot: Snapshot) -> None:
    """Bring a snapshot's database up to date in its folder. Raises Conflict if that fails."""
    path = snapshot.path / DATABASE
    if not is_whole(path):
        raise Conflict(f"The snapshot {snapshot.name} is damaged.")
    with path.open("rb") as file:
        version = int.from_bytes(file.read(64)[60:64], "big")  # https://www.sqlite.org/fileformat.html
    if version > LATEST:
        raise Conflict(f"The snapshot {snapshot.name} was made by a newer dryline.")
    if version == LATEST:
        return
    database = WorldDatabase(path, durable=False)
    try:
        bring_up_to_date(database)
    except (BadSetting, sqlite3.Error, PeeweeException) as error:
        raise Conflict(f"The database of the snapshot is not dryline's: {error}") from None
    finally:
        database.close_for_good()


def remove(world: World, name: str) -> None:
    """Remove a snapshot. Raises NotFound."""
    with world.write_lock:
        path = find(world, name).path
        _remove(path)
        if world.durable:
            sync(path.parent)


@contextlib.contextmanager
def undoable(world: World, change: str) -> Iterator[str]:
    """Take a snapshot before the block, whose change has this name in words, and yield the snapshot's name.

    The newest five such snapshots are kept. If the change fails, its snapshot is deleted.
    """
    name = _free_name(world, f"{UNDO_PREFIX}{change}")
    save(world, name)
    try:
        yield name
    except BaseException:
        remove(world, name)
        raise
    for old in _by_age(world)[MAX_UNDO_SNAPSHOTS:]:
        remove(world, old.name)


def _free_name(world: World, name: str) -> str:
    """Return the name, with a number if there is a snapshot of it."""
    names = {snapshot.name for snapshot in listing(world)}
    return next(one for number in range(1, len(names) + 2) if (one := f"{name} {number}") not in names)


def _by_age(world: World) -> list[Snapshot]:
    """Return the automatic snapshots, the last one taken first. The clock may have been set back between them."""
    automatic = [one for one in listing(world) if one.name.startswith(UNDO_PREFIX)]
    return sorted(automatic, key=lambda snapshot: snapshot.path.stat().st_mtime, reverse=True)


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Invalid("Must be 1 to 100 letters, digits, spaces, dots, dashes and underscores.", "name")


def _require_room(world: World, name: str) -> None:
    names = {path.name for path in world.snapshots.glob("[!.]*/")}
    if len(names - {name}) >= MAX_SNAPSHOTS:
        raise Conflict(f"There are {MAX_SNAPSHOTS} snapshots already. Delete one first.")


def _put_in_place(world: World, part: Path, path: Path) -> None:
    """Rename a written folder to the snapshot's. After a crash, `recover` finds the old or the new one."""
    old = path.parent / _OLD / path.name
    if path.exists():
        _remove(old)
        old.parent.mkdir(exist_ok=True)
        path.replace(old)
    rename(part, path, durable=world.durable)
    _remove(old)


def _complete_files(directory: Path) -> Iterator[os.DirEntry[str]]:
    with contextlib.suppress(FileNotFoundError), os.scandir(directory) as entries:
        yield from [entry for entry in entries if not entry.name.endswith(".part")]


def _link_files(world: World, source: Path, target: Path) -> None:
    """Link the files of `source` that `target` does not have."""
    for entry in _complete_files(source):
        target.mkdir(exist_ok=True)
        if not (target / entry.name).exists():
            _link_or_copy(Path(entry.path), target / entry.name)
    if world.durable and target.exists():
        sync(target)


def _replace_files(source: Path, target: Path) -> None:
    """Make `target` have the files of `source` and no others."""
    entries = {entry.name: entry for entry in _complete_files(source)}
    for entry in _complete_files(target):
        if entry.name in entries and entries[entry.name].inode() == entry.inode():
            del entries[entry.name]
        else:
            Path(entry.path).unlink(missing_ok=True)
    for entry in entries.values():
        target.mkdir(exist_ok=True)
        _link_or_copy(Path(entry.path), target / entry.name)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


def _remove(path: Path) -> None:
    """Remove a folder. about.json goes first, so that a crash leaves no half of a snapshot."""
    if path.exists():
        (path / ABOUT).unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)
