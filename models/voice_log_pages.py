"""Voice logs as the API returns them: a page of a list, or one log.

A search runs two queries: one for the ids on the page, one for the requested columns of these logs. A cursor holds the
sort key of the last log on its page: a query after it starts at that row (keyset pagination), so a page deep in the
list costs what the first one does. The indexes `voice_log_listing` and `voice_log_filters` hold every column that a
list filters or sorts by, but for the transcription. peewee writes the SQL of each combination of filters once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from itsdangerous import BadData
from peewee import SQL, fn

from dryline.models.logs import Page, offset_of, owner_column
from dryline.models.voice_log_filters import conditions, register_text_search
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.errors import Invalid, NotFound
from dryline.storage.record import Record, Values, connection, wire_rows
from dryline.storage.signatures import token_serializer

if TYPE_CHECKING:
    from dryline.models.recordings import RecordingAddresses

_CURSORS = "voice log cursors"
# The value of the sort column, and the id that decides among equal values.
SortKey = tuple[Any, str]
Order = tuple[str, str]  # sort column; "asc" or "desc"

_SEARCH = "search_query"
# Few logs have such an id. SQLite prefers the index of the worker's logs, unless a `+` keeps it from using the column.
_CALL_IDS = frozenset({"external_call_id", "call_sid"})


def search(
    owner: Record,
    *,
    sort_by: str = "start_time",
    sort_order: str = "desc",
    page: int = 1,
    limit: int = 100,
    cursor: str | None = None,
    fields: frozenset[str] | None = None,
    **filters: Any,
) -> VoiceLogPage:
    """Return a page of the logs of a worker, or of a team, that pass all `filters`. Contract: listVoiceLogs.

    A cursor continues where its page ended, in that page's order; it takes precedence over `page` and the order.
    Raises Invalid for a cursor that this server did not make.
    """
    after: SortKey | None = None
    if cursor is not None:
        sort_by, sort_order, page, *key = _read_cursor(cursor)
        after = key[0], key[1]
    offset = 0 if after else offset_of(page, limit)
    # One more than the page holds: it tells whether there is a next page.
    keys, total = find_page(owner, filters, (sort_by, sort_order), after, limit + 1, offset)
    next_cursor = None
    if len(keys) > limit:
        del keys[limit:]
        next_cursor = token_serializer(_CURSORS).dumps([sort_by, sort_order, page + 1, *keys[-1]])
    return VoiceLogPage(SelectedLogs([id for _, id in keys], fields), total, page, limit, next_cursor)


def read(worker: Record, id: str, fields: frozenset[str] | None = None) -> SelectedLogs:
    """Return the worker's log `id` with only these fields (None: all). Raises NotFound. Contract: getVoiceLog."""
    if not VoiceLog.listing(worker, id=id, worker_id=worker.id).count():
        raise NotFound(f"{VoiceLog.noun()} {id} not found.")
    return SelectedLogs([id], fields, single=True)


def _read_cursor(cursor: str) -> list[Any]:
    """Return sort column, direction, page number, and the sort key of the last log before the page. Raises Invalid."""
    try:
        return token_serializer(_CURSORS).loads(cursor)
    except BadData:
        raise Invalid("Not a cursor of this list. Use the one in the answer for the page before.", "cursor") from None


class VoiceLogPage(Page):
    """A page of voice logs, with the cursor of the next one (None on the last)."""

    def __init__(self, data: SelectedLogs, total: int, page: int, limit: int, next_cursor: str | None) -> None:
        super().__init__(data, total, page, limit)
        self.next_cursor = next_cursor
        self.has_more = self.has_next = next_cursor is not None


class SelectedLogs:
    """Voice logs whose columns are read when they are dumped: `id`, and those of `fields` (None: all).

    `single` means one log instead of a list. With `addresses`, recordings get the addresses that play them; without,
    they keep the addresses of their rows.
    """

    addresses: RecordingAddresses | None = None

    def __init__(self, ids: list[str], fields: frozenset[str] | None, *, single: bool = False) -> None:
        self.ids = ids
        self.fields = fields
        self.single = single

    def project(self, names: Mapping[str, str]) -> Any:
        """Return the wire form; `names` maps wire names to attributes."""
        if not self.ids:
            return []
        if self.fields is not None:
            names = {wire: name for wire, name in names.items() if name in self.fields or name == "id"}
        sql = _rows_sql(tuple(names.values()), len(self.ids))
        rows = {row[-1]: row for row in connection().execute(sql, self.ids)}
        logs = wire_rows(VoiceLog, names, [rows[id] for id in self.ids])
        if self.addresses:
            for wire, name in names.items():
                if name == "recording_url":
                    self.addresses.put_into(logs, wire, self.ids)
        return logs[0] if self.single else logs


@lru_cache(maxsize=256)
def _rows_sql(columns: tuple[str, ...], count: int) -> str:
    """Return SQL for these columns, and then the id, of `count` logs, whose ids are its parameters."""
    query = VoiceLog.select(*[VoiceLog._meta.fields[name] for name in (*columns, "id")])
    return query.where(VoiceLog.id.in_([""] * count)).sql()[0]


# The ids of a page, the total, and the neighbours of one log


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
    return _COUNTS.of(current())(db, version, db.total_changes, sql, values)


def _count_at(db: sqlite3.Connection, version: int, changes: int, sql: str, values: tuple[Any, ...]) -> int:
    (count,) = db.execute(sql, values).fetchone()
    return count


# The cache of `_count_at`. It holds connections, so it ends with their world.
_COUNTS = WorldLocal(lambda world: lru_cache(maxsize=1024)(_count_at))
