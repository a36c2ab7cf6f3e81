"""Named save points, kept in the data directory: the database, the files beside it, clock and ids.

Restoring a whole world exchanges files and copies no rows. One team's save points have names of their own; of them only
that team's rows and files come back, and a time of its own; the world's clock and ids stay.
"""

from __future__ import annotations

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
from dryline.state.document import demand_team, forget, team_tables, unchecked, wipe
from dryline.state.snapshot_files import ABOUT, DATABASE, KINDS, bring_up, copy_rows, schema_of
from dryline.storage.errors import Conflict, Invalid, NotFound
from dryline.storage.files import part_of, rename, sync, write_whole
from dryline.storage.migrations import LATEST, bring_up_to_date
from dryline.world.clock import Clock, parse
from dryline.world.ids import Ids
from dryline.world.world import World

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
_PART, _OLD = ".part", ".old"  # half-made, and being replaced


class Snapshot:
    """A save point. `created_at` is of the world's own time."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        self.about = about
        self.name: str = about["name"]
        self.created_at: str = about["createdAt"]


def listing(world: World, team_id: str | None = None) -> list[Snapshot]:
    """All save points of the world or of a team, newest first. Raises NotFound for an unknown team."""
    demand_team(team_id)
    found = []
    for path in world.save_points(team_id).glob("*/"):
        with contextlib.suppress(OSError, ValueError):  # half-written or half-removed
            found.append(Snapshot(path, orjson.loads((path / ABOUT).read_bytes())))
    return sorted(found, key=lambda one: (one.created_at, one.name), reverse=True)


def find(world: World, name: str, team_id: str | None = None) -> Snapshot:
    """The save point of this name. Raises NotFound."""
    path = world.save_points(team_id) / name
    if not _NAME.fullmatch(name) or not (path / ABOUT).exists():
        demand_team(team_id)
        raise NotFound(f"Snapshot {name} not found.")
    return Snapshot(path, orjson.loads((path / ABOUT).read_bytes()))


def save(world: World, name: str, team_id: str | None = None) -> Snapshot:
    """Keep the world as it is under a name; what was kept under it before is dropped.

    Raises Invalid for a bad name, NotFound for an unknown team.
    """
    demand_team(team_id)
    _demand_name(name)
    directory = world.save_points(team_id)
    part, path = directory / _PART / name, directory / name
    with world.held():
        _remove(part)
        part.mkdir(parents=True)
        world.db.copy_to(part / DATABASE)
        for kind in KINDS:
            link_files(world, world.directory / kind, part / kind)
        about = {
            "name": name,
            "createdAt": world.clock.stamp(),
            "clock": world.clock.position(),
            "ids": world.ids.position() if world.settings.seed is not None else None,
        }
        write_whole(part / ABOUT, orjson.dumps(about), durable=world.durable)
        _put_in_place(world, part, path)
    return Snapshot(path, about)


def recover(world: World) -> None:
    """After a crash: a save point that was being replaced is there as it was, and no half of one stays."""
    everywhere = world.save_points()
    for directory in (everywhere, *everywhere.glob(".teams/*")):
        for old in directory.glob(f"{_OLD}/*"):
            if not (directory / old.name).exists():
                old.replace(directory / old.name)
        for path in directory.glob("*/"):
            if not (path / ABOUT).exists() and path.name != ".teams":
                shutil.rmtree(path, ignore_errors=True)


def restore(world: World, name: str) -> None:
    """Go back to a save point: rows, files, clock, and with a seed the ids that come next.

    Raises NotFound, and Conflict when a newer dryline made it or it is damaged.
    """
    with world.held():
        snapshot = find(world, name)
        version = schema_of(snapshot.path / DATABASE, name)
        if version > LATEST:
            raise Conflict(f"The snapshot {name} was made by a newer dryline.")
        for kind in KINDS:  # before the rows that name them: a restore that is killed leaves none without its file
            link_files(world, snapshot.path / kind, world.directory / kind)
        world.db.exchange(snapshot.path / DATABASE)
        if version < LATEST:
            bring_up_to_date(world.db)
        for kind in KINDS:
            _replace_files(snapshot.path / kind, world.directory / kind)
        world.clock.go_to(snapshot.about["clock"])
        if snapshot.about["ids"] is not None and world.settings.seed is not None:
            world.ids.go_to(snapshot.about["ids"])
        with world.transaction():
            world.keep_course()
            mend(None)
            forget(world)
    world.rows_replaced()


def restore_team(world: World, name: str, team_id: str) -> None:
    """Bring one team's rows and files back. Raises NotFound, and Conflict when that cannot be."""
    with world.held():
        snapshot = find(world, name, team_id)
        if schema_of(snapshot.path / DATABASE, name) > LATEST:
            raise Conflict(f"The snapshot {name} was made by a newer dryline.")
        bring_up(snapshot.path / DATABASE)

        with unchecked(world):
            for kind in KINDS:  # before the rows that name them; those that no row names are swept
                link_files(world, snapshot.path / kind, world.directory / kind)
            with snapshot_files.attached(world, snapshot.path / DATABASE), world.transaction():
                wipe(world, team_id)
                copy_rows(world.db.connection(), team_tables(world), team_id)
                world.clock.give_back(team_id, snapshot.about["clock"])
                world.keep_course()
                mend(team_id)
                forget(world)
                files = list(snapshot_files.files_of(world.db.connection(), team_id))
        for file in files:
            _replace_file(snapshot.path / file, world.directory / file)
        world.rows_replaced()


@contextlib.contextmanager
def packed(world: World, name: str, team_id: str | None = None) -> Iterator[Path]:
    """Write a snapshot into one file (state/snapshot_files.py) and delete the file after the block. Raises NotFound."""
    snapshot = find(world, name, team_id)
    parts = world.save_points(team_id) / _PART
    parts.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parts) as temporary:
        folder, file = snapshot.path, Path(temporary) / "snapshot.tar.gz"
        if team_id is not None:
            folder = Path(temporary) / "team"
            folder.mkdir()
            bring_up(snapshot.path / DATABASE)
            about = snapshot.about | {"team": team_id}
            snapshot_files.cut_out(world, snapshot.path / DATABASE, snapshot.path, folder, team_id, about)
        snapshot_files.pack(folder, file)
        yield file


def read_file(world: World, name: str, stream: IO[bytes], team_id: str | None = None) -> Snapshot:
    """A save point out of such a file, of this server's or of another's; what was kept under the name is dropped.

    A team's part of a whole world's file can be restored, but no team's file as a world. The team need not exist here:
    the restore creates it.

    Raises Invalid for a bad name, and Conflict for a file that is none, damaged, another team's, or newer.
    """
    _demand_name(name)
    directory = world.save_points(team_id)
    (directory / _PART).mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=directory / _PART))
    try:
        about = snapshot_files.unpack(stream, part, durable=world.durable) | {"name": name}
        if about.get("team") not in (None, team_id):
            raise Conflict(f"The file holds team {about['team']} alone.")
        _demand_position(about)
        snapshot_files.bring_up_foreign(world, part / DATABASE)
        if team_id is not None:
            snapshot_files.demand_team_in(part / DATABASE, team_id)
            snapshot_files.skip_ids(world, part / DATABASE, team_id)
        with world.held():
            write_whole(part / ABOUT, orjson.dumps(about), durable=world.durable)
            _put_in_place(world, part, directory / name)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return Snapshot(directory / name, about)


def _demand_position(about: dict[str, Any]) -> None:
    """Raises Conflict where clock and ids, if they went there, would not get there."""
    try:
        parse(about["createdAt"])
        clock = Clock()
        clock.go_to(about["clock"])
        clock.stamp()
        if about["ids"] is not None:
            Ids().go_to(about["ids"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Conflict(f"This is no save point: {ABOUT} does not say when it was made: {error!r}.") from None


def _demand_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Invalid("Must be 1 to 100 letters, digits, spaces, dots, dashes and underscores.", "name")


def _put_in_place(world: World, part: Path, path: Path) -> None:
    """Let what was made be the save point of this name. Killed at any instant, one of both is there (`recover`)."""
    old = path.parent / _OLD / path.name
    if path.exists():
        _remove(old)
        old.parent.mkdir(exist_ok=True)
        path.replace(old)
    rename(part, path, durable=world.durable)
    _remove(old)


def mend(team_id: str | None) -> None:
    """What rows that came back by other ways than one by one leave to do: of all teams, or of one."""
    for about in COLLECTIONS.values():
        if about.after_restore is not None:
            about.after_restore(team_id)


def remove(world: World, name: str, team_id: str | None = None) -> None:
    """Drop a save point. Raises NotFound."""
    with world.held():
        _remove(find(world, name, team_id).path)


def _files(directory: Path) -> Iterator[os.DirEntry[str]]:
    with contextlib.suppress(FileNotFoundError), os.scandir(directory) as entries:
        yield from [entry for entry in entries if not entry.name.endswith(".part")]


def link_files(world: World, source: Path, target: Path) -> None:
    """Have the files of `source` in `target` too."""
    for entry in _files(source):
        target.mkdir(exist_ok=True)
        if not (target / entry.name).exists():
            _link(Path(entry.path), target / entry.name)
    if world.durable and target.exists():
        sync(target)


def _replace_files(source: Path, target: Path) -> None:
    """Have the files of `source` and no others in `target`."""
    wanted = {entry.name: entry for entry in _files(source)}
    for entry in _files(target):
        kept = wanted.get(entry.name)
        if kept is not None and kept.inode() == entry.inode():
            del wanted[entry.name]
        else:
            Path(entry.path).unlink(missing_ok=True)
    for entry in wanted.values():
        target.mkdir(exist_ok=True)
        _link(Path(entry.path), target / entry.name)


def _replace_file(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, if there is a `source`."""
    if source.exists() and not (target.exists() and target.samefile(source)):
        part = part_of(target)
        part.unlink(missing_ok=True)
        _link(source, part)
        rename(part, target)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


def _remove(path: Path) -> None:
    """Remove a directory, first from sight."""
    if path.exists():
        (path / ABOUT).unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)
