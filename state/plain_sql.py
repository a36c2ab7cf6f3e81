"""The queries of state/ that are plain SQL: about any table, by its name. Everything else asks with `Record` or peewee.

`tests/test_plain_sql.py` reads their plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from dryline.storage.json_values import json_list
from dryline.storage.record import connection, connection_execute

Cells = tuple[Any, ...]  # of one row


# Exports


def rowids_with_columns(table: str, columns: Iterable[str], conditions: Mapping[str, Any]) -> list[Cells]:
    """Return the rowid and these columns of the rows with these column values.

    SQLite would carry the large cells along while it sorts, so the order comes first.
    """
    where = " AND ".join(f'"{name}" IS ?' for name in conditions) or "1"
    sql = f'SELECT rowid, {_quoted(columns)} FROM "{table}" WHERE {where}'
    return connection().execute(sql, tuple(conditions.values())).fetchall()


def rows_by_rowid(table: str, expressions: Iterable[str], rowids: Sequence[int]) -> dict[int, Cells]:
    """Return what these SQL expressions are in these rows, by rowid."""
    sql = f'SELECT rowid, {", ".join(expressions)} FROM "{table}" WHERE rowid IN ({_marks(rowids)})'
    return {row[0]: row[1:] for row in connection().execute(sql, rowids)}


# All rows of a table


def all_rows(table: str) -> list[Cells]:
    """Return the rows of a table as they were inserted."""
    return connection().execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()


def insert_rows(table: str, rows: Iterable[Cells], columns: int) -> None:
    """Insert rows with so many columns."""
    connection().executemany(f'INSERT INTO "{table}" VALUES ({_marks(range(columns))})', rows)


def delete_rows(table: str, conditions: Mapping[str, Any]) -> None:
    """Delete the rows that meet these SQL conditions, each of which has a parameter."""
    where = " AND ".join(conditions) or "1"
    connection_execute(f'DELETE FROM "{table}" WHERE {where}', tuple(conditions.values()))


def filled_tables(tables: Iterable[str]) -> set[str]:
    """Return those of some tables that have rows."""
    names = list(tables)
    checks = ", ".join(f'EXISTS (SELECT 1 FROM "{name}")' for name in names)
    flags = connection_execute(f"SELECT {checks}", ()).fetchone()
    return {name for name, is_filled in zip(names, flags, strict=True) if is_filled}


# Ids of a document


def first_stored_id(table: str, ids: Sequence[str]) -> str | None:
    """Return one of these ids that a row of the table has, or None."""
    sql = f'SELECT id FROM "{table}" WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1'
    row = connection_execute(sql, (json_list(ids),)).fetchone()
    return row[0] if row else None


# The schema of the current world, which is that of all worlds


@cache
def team_tables() -> Mapping[str, str]:
    """Return the tables with teams' rows, and the SQL condition for one team's rows: first that of the children."""
    tables = connection().execute(
        "SELECT sqlite_master.name FROM sqlite_master, pragma_table_info(sqlite_master.name) field"
        " WHERE sqlite_master.type = 'table' AND field.name = 'team_id'"
    )
    children = {"resource_text": "resource_id IN (SELECT id FROM resource WHERE team_id = ?)"}
    return children | {name: "team_id = ?" for (name,) in tables.fetchall()}


@cache
def actions_on_deletion(table: str) -> Mapping[str, str]:
    """Return the action of each foreign key by its column."""
    rows = connection().execute(f'PRAGMA foreign_key_list("{table}")').fetchall()
    return {row[3]: row[6] for row in rows}


@cache
def unique_columns(table: str) -> Sequence[Sequence[str]]:
    """Return the columns of each UNIQUE constraint of a table; a UNIQUE index beside them is none."""
    indexes = connection().execute(f'PRAGMA index_list("{table}")').fetchall()
    constraints = [index for _, index, _, origin, _ in indexes if origin == "u"]
    groups = [connection().execute(f'PRAGMA index_info("{index}")').fetchall() for index in constraints]
    return [[column for _, _, column in columns] for columns in groups]


def _quoted(columns: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
