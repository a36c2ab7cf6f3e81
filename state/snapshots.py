"""Named save points, kept in the data directory: the database, the files beside it, clock and ids.

Restoring a whole world exchanges files and copies no rows. One team's save points have names of their own; of them only
that team's rows and files come back, and clock and ids stay.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import peewee

from dryline.state.collections import COLLECTIONS
from dryline.state.document import OWN_ROWS, demand_team, forget, team_tables, unchecked, wipe
from dryline.world.database import is_whole
from dryline.world.errors import Conflict, Invalid, NotFound
from dryline.world.files import rename, sync, write_whole
from dryline.world.migrations import LATEST, bring_up_to_date
from dryline.world.world import World

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
_DATABASE, _ABOUT = "dryline.sqlite3", "about.json"
_PART, _OLD = ".part", ".old"  # half-made, and being replaced
# Directories whose files belong to rows. Files there are written anew and renamed, never changed: links will do.
_FILES = ("exports", "uploads")


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
            found.append(Snapshot(path, orjson.loads((path / _ABOUT).read_bytes())))
    return sorted(found, key=lambda one: (one.created_at, one.name), reverse=True)


def find(world: World, name: str, team_id: str | None = None) -> Snapshot:
    """The save point of this name. Raises NotFound."""
    demand_team(team_id)
    path = world.save_points(team_id) / name
    if not _NAME.fullmatch(name) or not (path / _ABOUT).exists():
        raise NotFound(f"Snapshot {name} not found.")
    return Snapshot(path, orjson.loads((path / _ABOUT).read_bytes()))


def save(world: World, name: str, team_id: str | None = None) -> Snapshot:
    """Keep the world as it is under a name; what was kept under it before is dropped.

    Raises Invalid for a bad name, NotFound for an unknown team.
    """
    demand_team(team_id)
    if not _NAME.fullmatch(name):
        raise Invalid("Must be 1 to 100 letters, digits, spaces, dots, dashes and underscores.", "name")
    directory = world.save_points(team_id)
    part, path, old = directory / _PART / name, directory / name, directory / _OLD / name
    with world.held():
        _remove(part)
        part.mkdir(parents=True)
        world.db.copy_to(part / _DATABASE)
        for kind in _FILES:
            _link_files(world, world.directory / kind, part / kind)
        about = {
            "name": name,
            "createdAt": world.clock.stamp(),
            "clock": world.clock.position(),
            "ids": world.ids.position() if world.settings.seed is not None else None,
        }
        write_whole(part / _ABOUT, orjson.dumps(about), durable=world.durable)
        if path.exists():
            _remove(old)
            old.parent.mkdir(exist_ok=True)
            path.replace(old)
        rename(part, path, durable=world.durable)
        _remove(old)
    return Snapshot(path, about)


def recover(world: World) -> None:
    """After a crash: a save point that was being replaced is there as it was, and no half of one stays."""
    everywhere = world.save_points()
    for directory in (everywhere, *everywhere.glob(".teams/*")):
        for old in directory.glob(f"{_OLD}/*"):
            if not (directory / old.name).exists():
                old.replace(directory / old.name)
        for path in directory.glob("*/"):
            if not (path / _ABOUT).exists() and path.name != ".teams":
                shutil.rmtree(path, ignore_errors=True)


def restore(world: World, name: str) -> None:
    """Go back to a save point: rows, files, clock, and with a seed the ids that come next.

    Raises NotFound, and Conflict when a newer dryline made it or it is damaged.
    """
    with world.held():
        snapshot = find(world, name)
        version = _schema_of(snapshot)
        if version > LATEST:
            raise Conflict(f"The snapshot {name} was made by a newer dryline.")
        for kind in _FILES:  # before the rows that name them: a restore that is killed leaves none without its file
            _link_files(world, snapshot.path / kind, world.directory / kind)
        world.db.exchange(snapshot.path / _DATABASE)
        if version < LATEST:
            bring_up_to_date(world.db)
        for kind in _FILES:
            _replace_files(snapshot.path / kind, world.directory / kind)
        world.clock.go_to(snapshot.about["clock"])
        if snapshot.about["ids"] is not None and world.settings.seed is not None:
            world.ids.go_to(snapshot.about["ids"])
        with world.transaction():
            world.keep_course()
            _mend(None)
            forget(world)
    world.rows_replaced()


def restore_team(world: World, name: str, team_id: str) -> None:
    """Bring one team's rows and files back. Raises NotFound, and Conflict when that cannot be."""
    with unchecked(world):
        snapshot = find(world, name, team_id)
        if _schema_of(snapshot) != LATEST:
            raise Conflict(f"The snapshot {name} was made by another version of dryline.")
        # Not peewee's attach, which would attach it to every connection that is opened meanwhile.
        world.db.execute_sql("ATTACH DATABASE ? AS saved", (str(snapshot.path / _DATABASE),))
        try:
            with world.transaction():
                wipe(world, team_id)
                _copy_rows(world, team_id)
                forget(world)
        except peewee.IntegrityError as error:
            raise Conflict(f"Another team has what the snapshot {name} holds: {error}.") from None
        finally:
            world.db.execute_sql("DETACH DATABASE saved")
        for kind in _FILES:  # what is too much is removed by those whose files they are
            _link_files(world, snapshot.path / kind, world.directory / kind)
    world.rows_replaced()


def _copy_rows(world: World, team_id: str) -> None:
    """From the attached database, parents first."""
    for table, condition in reversed(list(team_tables(world).items())):
        if condition == OWN_ROWS:
            sql = f'INSERT INTO main."{table}" SELECT * FROM saved."{table}" WHERE {condition}'
            world.db.execute_sql(sql, (team_id,))
    _mend(team_id)


def _mend(team_id: str | None) -> None:
    for about in COLLECTIONS.values():
        if about.came_back is not None:
            about.came_back(team_id)


def remove(world: World, name: str, team_id: str | None = None) -> None:
    """Drop a save point. Raises NotFound."""
    with world.held():
        _remove(find(world, name, team_id).path)


def _schema_of(snapshot: Snapshot) -> int:
    """The `user_version` in its SQLite file's header. Raises Conflict where the file is not whole."""
    path = snapshot.path / _DATABASE
    if not is_whole(path):
        raise Conflict(f"The snapshot {snapshot.name} is damaged.")
    with path.open("rb") as file:
        return int.from_bytes(file.read(64)[60:64], "big")


def _files(directory: Path) -> Iterator[os.DirEntry[str]]:
    with contextlib.suppress(FileNotFoundError), os.scandir(directory) as entries:
        yield from [entry for entry in entries if not entry.name.endswith(".part")]


def _link_files(world: World, source: Path, target: Path) -> None:
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


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


def _remove(path: Path) -> None:
    """Remove a directory, first from sight."""
    if path.exists():
        (path / _ABOUT).unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)
