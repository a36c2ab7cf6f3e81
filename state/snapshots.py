"""Named snapshots in the data directory: the database, the files that belong to its rows, clock and ids.

A snapshot's folder can be copied into the folder `snapshots` of another data directory and restored there.
"""

import contextlib
import logging
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from peewee import PeeweeException

from dryline.models import exports, uploads
from dryline.models.teams import admit_keys
from dryline.settings import BadSetting
from dryline.state.collections import COLLECTIONS
from dryline.state.document import drop_caches
from dryline.storage.database import WorldDatabase, find_damage, set_page_size
from dryline.storage.errors import Conflict, Invalid, NotFound, disk_is_full
from dryline.storage.files import matching, read, remove_folder, write_whole
from dryline.storage.migrations import APPLICATION_ID, LATEST, bring_up_to_date
from dryline.storage.server_values import copy_values
from dryline.world.clock import Clock
from dryline.world.ids import Ids
from dryline.world.world import World, write_runtime_state

DATABASE, ABOUT = "dryline.sqlite3", "about.json"
# Folders with the files of rows. Files there are replaced and never changed, so a snapshot may link to them.
KINDS = (exports.FILES.kind, uploads.FILES.kind)
log = logging.getLogger("dryline")

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
MAX_SNAPSHOTS = 200
_PART, _OLD = ".part", ".old"  # folders of snapshots that are being written, and that are being replaced


class Snapshot:
    """A snapshot in its folder, which has its name. `about` is the content of its about.json."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        self.about = about
        self.name = path.name
        self.created_at: str = about["createdAt"]  # in API time
        # What it was taken before, by state/undo.py. A copy under another name is an ordinary snapshot.
        self.change: str | None = about.get("change") if about.get("name") == self.name else None


def listing(world: World) -> list[Snapshot]:
    """Return the snapshots, newest first, without those of state/undo.py."""
    return [snapshot for snapshot in all_snapshots(world) if snapshot.change is None]


def all_snapshots(world: World) -> list[Snapshot]:
    """Return all snapshots, newest first."""
    snapshots = []
    for path in matching(world.snapshots, "*"):
        with contextlib.suppress(OSError, ValueError):  # no snapshot, or one that is being copied here
            snapshots.append(_read_snapshot(path))
    return sorted(snapshots, key=lambda snapshot: (snapshot.created_at, snapshot.name), reverse=True)


def find(world: World, name: str) -> Snapshot:
    """Return the snapshot of this name. Raises NotFound, and Conflict if it is damaged."""
    path = world.snapshots / name
    if not _NAME.fullmatch(name) or not (path / ABOUT).exists():
        raise NotFound(f"Snapshot {name} not found.")
    try:
        return _read_snapshot(path)
    except ValueError:
        raise Conflict(f"The snapshot {name} is damaged.") from None


def _read_snapshot(path: Path) -> Snapshot:
    """Return the snapshot in a folder. Raises OSError, and ValueError if about.json is damaged."""
    about = orjson.loads(read(path / ABOUT))
    if not isinstance(about, dict) or not isinstance(about.get("createdAt"), str):
        raise ValueError(f"{path / ABOUT} does not describe a snapshot.")
    return Snapshot(path, about)


def save(world: World, name: str, *, change: str | None = None) -> Snapshot:
    """Take a snapshot, for state/undo.py before a `change`. It replaces a snapshot of the same name.

    Raises Invalid for a bad name, Conflict if there are too many snapshots.
    """
    if not _NAME.fullmatch(name):
        raise Invalid("Must be 1 to 100 letters, digits, spaces, dots, dashes and underscores.", "name")
    others = {snapshot.name for snapshot in listing(world)} - {name}
    if change is None and len(others) >= MAX_SNAPSHOTS:
        raise Conflict(f"There are {MAX_SNAPSHOTS} snapshots already. Delete one first.")
    part, path = world.snapshots / _PART / name, world.snapshots / name
    with world.changing():
        remove_folder(part)  # left by a killed process
        part.mkdir(parents=True)
        world.db.copy_to(part / DATABASE)
        for kind in KINDS:
            _link_files(world.directory / kind, part / kind)
        about = {
            "name": name,
            "createdAt": world.clock.stamp(),
            "clock": world.clock.state(),
            "ids": world.ids.state() if world.settings.seed is not None else None,
            **({"change": change} if change else {}),
        }
        write_whole(part / ABOUT, orjson.dumps(about))
        _put_in_place(part, path)
    return Snapshot(path, about)


def recover(world: World) -> None:
    """After a crash, put back each snapshot that was being replaced, and remove what is left of others."""
    for old in matching(world.snapshots / _OLD, "*"):
        if not (world.snapshots / old.name).exists():
            old.replace(world.snapshots / old.name)
    for folder in (_OLD, _PART):
        remove_folder(world.snapshots / folder)
    _drop_parts_of_teams(world)


def _drop_parts_of_teams(world: World) -> None:
    """Drop the clocks and snapshots that dryline 0.1 kept for single teams."""
    folder = world.snapshots / ".teams"
    if folder.exists() or world.load_runtime_state()["clock"].get("teams"):
        log.warning("Dropped the clocks and snapshots of single teams, which dryline 0.1 kept. There is one clock now.")
        world.save_runtime_state()
        remove_folder(folder)


def restore(world: World, name: str, begin_epoch: Callable[[], None]) -> None:
    """Replace the world's rows, files, clock and next ids by those of a snapshot. The caller has the write lock.

    `begin_epoch` is called before the files are replaced, which may take long: a read of the epoch before, which sees
    the new rows, is dropped then.

    Raises NotFound, and Conflict if a newer version made the snapshot, it is damaged, or another program has the
    database locked. Nothing has changed then.
    """
    snapshot = find(world, name)
    parts = world.snapshots / _PART
    parts.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parts) as folder:
        database = Path(folder) / DATABASE
        clock, ids = _prepare_database(world, snapshot, database)
        # Missing files come before the rows that name them, so that a restore that is killed leaves no row without
        # its file.
        for kind in KINDS:
            _link_files(snapshot.path / kind, world.directory / kind)
        world.db.restore_from(database)
    world.writes += 1
    world.clock.restore(clock.state())
    if ids is not None:
        world.ids.restore(ids.state())
    begin_epoch()
    drop_caches(world)
    world.restart_arrivals()
    for kind in KINDS:
        _replace_files(snapshot.path / kind, world.directory / kind)


def _prepare_database(world: World, snapshot: Snapshot, path: Path) -> tuple[Clock, Ids | None]:
    """Copy a snapshot's database to `path`, and give it all that the restored one shall have.

    Return the snapshot's clock and, with a seed, its ids. Raises Conflict.
    """
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(snapshot.path / DATABASE, path)
    if find_damage(path):
        raise Conflict(f"The snapshot {snapshot.name} is damaged.")

    clock, ids = Clock(), None
    try:
        clock.restore(snapshot.about["clock"])
        if snapshot.about["ids"] is not None and world.settings.seed is not None:
            ids = Ids(world.settings.seed, node=world.settings.node)
            ids.restore(snapshot.about["ids"])

        set_page_size(path, world.db.pragma("page_size"))
        db = WorldDatabase(path, temporary=True)
        try:
            _bring_copy_up_to_date(db, world, clock, ids or world.ids)
        finally:
            db.close_for_good()
    except (LookupError, TypeError, ValueError, OverflowError, sqlite3.Error, PeeweeException) as error:
        if disk_is_full(error):
            raise
        raise Conflict(f"The snapshot {snapshot.name} cannot be restored: {error}") from None
    return clock, ids


def _bring_copy_up_to_date(db: WorldDatabase, world: World, clock: Clock, ids: Ids) -> None:
    """Bring the schema of a snapshot's copy up to date, and write into it what the restored database shall have.

    That is the `clock`, and of `world` its settings, its own values and its keys.
    """
    if db.pragma("application_id") != APPLICATION_ID:
        raise BadSetting("its database is not dryline's.")
    if db.pragma("user_version") > LATEST:
        raise BadSetting("it was made by a newer dryline.")
    bring_up_to_date(db)

    with db.atomic("IMMEDIATE"):
        copy_values(world.db, db, but="runtime_state")
        write_runtime_state(db, clock, world.settings_changed_since_start())
        admit_keys(db, world.settings.api_keys, ids, clock.stamp())
        for about in COLLECTIONS.values():
            if about.after_restore is not None:
                about.after_restore(db)


def remove(world: World, name: str) -> None:
    """Remove a snapshot. Raises NotFound."""
    with world.changing():
        path, part = find(world, name).path, world.snapshots / _PART / name
        remove_folder(part)
        part.parent.mkdir(exist_ok=True)
        path.replace(part)  # so that a crash leaves no half of a snapshot
        shutil.rmtree(part)


def _put_in_place(part: Path, path: Path) -> None:
    """Rename a written folder to the snapshot's. After a crash, `recover` finds the old or the new one."""
    old = path.parent / _OLD / path.name
    if path.exists():
        remove_folder(old)
        old.parent.mkdir(exist_ok=True)
        path.replace(old)
    part.replace(path)
    remove_folder(old)


def _complete_files(directory: Path) -> Iterator[os.DirEntry[str]]:
    with contextlib.suppress(FileNotFoundError), os.scandir(directory) as entries:
        yield from [entry for entry in entries if not entry.name.endswith(".part")]


def _link_files(source: Path, target: Path) -> None:
    """Link the files of `source` that `target` does not have."""
    for entry in _complete_files(source):
        target.mkdir(exist_ok=True)
        try:
            os.link(entry.path, target / entry.name)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            shutil.copyfile(entry.path, target / entry.name)


def _replace_files(source: Path, target: Path) -> None:
    """Make `target` have the files of `source` and no others."""
    entries = {entry.name: entry.inode() for entry in _complete_files(source)}
    for entry in _complete_files(target):
        if entries.get(entry.name) != entry.inode():
            Path(entry.path).unlink(missing_ok=True)
    _link_files(source, target)
