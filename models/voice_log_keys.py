"""Which voice logs a list has: their ids and the numbers of their rows, by filters, order and place.

They come from the index `voice_log_listing` alone, or from bitmaps where a world is large (voice_log_bitmaps.py).
"""

from __future__ import annotations

import operator
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from peewee import SQL, Tuple, fn

from dryline.models import totals
from dryline.models.log_segments import keys_of
from dryline.models.voice_log_bitmaps import bitmaps_of
from dryline.models.voice_log_filters import FILTERS, conditions, teach_contains
from dryline.models.voice_logs import VoiceLog
from dryline.storage.record import Record, Values, connection

# Filters that need no bitmaps: few calls have the id, which is looked up.
_IDS = frozenset({"external_call_id", "call_sid"})
# No filter of the list's: rows, as a JSON array.
_ROWS = "rows"


class Keys(NamedTuple):
    """The logs of a list, and the numbers of their rows, while a request lasts.

    Two lists, not a tuple for each log: to make those took as long as to find the logs.
    """

    ids: list[str]
    rows: list[int]


def find(
    worker: Record, filters: Values, order: tuple[str, str], after: Any, limit: int, offset: int
) -> tuple[Keys, int]:
    """Keys as `_keys` gives them, and how many logs pass in all."""
    names, values = tuple(filters), (worker.id, *filters.values())
    if "search_query" in filters:
        return _searched(names, values, order, after, limit, offset)
    if not filters.keys().isdisjoint(_IDS):
        keys = _keys(names, values, order, after, limit, offset)
        return keys, _total(len(keys.ids), names, values, after, limit, offset)
    with bitmaps_of(worker.id, FILTERS) as bitmaps:
        if bitmaps is not None and order[0] == "start_time":
            behind = (after[0] or "", after[1]) if after else None
            rows, total = bitmaps.find(
                tuple(filters.items()), falling=order[1] == "desc", after=behind, limit=limit, offset=offset
            )
            return Keys([id for _, id in keys_of(rows)], rows), total
        keys = _keys(names, values, order, after, limit, offset)
        if bitmaps is not None:
            return keys, bitmaps.count(tuple(filters.items()))
    return keys, _total(len(keys.ids), names, values, after, limit, offset)


def _searched(
    names: tuple[str, ...], values: tuple[Any, ...], order: tuple[str, str], after: Any, limit: int, offset: int
) -> tuple[Keys, int]:
    """The same where every transcription is read, and once only.

    The page is taken from the rows that were counted, or they are so many that it is soon found. Counting goes up the
    index, as the rows were written, since a system reads ahead that way only: to look for a page downwards took ten
    times as long where the file was not in memory.
    """
    teach_contains()
    total, rows = totals.find(_hits_sql(names), values)
    if rows is not None:
        names, values = (_ROWS,), (values[0], rows)
    return _keys(names, values, order, after, limit, offset), total


def _total(found: int, names: tuple[str, ...], values: tuple[Any, ...], after: Any, limit: int, offset: int) -> int:
    # A list that ends on this page needs no second look to be counted.
    if not after and found < limit and (found or not offset):
        return offset + found
    return totals.count(_total_sql(names), values)


def beside(log: VoiceLog, **filters: Any) -> tuple[str | None, str | None]:
    """The ids of the calls of its worker that began just before it and just after it, of those that pass `filters`.

    None where there is no such call.
    """
    names, values = tuple(filters), (log.worker_id, *filters.values())
    if "search_query" in filters:
        teach_contains()
        # Not counted for this: the next hit may be near. But where the list has just been, its hits are known.
        if rows := totals.remembered(_hits_sql(names), values):
            names, values = (_ROWS,), (log.worker_id, rows)
    return _next(log, "desc", names, values), _next(log, "asc", names, values)


def _next(log: VoiceLog, direction: str, names: tuple[str, ...], values: tuple[Any, ...]) -> str | None:
    sql = _keys_sql(names, ("start_time", direction), Piece.BEHIND)
    ids, _ = connection().execute(sql, (*values, log.start_time, log.id, 1, 0)).fetchone()
    return next(iter(orjson.loads(ids)), None)


class Piece(Enum):
    """A piece of a sorted list that is one range of its index: which (sort value, id) lie in it."""

    WHOLE = "all of them"
    BEHIND = "those behind a pair, in the list's direction"
    NULLS = "those without a sort value"
    NULLS_BEHIND = "those without a sort value whose id lies behind an id"
    VALUES = "those with a sort value"


# What a page may take its keys from, by the order and whether the row that the cursor names has a sort value: SQLite
# sorts nulls below everything, first when ascending, last when descending. Nothing else is left of the list then.
_LEFT = {
    ("asc", True): (Piece.BEHIND,),
    ("desc", True): (Piece.BEHIND, Piece.NULLS),
    ("asc", False): (Piece.NULLS_BEHIND, Piece.VALUES),
    ("desc", False): (Piece.NULLS_BEHIND,),
}


def _keys(
    filters: tuple[str, ...], values: tuple[Any, ...], order: tuple[str, str], after: Any, limit: int, offset: int
) -> Keys:
    """The keys of up to `limit` logs: those `after` a cursor's (sort value, id), else from `offset` on."""
    keys = Keys([], [])
    params: dict[Piece, tuple[Any, ...]] = {}
    pieces: tuple[Piece, ...] = (Piece.WHOLE,)
    if after:
        value, id = after
        pieces = _LEFT[order[1], value is not None]
        params = {Piece.BEHIND: (value, id), Piece.NULLS_BEHIND: (id,)}
    for piece in pieces:
        sql, left = _keys_sql(filters, order, piece), limit - len(keys.ids)
        found = connection().execute(sql, (*values, *params.get(piece, ()), left, offset)).fetchone()
        ids, rows = map(orjson.loads, found)
        keys.ids.extend(ids)
        keys.rows.extend(rows)
        if len(keys.ids) == limit:
            break
    return keys


@lru_cache(maxsize=1024)  # filters come in any combination
def _keys_sql(filters: tuple[str, ...], order: tuple[str, str], piece: Piece) -> str:
    """SQL for the keys of a piece: ids and rows, as JSON arrays, so that a page is one row (see log_json.py).

    Its parameters: the worker, the filters' values, the piece's, limit and offset.
    """
    value, id, falling = VoiceLog._meta.fields[order[0]], VoiceLog.id, order[1] == "desc"
    behind = operator.lt if falling else operator.gt
    within = {
        Piece.WHOLE: [],
        Piece.BEHIND: [behind(Tuple(value, id), Tuple("", ""))],
        Piece.NULLS: [value.is_null()],
        Piece.NULLS_BEHIND: [value.is_null(), behind(id, "")],
        Piece.VALUES: [value.is_null(False)],
    }[piece]
    query = VoiceLog.select(id, SQL('"t1"."rowid" AS "row"')).where(*_asked(filters), *within)
    query = query.order_by(*[key.desc() if falling else key.asc() for key in (value, id)]).limit(0).offset(1)
    return f"SELECT json_group_array(id), json_group_array(row) FROM ({query.sql()[0]})"


def value_of(member: str, row: int) -> str | None:
    """What a row has of the member that its list is sorted by."""
    column = VoiceLog._meta.fields[member].column_name
    return connection().execute(f"SELECT {column} FROM voice_log WHERE rowid = ?", (row,)).fetchone()[0]


@lru_cache(maxsize=1024)  # filters come in any combination
def _total_sql(filters: tuple[str, ...], *beside: str) -> str:
    """SQL for how many pass, and for what is to stand `beside` their number."""
    return VoiceLog.select(fn.COUNT(SQL("*")), *map(SQL, beside)).where(*_asked(filters)).sql()[0]


def _hits_sql(filters: tuple[str, ...]) -> str:
    """SQL for how many pass, and for their rows, as a JSON array."""
    return _total_sql(filters, 'json_group_array("t1"."rowid")')


def _asked(filters: tuple[str, ...]) -> list[Any]:
    """The worker, and the filters, or the rows alone; the parameters are theirs."""
    # Where ids or rows are given, they are to be looked up: `+` takes away the worker's index, which SQLite prefers.
    mine, plainly = VoiceLog.worker_id == "", SQL('+"t1"."worker_id"') == ""
    if filters == (_ROWS,):
        return [plainly, SQL('"t1"."rowid" IN (SELECT value FROM json_each(?))')]
    return [mine if _IDS.isdisjoint(filters) else plainly, *conditions(dict.fromkeys(filters, ""), VoiceLog)]
