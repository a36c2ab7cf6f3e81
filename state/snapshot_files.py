"""Snapshots as files that another server can load, and one team's part of a snapshot.

A file is a gzipped tar of a snapshot's folder (state/snapshots.py): the database, the files that belong to its rows,
and `about.json`. A team's file has only the rows and files of that team. A file of an older version is brought up to
date, a file of a newer one is refused.
"""

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
from dryline.storage.files import matching, read, sync
from dryline.storage.migrations import LATEST, bring_up_to_date
from dryline.world.world import World

DATABASE, ABOUT = "dryline.sqlite3", "about.json"
# Folders with the files of rows. Files there are replaced and never changed, so a snapshot may link to them.
KINDS = (exports.FILES.kind, uploads.FILES.kind)
_FILE_OF_A_ROW = rf"({'|'.join(KINDS)})/[A-Za-z0-9_-][A-Za-z0-9._-]{{0,199}}"
_MEMBER = re.compile("|".join((re.escape(DATABASE), re.escape(ABOUT), _FILE_OF_A_ROW)))
# Every column of every table, without the tables that Litestream adds.
_COLUMNS = """SELECT of.name, of_it.name FROM sqlite_master AS of, pragma_table_info(of.name) AS of_it
 WHERE of.type = 'table' AND of.name NOT LIKE '\\_litestream%' ESCAPE '\\'"""
# Tables that triggers or SQLite itself fill, and the list of migrations.
_NOT_COPIED = ("resource_index", "schema_migration", "sqlite_")
# zlib's quickest level. The next one takes twice the time and saves a twentieth.
_LEVEL = 1
# The largest content of a file that is unpacked. A call takes about 6 kB.
MAX_UNPACKED_BYTES = 10_000_000_000


def pack(folder: Path, path: Path) -> None:
    """Write a snapshot's folder into a file. Raises OSError."""
    import gzip  # imported late, here and below: a start does not need them
    import tarfile

    with gzip.open(path, "wb", compresslevel=_LEVEL) as archive, tarfile.open(fileobj=archive, mode="w") as tar:
        for name in (DATABASE, ABOUT):
            tar.add(folder / name, name, recursive=False)
        for kind in KINDS:
            for file in matching(folder / kind, "*"):
                tar.add(file, f"{kind}/{file.name}", recursive=False)


def unpack(stream: IO[bytes], folder: Path, *, durable: bool) -> dict[str, Any]:
    """Write the content of a file into an empty folder and return its about.json.

    Raises Conflict for a file that is not a snapshot, is damaged, or is of a newer version; and OSError.
    """
    import tarfile
    import zlib

    # A few megabytes can unpack to terabytes.
    remaining = min(MAX_UNPACKED_BYTES, shutil.disk_usage(folder).free // 2)
    try:
        with tarfile.open(fileobj=stream, mode="r|gz") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isreg() and _MEMBER.fullmatch(member.name) else None
                if content is None:
                    raise Conflict(f"This is not a snapshot: it has a member {member.name!r}.")
                remaining -= member.size
                if remaining < 0:
                    raise Conflict("The snapshot is larger than 10 GB unpacked, or than half of the free disk space.")
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as file:
                    shutil.copyfileobj(content, file)
                if durable:
                    sync(target)
        about = orjson.loads(read(folder / ABOUT))
    except (tarfile.TarError, zlib.error, EOFError, ValueError, FileNotFoundError) as error:
        raise Conflict(f"This is not a complete snapshot: {error}.") from None
    except FileExistsError:  # its message names a folder of this server
        raise Conflict("This is not a snapshot: two of its members have the same name.") from None
    if not isinstance(about, dict):
        raise Conflict(f"This is not a snapshot: {ABOUT} is not an object.")
    _read_schema_version(folder / DATABASE)
    _require_undamaged(folder / DATABASE)
    return about


def _read_schema_version(path: Path, name: str = "") -> int:
    """Return the schema version (`user_version`) in a database file's header.

    Raises Conflict, with the snapshot's name, if the file is not complete or the version is newer than this dryline's.
    """
    snapshot = f"The snapshot {name}" if name else "The snapshot"
    if not is_whole(path):
        raise Conflict(f"{snapshot} is damaged.")
    with path.open("rb") as file:
        version = int.from_bytes(file.read(64)[60:64], "big")
    if version > LATEST:
        raise Conflict(f"{snapshot} was made by a newer dryline.")
    return version


def _require_undamaged(path: Path) -> None:
    """Raise Conflict for a database whose pages do not fit together."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        try:
            (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            result = str(error)
    if result != "ok":
        raise Conflict(f"The database of the snapshot is damaged: {' '.join(result.split())}.")


def bring_up(path: Path, name: str = "") -> None:
    """Bring a snapshot's database up to date in its folder. Raises Conflict if that fails."""
    if _read_schema_version(path, name) == LATEST:
        return
    try:
        with _database(path) as database:
            bring_up_to_date(database)
    except (BadSetting, sqlite3.Error, PeeweeException) as error:
        raise Conflict(f"The database of the snapshot is not dryline's: {error}") from None


def rebuild(world: World, path: Path) -> None:
    """Replace a database from elsewhere by a new one with its rows.

    A file may come from anybody. Only its rows are taken: triggers, views, indexes and further columns could run code
    or damage this world for good. Raises Conflict if it lacks a table or column of this world.
    """
    own = path.with_name("rebuilt.sqlite3")
    try:
        _drop_triggers_and_views(path)
        bring_up(path)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            missing = set(world.db.execute_sql(_COLUMNS)) - set(connection.execute(_COLUMNS))
        if missing:
            table, column = min(missing)
            raise Conflict(f"The database of the snapshot is not dryline's: it has no {table}.{column}.")
        _copy_all_rows(path, own)
        own.replace(path)
    except (BadSetting, sqlite3.Error, PeeweeException) as error:
        raise Conflict(f"The database of the snapshot is not dryline's: {error}.") from None
    finally:
        own.unlink(missing_ok=True)


def _drop_triggers_and_views(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        kinds = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
        for kind, name in connection.execute(kinds).fetchall():
            connection.execute(f"DROP {kind} {_quoted(name)}")


def _copy_all_rows(source: Path, target: Path) -> None:
    """Create a database and copy the rows of every table of this version into it."""
    with _database(target) as database:
        bring_up_to_date(database)
        connection = database.connection()
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("ATTACH DATABASE ? AS saved", (str(source),))
        connection.execute("BEGIN")
        tables = "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' ORDER BY rowid"
        for table, sql in connection.execute(tables).fetchall():
            if not table.startswith(_NOT_COPIED):
                columns = ", ".join(
                    _quoted(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
                )
                connection.execute(f"DELETE FROM main.{table}")  # rows that triggers or the migrations made
                order = "" if sql.endswith("WITHOUT ROWID") else "ORDER BY rowid"
                connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM saved.{table} {order}")
        connection.execute("COMMIT")
        connection.execute("DETACH DATABASE saved")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextlib.contextmanager
def _database(path: Path) -> Iterator[WorldDatabase]:
    database = WorldDatabase(path, durable=False)
    try:
        yield database
    finally:
        database.close_for_good()


@contextlib.contextmanager
def attached(world: World, database: Path) -> Iterator[None]:
    """Attach a snapshot's database as `saved` to the running thread's connection, for a block.

    Raises Conflict if its rows clash with rows of another team.
    """
    # Not peewee's attach, which attaches it to every connection that is opened meanwhile.
    world.db.execute_sql("ATTACH DATABASE ? AS saved", (str(database),))
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Conflict(f"Another team has one of its ids or keys: {error}.") from None
    finally:
        world.db.execute_sql("DETACH DATABASE saved")


def copy_rows(connection: sqlite3.Connection, tables: Mapping[str, str], team_id: str) -> None:
    """Copy a team's rows from the attached database `saved`, parents first, in the order of their creation."""
    for table, condition in reversed(list(tables.items())):
        if condition == OWN_ROWS:
            sql = f'INSERT INTO main."{table}" SELECT * FROM saved."{table}" WHERE {condition} ORDER BY rowid'
            connection.execute(sql, (team_id,))


def extract_team(snapshot: Path, folder: Path, team_id: str, about: dict[str, Any]) -> None:
    """Fill a folder with a team's part of a snapshot, whose database is up to date, and with `about` as about.json."""
    with _database(folder / DATABASE) as database:
        bring_up_to_date(database)
        connection = database.connection()
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("ATTACH DATABASE ? AS saved", (str(snapshot / DATABASE),))
        connection.execute("BEGIN")
        copy_rows(connection, team_tables(), team_id)
        connection.execute("COMMIT")
        connection.execute("DETACH DATABASE saved")
        for name in files_of(connection, team_id):
            if (snapshot / name).exists():
                (folder / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(snapshot / name, folder / name)
    with open(folder / ABOUT, "wb") as file:
        file.write(orjson.dumps(about))


def files_of(connection: sqlite3.Connection, team_id: str) -> Iterator[str]:
    """Yield the paths of the files of a team's rows, relative to the data directory."""
    for id, form in connection.execute("SELECT id, format FROM export WHERE team_id = ?", (team_id,)):
        yield f"{exports.FILES.kind}/{exports.FILES.path(id, f'.{form.lower()}').name}"
    for (id,) in connection.execute("SELECT id FROM upload WHERE team_id = ?", (team_id,)):
        yield f"{uploads.FILES.kind}/{uploads.FILES.path(id).name}"


def require_team_in(path: Path, team_id: str) -> None:
    """Raise Conflict if a snapshot's database has no such team."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        if connection.execute("SELECT 1 FROM team WHERE id = ?", (team_id,)).fetchone() is None:
            raise Conflict(f"The file has no team {team_id}.")


def skip_ids(world: World, path: Path, team_id: str) -> None:
    """Make the world's next ids higher than those of a team in a snapshot's database.

    Another server with the same seed may have made them, and this one would make them again.
    """
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table, condition in team_tables().items():
            if condition == OWN_ROWS:
                (highest,) = connection.execute(
                    f'SELECT MAX(id) FROM "{table}" WHERE {condition}', (team_id,)
                ).fetchone()
                if isinstance(highest, str):
                    world.ids.skip_past([highest])
