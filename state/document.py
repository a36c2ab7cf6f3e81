"""The whole state as one document: export, import, and deletion of rows. Contract: state.md.

An imported row is a dict by columns; state/parsing.py reads it.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

import orjson
from peewee import chunked

from dryline.models.due import SET_ASIDE
from dryline.models.teams import ApiKey, Team, admit_keys, forget_keys, start_team
from dryline.state import plain_sql
from dryline.state.collections import COLLECTIONS
from dryline.state.import_rows import Import
from dryline.state.parsing import BEGINNING, Document, row_schemas
from dryline.storage.errors import Conflict
from dryline.storage.record import wire_rows
from dryline.world.world import World

Row = dict[str, Any]
_ROWS_AT_A_TIME = 200
# The members of a key in a team's `apiKeys`, and their columns.
_KEY = {"id": "id", "name": "name", "sha256": "sha256", "createdAt": "created_at"}


def write(file: IO[bytes], team_id: str | None = None) -> None:
    """Write the document, of all teams or of one: each collection's rows, oldest first, then by id, a row a line.

    It is written in portions, because the calls of a long run are hundreds of megabytes. Raises NotFound for an unknown
    team.
    """
    require_team(team_id)
    file.write(orjson.dumps(BEGINNING)[:-1])
    for name, schema in row_schemas().items():
        file.write(b',\n"%s":[' % name.encode())
        separator = b"\n"
        for rows in _row_portions(name, schema.names, team_id):
            for row in rows:
                if schema.on_export is not None:
                    schema.on_export(row)
                file.write(separator + orjson.dumps(row))
                separator = b",\n"
        file.write(b"]")
    file.write(b"}")


def _row_portions(collection: str, names: Mapping[str, str], team_id: str | None) -> Iterator[list[Row]]:
    """Yield one collection's rows as they look on the wire, some hundred at a time."""
    about = COLLECTIONS[collection]
    model, fields = about.model, about.model._meta.fields
    members = {member: name for member, name in names.items() if name in fields or name in about.computed}
    conditions = dict(about.fixed)
    if team_id is not None:
        conditions["team_id"] = team_id
    table = model._meta.table_name

    sorted_by = [fields[name].column_name for name in about.sorted_by]
    keys = plain_sql.rowids_with_columns(table, sorted_by, conditions)
    keys.sort(key=lambda key: about.age(list(key[1:])))

    cells = [about.computed.get(name) or f'"{fields[name].column_name}"' for name in members.values()]
    keys_of_teams = ApiKey.by_team() if model is Team else {}
    for portion in chunked((key[0] for key in keys), _ROWS_AT_A_TIME):
        rows = plain_sql.rows_by_rowid(table, cells, portion)
        wire = wire_rows(model, members, [rows[rowid] for rowid in portion])
        if model is Team:
            for team in wire:
                team["apiKeys"] = [key.project(_KEY) for key in keys_of_teams.get(team["id"], ())]
        yield wire


def replace(world: World, document: Document, team_id: str | None = None) -> None:
    """Replace all rows, or all rows of one team, by the document's, all or nothing.

    Raises BadDocument if it breaks a rule, Conflict if another team has one of its ids.
    """
    with replacing_rows(world):
        require_team(team_id)
        survivor = None
        if not document.rows["teams"]:  # the team that keeps its name and keys: the named one, or the start team
            survivor = start_team() if team_id is None else Team.find(id=team_id)
        wipe(world, team_id, survivor)
        insert_import(world, Import(document, team_id, survivor))


def extend(world: World, document: Document, team_id: str | None = None) -> None:
    """Add the document's rows. Raises BadDocument if it breaks a rule, Conflict if an id exists already."""
    with replacing_rows(world):
        require_team(team_id)
        insert_import(world, Import(document, team_id, adding=True))


class TableRows:
    """All rows of all teams, as they are in the tables after the import of a document at a `moment`.

    They can take the place of another import until `same_until`: the columns with the moment get the present one.
    """

    def __init__(self, world: World, moment: str, same_until: str) -> None:
        self.moment, self.same_until = moment, same_until
        self._ids = world.ids.state() if world.settings.seed is not None else None
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        for table in plain_sql.team_tables():
            rows = plain_sql.all_rows(table)
            if rows and table != "resource_text":  # a trigger fills it
                self._rows[table] = rows

    def may_be_inserted(self, now: str) -> bool:
        """Return whether an import at this moment would give the same rows."""
        return self.moment <= now < self.same_until

    def insert(self, world: World) -> None:
        """Insert the rows into empty tables."""
        now = world.stamp()
        for table, rows in self._rows.items():
            plain_sql.insert_rows(table, (self._with_moment(now, row) for row in rows), len(rows[0]))
        if self._ids is not None:
            world.ids.restore(self._ids)
        forget_keys()

    def _with_moment(self, now: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.moment not in row:
            return row
        return tuple(now if cell == self.moment else cell for cell in row)


def insert_import(world: World, rows: Import) -> None:
    """Insert the rows, and give the keys of `--api-key` to the first team of the document. Raises as `replace`."""
    rows.run()
    teams = rows.document.rows["teams"]
    admit_start_keys(world, Team.find(id=teams[0]["id"]) if teams else None)


def drop_caches(world: World) -> None:
    """After the commit, empty the caches of keys and of rows that are set aside, and wake the jobs."""
    forget_keys()
    world.db.after_commit(SET_ASIDE.of(world).clear)
    world.db.after_commit(world.wake)


def admit_start_keys(world: World, team: Team | None = None) -> None:
    """Give the keys of `--api-key` to `team`, by default the start team, unless a team has them already."""
    admit_keys(world.db, world.settings.api_keys, world.ids, world.stamp(), team)
    forget_keys()


@contextlib.contextmanager
def replacing_rows(world: World) -> Iterator[None]:
    """Run a block that replaces rows in one transaction, without foreign keys; drop the caches after it."""
    with without_foreign_keys(world), world.transaction():
        yield
        drop_caches(world)


@contextlib.contextmanager
def without_foreign_keys(world: World) -> Iterator[None]:
    """Switch foreign keys off on the running thread's connection, for a block.

    An import inserts rows in any order, may link to deleted rows, and checks links by the document's own rules.
    """
    with world.write_lock:
        database = world.db.connection()
        database.execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            database.execute("PRAGMA foreign_keys = ON")


def empty_team(world: World, team_id: str) -> None:
    """Delete one team's rows except its name and keys. Raises NotFound."""
    with replacing_rows(world):
        wipe(world, team_id, Team.by_id(team_id))


def delete_team(world: World, team_id: str) -> None:
    """Delete a team with all its rows. Raises NotFound, and Conflict for the start team."""
    with replacing_rows(world):
        require_removable_team(team_id)
        wipe(world, team_id)


def require_removable_team(team_id: str) -> None:
    """Raise NotFound if `team_id` names no team, and Conflict for the start team."""
    team, start = Team.by_id(team_id), start_team()
    if start is not None and start.id == team.id:
        raise Conflict("The start team cannot be deleted: it has the keys of --api-key.")


def wipe(world: World, team_id: str | None = None, survivor: Team | None = None) -> None:
    """Delete all rows of all teams, or of one; `survivor` keeps its name and keys. Foreign keys must be off."""
    tables = plain_sql.team_tables()
    # SQLite would write the pages of empty tables, too.
    filled = plain_sql.filled_tables(tables)
    for name, of_team in tables.items():
        if name not in filled:
            continue
        conditions = {} if team_id is None else {of_team: team_id}
        if survivor is not None and name in ("team", "api_key"):
            conditions["team_id != ?"] = survivor.id
        plain_sql.delete_rows(name, conditions)


def require_team(team_id: str | None) -> None:
    """Raise NotFound if `team_id` names no team."""
    if team_id is not None:
        Team.by_id(team_id)
