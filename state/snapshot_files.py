"""Save points as files, and a team's part of a world as one: what another server can load.

A file is a gzipped tar of what a save point's folder holds (state/snapshots.py): the database, the files that belong to
rows, and `about.json`. A team's has that team's rows and files alone. The version rule is that of every database: an
older one is brought up to date, a newer one refused.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import orjson
from peewee import PeeweeException

from dryline.models import exports, uploads
from dryline.settings import BadSetting
from dryline.state.document import OWN_ROWS, team_tables
from dryline.storage.database import WorldDatabase, is_whole
from dryline.storage.errors import Conflict
from dryline.storage.files import sync
from dryline.storage.migrations import LATEST, bring_up_to_date
from dryline.world.world import World

DATABASE, ABOUT = "dryline.sqlite3", "about.json"
# Folders whose files belong to rows. Files there are written anew and renamed, never changed: links will do.
KINDS = (exports.FILES.kind, uploads.FILES.kind)
_OF_A_ROW = rf"({'|'.join(KINDS)})/[A-Za-z0-9_-][A-Za-z0-9._-]{{0,199}}"
_MEMBER = re.compile("|".join((re.escape(DATABASE), re.escape(ABOUT), _OF_A_ROW)))
# Every column of every table, but for those that Litestream keeps beside them.
_COLUMNS = """SELECT of.name, of_it.name FROM sqlite_master AS of, pragma_table_info(of.name) AS of_it
 WHERE of.type = 'table' AND of.name NOT LIKE '\\_litestream%' ESCAPE '\\'"""
# Of zlib's levels the quickest: the next takes twice the time for a twentieth less.
_LEVEL = 1


def pack(folder: Path, path: Path) -> None:
    """Write the file, of a save point's folder. Raises OSError."""
    import gzip  # imported late, here and below: a start does not need them
    import tarfile

    with gzip.open(path, "wb", compresslevel=_LEVEL) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name in (DATABASE, ABOUT):
            tar.add(folder / name, name, recursive=False)
        for kind in KINDS:
            for file in sorted((folder / kind).glob("*")):
                tar.add(file, f"{kind}/{file.name}", recursive=False)


def unpack(stream: IO[bytes], folder: Path, *, durable: bool) -> dict[str, Any]:
    """Write what is in the file into a new folder. Returns what it says of itself.

    Raises Conflict where it is none, is damaged, or was made by a newer dryline; and OSError.
    """
    import tarfile
    import zlib

    try:
        with tarfile.open(fileobj=stream, mode="r|gz") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isreg() and _MEMBER.fullmatch(member.name) else None
                if content is None:
                    raise Conflict(f"This is no save point: {member.name!r} is in it.")
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as file:
                    shutil.copyfileobj(content, file)
                if durable:
                    sync(target)
        about = orjson.loads((folder / ABOUT).read_bytes())
    except (tarfile.TarError, zlib.error, EOFError, ValueError, FileNotFoundError, FileExistsError) as error:
        raise Conflict(f"This is no whole save point: {error}.") from None
    if not isinstance(about, dict):
        raise Conflict(f"This is no save point: {ABOUT} is no object.")
    if schema_of(folder / DATABASE) > LATEST:
        raise Conflict("The save point was made by a newer dryline.")
    _demand_undamaged(folder / DATABASE)
    return about


def _demand_undamaged(path: Path) -> None:
    """Raises Conflict for a database whose pages do not fit together."""
    with contextlib.closing(connected(path)) as connection:
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            found = str(error)
    if found != "ok":
        raise Conflict(f"The database of the save point is damaged: {' '.join(found.split())}.")


def schema_of(path: Path, name: str = "") -> int:
    """The `user_version` in a SQLite file's header. Raises Conflict, of a snapshot's name, where it is not whole."""
    if not is_whole(path):
        raise Conflict(f"The snapshot {name} is damaged." if name else "The snapshot is damaged.")
    with path.open("rb") as file:
        return int.from_bytes(file.read(64)[60:64], "big")


def bring_up(path: Path) -> None:
    """Bring the database of a save point up to date, where it lies."""
    if schema_of(path) < LATEST:
        with _opened(path) as database:
            bring_up_to_date(database)


def bring_up_foreign(world: World, path: Path) -> None:
    """As `bring_up`, of a database that came from elsewhere.

    Raises Conflict where it then lacks what this world's has: nothing could be read of it once it is restored.
    """
    try:
        bring_up(path)
    except (BadSetting, sqlite3.Error, PeeweeException) as error:
        raise Conflict(f"The database of the save point is not dryline's: {error}") from None
    with contextlib.closing(connected(path)) as connection:
        lacking = set(world.db.execute_sql(_COLUMNS)) - set(connection.execute(_COLUMNS))
    if lacking:
        table, column = min(lacking)
        raise Conflict(f"The database of the save point is not dryline's: it has no {table}.{column}.")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[WorldDatabase]:
    database = WorldDatabase(path, durable=False)
    try:
        yield database
    finally:
        database.close_for_good()


@contextlib.contextmanager
def attached(world: World, database: Path) -> Iterator[None]:
    """For a block, a save point's database is `saved` on the running thread's connection.

    Raises Conflict where what comes out of it clashes with another team's.
    """
    # Not peewee's attach, which would attach it to every connection that is opened meanwhile.
    world.db.execute_sql("ATTACH DATABASE ? AS saved", (str(database),))
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Conflict(f"Another team has what is in it: {error}.") from None
    finally:
        world.db.execute_sql("DETACH DATABASE saved")


def copy_rows(connection: sqlite3.Connection, tables: Mapping[str, str], team_id: str) -> None:
    """From the attached database `saved`, parents first, in the order in which they came to be."""
    for table, condition in reversed(list(tables.items())):
        if condition == OWN_ROWS:
            sql = f'INSERT INTO main."{table}" SELECT * FROM saved."{table}" WHERE {condition} ORDER BY rowid'
            connection.execute(sql, (team_id,))


def cut_out(world: World, database: Path, files: Path, folder: Path, team_id: str, about: dict[str, Any]) -> None:
    """Fill a folder with one team's part of a world: of a database that is up to date, and of the files below `files`.

    The folder's `about.json` gets what `about` holds.
    """
    tables = team_tables(world)
    with _opened(folder / DATABASE) as cut:
        bring_up_to_date(cut)
        connection = cut.connection()
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")  # what is packed is flushed
        connection.execute("ATTACH DATABASE ? AS saved", (str(database),))
        connection.execute("BEGIN")  # all is of one moment
        copy_rows(connection, tables, team_id)
        connection.execute("COMMIT")
        connection.execute("DETACH DATABASE saved")
        for name in files_of(connection, team_id):
            if (files / name).exists():
                (folder / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(files / name, folder / name)
    (folder / ABOUT).write_bytes(orjson.dumps(about))


def files_of(connection: sqlite3.Connection, team_id: str) -> Iterator[str]:
    """Yield the paths of the files of a team's rows, relative to the data directory."""
    for id, form in connection.execute("SELECT id, format FROM export WHERE team_id = ?", (team_id,)):
        yield f"{exports.FILES.kind}/{exports.FILES.path(id, f'.{form.lower()}').name}"
    for (id,) in connection.execute("SELECT id FROM upload WHERE team_id = ?", (team_id,)):
        yield f"{uploads.FILES.kind}/{uploads.FILES.path(id).name}"


def connected(path: Path) -> sqlite3.Connection:
    """A connection to a save point's database."""
    return sqlite3.connect(path, isolation_level=None)


def demand_team_in(path: Path, team_id: str) -> None:
    """Raise Conflict if a snapshot's database has no such team."""
    with contextlib.closing(connected(path)) as connection:
        if connection.execute("SELECT 1 FROM team WHERE id = ?", (team_id,)).fetchone() is None:
            raise Conflict(f"The file has no team {team_id}.")


def skip_ids(world: World, path: Path, team_id: str) -> None:
    """Make the world's next ids higher than those of a team in a snapshot's database.

    A server with the same seed made them, perhaps, and this one would make them again.
    """
    with contextlib.closing(connected(path)) as connection:
        for table, condition in team_tables(world).items():
            if condition == OWN_ROWS:
                (highest,) = connection.execute(
                    f'SELECT MAX(id) FROM "{table}" WHERE {condition}', (team_id,)
                ).fetchone()
                if isinstance(highest, str):
                    world.ids.skip_past([highest])
