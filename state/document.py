"""The whole state as one document: what rows mean to each other, how they get in and out. Contract: state.md.

A row on its way in is a dict by columns; `state/forms.py` reads it.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from dryline.models.teams import ApiKey, Team, digest, forget_keys, start_team
from dryline.state.collections import COLLECTIONS
from dryline.state.forms import VERSION, Document, forms
from dryline.state.import_rows import Import
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.errors import Conflict
from dryline.storage.record import connection, wire_rows
from dryline.world.world import World

Row = dict[str, Any]
OWN_ROWS = "team_id = ?"


# Out


def export(team_id: str | None = None) -> dict[str, Any]:
    """The document: every collection's rows, oldest first, then by id; of one team only where `team_id` names it.

    Raises NotFound for an unknown team.
    """
    demand_team(team_id)
    document: dict[str, Any] = {"version": VERSION}
    for name, form in forms().items():
        rows = document[name] = rows_of(name, form.names, team_id)
        if form.shown is not None:
            for row in rows:
                form.shown(row)
    return document


def rows_of(collection: str, names: Mapping[str, str], team_id: str | None) -> list[Row]:
    """One collection's rows in wire form."""
    about = COLLECTIONS[collection]
    model, fields = about.model, about.model._meta.fields
    shown = {wire: name for wire, name in names.items() if name in fields}
    conditions = dict(about.fixed)
    if team_id is not None:
        conditions["team_id"] = team_id
    where = " AND ".join(f'"{name}" = ?' for name in conditions)
    # What makes the order comes last, once more: not all of it is shown by every row.
    cells = ", ".join(f'"{fields[name].column_name}"' for name in (*shown.values(), *about.sorted_by))
    sql = f'SELECT {cells} FROM "{model._meta.table_name}"' + (f" WHERE {where}" if where else "")
    rows = connection().execute(sql, tuple(conditions.values())).fetchall()
    # Sorted here and not by SQLite, which would carry the large cells along.
    rows.sort(key=lambda row: about.age(list(row[len(shown) :])))
    found = wire_rows(model, shown, (row[: len(shown)] for row in rows))
    if model is Team:
        _show_keys(found)
    return found


def _show_keys(teams: list[Row]) -> None:
    """Give each team its keys, never in clear."""
    keys: dict[str, list[Row]] = {}
    for key in ApiKey.select().order_by(ApiKey.created_at, ApiKey.id):
        shown = {"id": key.id, "name": key.name, "sha256": key.sha256, "createdAt": key.created_at}
        keys.setdefault(key.team_id, []).append(shown)
    for team in teams:
        team["apiKeys"] = keys.get(team["id"], [])


# In


def replace(document: Document, team_id: str | None = None) -> None:
    """Put the document in the place of everything, or of everything of one team, all or nothing.

    Raises BadDocument when it breaks a rule, Conflict when another team has one of its ids.
    """
    world = current()
    with replacing(world):
        demand_team(team_id)
        kept = [] if document.rows["teams"] else kept_teams(team_id)
        wipe(world, team_id)
        Import(document, team_id, kept, adding=False).run()
        _settle(world, document)


def extend(document: Document, team_id: str | None = None) -> None:
    """Add the document's rows. Raises BadDocument when it breaks a rule, Conflict when an id is there already."""
    world = current()
    with replacing(world):
        demand_team(team_id)
        Import(document, team_id, [], adding=True).run()
        _settle(world, document)


def _settle(world: World, document: Document) -> None:
    """What holds for any world: its start keys work."""
    teams = document.rows["teams"]
    admit_start_keys(world, Team.find(id=teams[0]["id"]) if teams else None)


def forget(world: World) -> None:
    """Once the rows are others: drop what is remembered of them, and let the jobs look at them."""
    forget_keys()
    world.db.after_commit(world.wake)


def kept_teams(team_id: str | None) -> list[tuple[Team, list[ApiKey]]]:
    """The team, with its keys, that stays although all is deleted: the start team, or the one that is named."""
    team = start_team() if team_id is None else Team.find(id=team_id)
    return [(team, list(ApiKey.listing(team)))] if team else []


def admit_start_keys(world: World, team: Team | None = None) -> None:
    """The keys of `--api-key` belong to `team` (the first one when None), unless a team has them already."""
    for secret in world.settings.api_keys:
        if ApiKey.find(sha256=digest(secret)) is None:
            team = team or start_team()
            if team is not None:
                ApiKey.issue(team, secret, name="--api-key")


# Away


@contextlib.contextmanager
def replacing(world: World) -> Iterator[None]:
    """One transaction in which rows come and go `unchecked`; afterwards nothing remembers those of before."""
    with unchecked(world), world.transaction():
        yield
        forget(world)
    world.rows_replaced()


@contextlib.contextmanager
def unchecked(world: World) -> Iterator[None]:
    """The running thread's connection without foreign keys: for rows in any order, links to what is gone, and speed.

    What goes in here is checked by the rules of the document, which are not quite the schema's.
    """
    with world.held():
        database = world.db.connection()
        database.execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            database.execute("PRAGMA foreign_keys = ON")


def delete_team(world: World, team_id: str) -> None:
    """Delete a team with all that it has. Raises NotFound, and Conflict for the team that the server started with."""
    with replacing(world):
        team = Team.by_id(team_id)
        if (start := start_team()) and start.id == team.id:
            raise Conflict("The start team cannot be deleted: the keys of --api-key are its own.")
        wipe(world, team.id)
    shutil.rmtree(world.save_points(team_id), ignore_errors=True)
    world.clock.of(team_id).reset()
    world.keep_course()
    world.faults.clear(team_id)
    world.requests.clear(team_id)


def wipe(world: World, team_id: str | None = None) -> None:
    """Delete all rows of all teams, or of one. Only tables that have any are touched. Runs `unchecked`."""
    tables = team_tables(world)
    if team_id is None:
        if not tables:
            return
        sql = "SELECT " + ", ".join(f'EXISTS (SELECT 1 FROM "{name}")' for name in tables)
        filled = world.db.execute_sql(sql).fetchone()
        for name, has_rows in zip(tables, filled, strict=True):
            if has_rows:
                world.db.execute_sql(f'DELETE FROM "{name}"')
        return
    for name, condition in tables.items():
        world.db.execute_sql(f'DELETE FROM "{name}" WHERE {condition}', (team_id,))


def team_tables(world: World) -> Mapping[str, str]:
    """Return the tables with teams' rows, children before parents, and the SQL condition for one team's rows."""
    return _TEAM_TABLES.of(world)


def _read_team_tables(world: World) -> Mapping[str, str]:
    conditions: dict[str, str] = {}
    names = [name for (name,) in world.db.execute_sql("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in reversed(names):
        columns = {row[1] for row in world.db.execute_sql(f'PRAGMA table_info("{name}")')}
        if "team_id" in columns:
            conditions[name] = OWN_ROWS
            continue
        for _, _, parent, column, *_ in world.db.execute_sql(f'PRAGMA foreign_key_list("{name}")'):
            conditions[name] = f'"{column}" IN (SELECT id FROM "{parent}" WHERE team_id = ?)'
    return conditions


_TEAM_TABLES = WorldLocal(_read_team_tables)


def demand_team(team_id: str | None) -> None:
    """Raises NotFound when `team_id` names no team."""
    if team_id is not None:
        Team.by_id(team_id)
