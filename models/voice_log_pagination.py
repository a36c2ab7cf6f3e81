"""Queries behind a list of voice logs: the ids of one page, the total, and the neighbours of one log.

The indexes `voice_log_listing` and `voice_log_filters` hold every column that a list filters or sorts by, but for the
transcription. After a cursor a query starts at the cursor's row (keyset pagination), so a page deep in the list costs
what the first one does. peewee writes the SQL of each combination of filters once; a request only binds the values.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from peewee import SQL, fn

from dryline.models.logs import owner_column
from dryline.models.voice_log_filters import conditions, register_text_search
from dryline.models.voice_logs import VoiceLog
from dryline.storage.record import Record, Values, connection

# The value of the sort column, and the id that decides among equal values.
SortKey = tuple[Any, str]
Order = tuple[str, str]  # sort column; "asc" or "desc"

_SEARCH = "search_query"
# Few logs have such an id. SQLite prefers the index of the worker's logs, unless a `+` keeps it from using the column.
_CALL_IDS = frozenset({"external_call_id", "call_sid"})


def find_page(
    owner: Record, filters: Values, order: Order, after: SortKey | None, limit: int, offset: int
) -> tuple[list[SortKey], int]:
    """Return up to `limit` sort keys, those after `after` or else from `offset` on, and the total of the list.

    The list is that of a worker, or of a team with all its workers.
    """
    names, values = (owner_column(owner), *filters), (owner.id, *filters.values())
    if _SEARCH in filters:
        register_text_search()
    keys = _sort_keys(names, values, order, after, limit, offset)
    if not after and len(keys) < limit and (keys or not offset):
        return keys, offset + len(keys)  # the list ends on this page, so there is nothing left to count
    return keys, _count(_total_sql(names), values)


def find_neighbours(log: VoiceLog, filters: Values, owner: Record) -> tuple[str | None, str | None]:
    """Return the ids of the owner's calls that began just before and just after this one, of those that match."""
    names, values = (owner_column(owner), *filters), (owner.id, *filters.values())
    if _SEARCH in filters:
        register_text_search()
    here = (log.start_time, log.id)
    before = _sort_keys(names, values, ("start_time", "desc"), here, 1, 0)
    after = _sort_keys(names, values, ("start_time", "asc"), here, 1, 0)
    return before[0][1] if before else None, after[0][1] if after else None


def _sort_keys(
    names: tuple[str, ...], values: Sequence[Any], order: Order, after: SortKey | None, limit: int, offset: int
) -> list[SortKey]:
    keys: list[SortKey] = []
    for condition, params in _index_ranges(order, after):
        sql = _sort_keys_sql(names, order, condition)
        keys += connection().execute(sql, (*values, *params, limit - len(keys), offset)).fetchall()
        if len(keys) == limit:
            break
    return keys


def _index_ranges(order: Order, after: SortKey | None) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the index ranges that hold the rest of a list, in its order: each an SQL condition and its parameters.

    SQLite sorts NULL below every value: first when ascending, last when descending.
    """
    if after is None:
        return [("1", ())]
    column, direction = order
    value, id = after
    operator = "<" if direction == "desc" else ">"
    ranges: list[tuple[str, tuple[Any, ...]]] = []
    if value is None:
        ranges.append((f"{column} IS NULL AND id {operator} ?", (id,)))
        if direction == "asc":
            ranges.append((f"{column} IS NOT NULL", ()))
    else:
        ranges.append((f"({column}, id) {operator} (?, ?)", (value, id)))
        if direction == "desc":
            ranges.append((f"{column} IS NULL", ()))
    return ranges


@lru_cache(maxsize=1024)  # filters come in any combination
def _sort_keys_sql(names: tuple[str, ...], order: Order, condition: str) -> str:
    """Return SQL for sort keys. Its parameters: those of `_criteria`, those of the condition, limit and offset."""
    column = VoiceLog._meta.fields[order[0]]
    query = VoiceLog.select(column, VoiceLog.id).where(*_criteria(names), SQL(condition))
    keys = [key.desc() if order[1] == "desc" else key.asc() for key in (column, VoiceLog.id)]
    return query.order_by(*keys).limit(0).offset(1).sql()[0]


@lru_cache(maxsize=1024)
def _total_sql(names: tuple[str, ...]) -> str:
    return VoiceLog.select(fn.COUNT(SQL("*"))).where(*_criteria(names)).sql()[0]


def _criteria(names: tuple[str, ...]) -> list[Any]:
    """Return conditions for the owner and its filters. Their values are bound with the SQL."""
    column, *filters = names
    owner_id = VoiceLog._meta.fields[column] if _CALL_IDS.isdisjoint(filters) else SQL(f'+"t1"."{column}"')
    return [owner_id == "", *conditions(dict.fromkeys(filters, ""), VoiceLog)]


def _count(sql: str, values: tuple[Any, ...]) -> int:
    """Return the number that `sql` selects, from a cache if the database has not changed.

    `data_version` changes when another connection has written, `total_changes` when this thread's has.
    """
    db = connection()
    (version,) = db.execute("PRAGMA data_version").fetchone()
    return _count_at(db, version, db.total_changes, sql, values)


@lru_cache(maxsize=1024)
def _count_at(db: sqlite3.Connection, version: int, changes: int, sql: str, values: tuple[Any, ...]) -> int:
    (count,) = db.execute(sql, values).fetchone()
    return count
