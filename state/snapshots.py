"""Named snapshots in the data directory: the database, the files that belong to its rows, clock and ids.

Restoring a snapshot of the world exchanges the database file. A team's snapshots have names of their own; restoring one
replaces the rows, the files and the clock of that team and nothing else.
"""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import orjson

from dryline.state import snapshot_files
from dryline.state.collections import COLLECTIONS
from dryline.state.document import forget, require_team, team_tables, wipe, without_foreign_keys
from dryline.state.snapshot_files import ABOUT, DATABASE, KINDS, bring_up, copy_rows
from dryline.storage.errors import Conflict, Invalid, NotFound
from dryline.storage.files import matching, part_of, read, rename, sync, write_whole
from dryline.world.clock import Clock, parse
from dryline.world.ids import Ids
from dryline.world.world import World

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
MAX_SNAPSHOTS = 200  # of the world, and of each team
_PART, _OLD = ".part", ".old"  # folders of snapshots that are being written, and that are being replaced


class Snapshot:
    """A snapshot in its folder. `about` is the content of its about.json."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        self.about = about
        self.name: str = about["name"]
        self.created_at: str = about["createdAt"]  # in API time
        self.change: str | None = about.get("change")  # that it was taken before, by state/undo.py


def listing(world: World, team_id: str | None = None) -> list[Snapshot]:
    """Return the snapshots of the world or of a team, newest first, without those of state/undo.py. Raises NotFound."""
    return [snapshot for snapshot in all_snapshots(world, team_id) if snapshot.change is None]


def all_snapshots(world: World, team_id: str | None = None) -> list[Snapshot]:
    """Return all snapshots of the world or of a team, newest first. Raises NotFound for an unknown team."""
    require_team(team_id)
    return sorted(_stored(world, team_id), key=lambda snapshot: (snapshot.created_at, snapshot.name), reverse=True)


def _stored(world: World, team_id: str | None) -> Iterator[Snapshot]:
    for path in matching(world.snapshots_dir(team_id), "*"):
        with contextlib.suppress(OSError, ValueError):  # half-written or half-removed
            yield _read_snapshot(path)


def find(world: World, name: str, team_id: str | None = None) -> Snapshot:
    """Return the snapshot of this name. Raises NotFound."""
    path = world.snapshots_dir(team_id) / name
    if not _NAME.fullmatch(name) or not (path / ABOUT).exists():
        require_team(team_id)
        raise NotFound(f"Snapshot {name} not found.")
    return _read_snapshot(path)


def _read_snapshot(path: Path) -> Snapshot:
    return Snapshot(path, orjson.loads(read(path / ABOUT)))


def save(world: World, name: str, team_id: str | None = None, *, change: str | None = None) -> Snapshot:
    """Take a snapshot, for state/undo.py before a `change`. It replaces a snapshot of the same name.

    Raises Invalid for a bad name, NotFound for an unknown team, Conflict if there are too many snapshots.
    """
    require_team(team_id)
    _require_name(name)
    if change is None:
        _require_room(world, name, team_id)
    directory = world.snapshots_dir(team_id)
    part, path = directory / _PART / name, directory / name
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
            **({"change": change} if change else {}),
        }
        write_whole(part / ABOUT, orjson.dumps(about), durable=world.durable)
        _put_in_place(world, part, path)
    return Snapshot(path, about)


def recover(world: World) -> None:
    """After a crash, put back each snapshot that was being replaced, and remove the incomplete ones."""
    everywhere = world.snapshots_dir()
    for directory in (everywhere, *everywhere.glob(".teams/*")):
        for old in directory.glob(f"{_OLD}/*"):
            if not (directory / old.name).exists():
                old.replace(directory / old.name)
        for path in directory.glob("*/"):
            if not (path / ABOUT).exists() and path.name != ".teams":
                shutil.rmtree(path, ignore_errors=True)


def restore(world: World, name: str) -> None:
    """Go back to a snapshot of the world: rows, files, clock, and with a seed the next ids and live calls.

    Raises NotFound, and Conflict if a newer version made the snapshot or it is damaged.
    """
    with world.write_lock:
        snapshot = find(world, name)
        bring_up(snapshot.path / DATABASE, name)
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
            _after_restore(None)
            forget(world)
    world.repair_files()


def restore_team(world: World, name: str, team_id: str) -> None:
    """Go back to a team's snapshot: its rows, files and clock. The team is created if it does not exist.

    Raises NotFound, and Conflict if the snapshot cannot be used or another team has one of its ids or keys.
    """
    with world.write_lock:
        snapshot = find(world, name, team_id)
        bring_up(snapshot.path / DATABASE, name)
        with without_foreign_keys(world):
            # Before the rows that name them. Files without a row are removed later by a job.
            for kind in KINDS:
                _link_files(world, snapshot.path / kind, world.directory / kind)
            with snapshot_files.attached(world, snapshot.path / DATABASE), world.transaction():
                wipe(world, team_id)
                copy_rows(world.db.connection(), team_tables(), team_id)
                world.clock.restore_team(team_id, snapshot.about["clock"])
                world.save_runtime_state()
                _after_restore(team_id)
                forget(world)
                files = list(snapshot_files.files_of(world.db.connection(), team_id))
        for file in files:
            _replace_file(snapshot.path / file, world.directory / file)
        world.repair_files()


def _after_restore(team_id: str | None) -> None:
    """Run each collection's hook for rows that a restore brought back: of all teams, or of one."""
    for about in COLLECTIONS.values():
        if about.after_restore is not None:
            about.after_restore(team_id)


@contextlib.contextmanager
def packed(world: World, name: str, team_id: str | None = None) -> Iterator[Path]:
    """Write a snapshot into one file (state/snapshot_files.py) and delete the file after the block. Raises NotFound."""
    snapshot = find(world, name, team_id)
    parts = world.snapshots_dir(team_id) / _PART
    parts.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parts) as temporary:
        folder, file = snapshot.path, Path(temporary) / "snapshot.tar.gz"
        if team_id is not None:
            folder = Path(temporary) / "team"
            folder.mkdir()
            bring_up(snapshot.path / DATABASE, name)
            about = snapshot.about | {"team": team_id}
            snapshot_files.extract_team(snapshot.path, folder, team_id, about)
        snapshot_files.pack(folder, file)
        yield file


def read_file(world: World, name: str, stream: IO[bytes], team_id: str | None = None) -> Snapshot:
    """Store a file as a snapshot. It replaces a snapshot of the same name.

    The file of a whole world can become a team's snapshot, but not the other way round. The team need not exist here.

    Raises Invalid for a bad name, and Conflict if there are too many snapshots, or for a file that is damaged, of
    another team, or of a newer version.
    """
    _require_name(name)
    _require_room(world, name, team_id)
    directory = world.snapshots_dir(team_id)
    (directory / _PART).mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=directory / _PART))
    try:
        about = snapshot_files.unpack(stream, part, durable=world.durable) | {"name": name}
        about.pop("change", None)
        if about.get("team") not in (None, team_id):
            raise Conflict(f"The file has only team {about['team']}.")
        _require_valid_clock_and_ids(about)
        snapshot_files.rebuild(world, part / DATABASE)
        if team_id is not None:
            snapshot_files.require_team_in(part / DATABASE, team_id)
            snapshot_files.skip_ids(world, part / DATABASE, team_id)
        with world.write_lock:
            write_whole(part / ABOUT, orjson.dumps(about), durable=world.durable)
            _put_in_place(world, part, directory / name)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return Snapshot(directory / name, about)


def remove(world: World, name: str, team_id: str | None = None) -> None:
    """Remove a snapshot. Raises NotFound."""
    with world.write_lock:
        path = find(world, name, team_id).path
        _remove(path)
        if world.durable:
            sync(path.parent)


def _require_valid_clock_and_ids(about: dict[str, Any]) -> None:
    """Raise Conflict if a file's about.json holds no time, no state of the clock or no state of the ids."""
    try:
        parse(about["createdAt"])
        clock = Clock()
        clock.restore(about["clock"])
        clock.stamp()
        if about["ids"] is not None:
            Ids().restore(about["ids"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Conflict(f"This is not a snapshot: {ABOUT} does not say when it was taken: {error!r}.") from None


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Invalid("Must be 1 to 100 letters, digits, spaces, dots, dashes and underscores.", "name")


def _require_room(world: World, name: str, team_id: str | None) -> None:
    names = {snapshot.name for snapshot in _stored(world, team_id) if snapshot.change is None}
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


def _replace_file(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, if there is a `source`."""
    if source.exists() and not (target.exists() and target.samefile(source)):
        part = part_of(target)
        part.unlink(missing_ok=True)
        _link_or_copy(source, part)
        rename(part, target)


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
