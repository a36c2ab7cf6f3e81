"""Logs of voice calls, and the search over them.

A search reads twice: first the keys of the page, from the index `voice_log_listing` alone, then the wanted columns of
those rows. A cursor names the last row's sort value and id, so that a page deep in costs what the first one does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from itsdangerous import BadData
from peewee import SQL, IntegerField, TextField, Tuple, fn

from dryline.models import totals
from dryline.models.log_json import json_array
from dryline.models.log_segments import keys_of
from dryline.models.logs import Log, Page, collection_of, first_of
from dryline.models.voice_log_bitmaps import bitmaps_of
from dryline.world.errors import Invalid, NotFound
from dryline.world.record import JsonField, Record, Values, connection
from dryline.world.signatures import signer

if TYPE_CHECKING:
    from dryline.models.recordings import Addresses

# How a call may have come out: the `status` of one that is over. Assumed beyond `completed`.
OUTCOMES = ("completed", "transferred", "voicemail", "no-answer", "busy", "failed")


class VoiceLog(Log):
    """One call. `duration` is in seconds; `transfer_data` is the whole transfer record or None."""

    kind = "VoiceDeploymentLog"
    session = "bb_engine_session_id"
    call = "call_sid"

    type = TextField(default=kind)
    status = TextField(null=True)
    bb_engine_session_id = TextField(null=True)
    external_call_id = TextField(null=True)
    direction = TextField(null=True)
    from_number = TextField(null=True)
    to_number = TextField(null=True)
    transcription = TextField(null=True)
    recording_url = TextField(null=True)
    data = JsonField(null=True)
    telephony_source = TextField(null=True)
    call_sid = TextField(null=True)
    duration = IntegerField(null=True)
    success_results = JsonField(null=True)
    transfer_data = JsonField(null=True)

    @classmethod
    def read(cls, worker: Record, id: str, fields: frozenset[str] | None = None) -> SelectedLogs:
        """The worker's log `id`, only `fields` of it (None: all). Raises NotFound. Contract: getVoiceLog."""
        looked = connection().execute("SELECT rowid FROM voice_log WHERE id = ? AND worker_id = ?", (id, worker.id))
        row = looked.fetchone()
        if row is None:
            raise NotFound(f"{cls.noun()} {id} not found.")
        return SelectedLogs([id], list(row), fields, single=True)

    @classmethod
    def search(
        cls,
        worker: Record,
        *,
        sort_by: str = "start_time",
        sort_order: str = "desc",
        page: int = 1,
        limit: int = 100,
        cursor: str | None = None,
        fields: frozenset[str] | None = None,
        **filters: Any,
    ) -> VoiceLogPage:
        """A page of the worker's logs that pass all `filters` (see `conditions`). Contract: listVoiceLogs.

        A cursor carries on where its page ended, in that page's order, whatever `page` and the sort say.
        Raises Invalid for a cursor that was never given out.
        """
        if "search_query" in filters:
            teach_contains()
        after = None
        if cursor is not None:
            sort_by, sort_order, page, *after = _read_cursor(cursor)
        offset = 0 if after else first_of(page, limit)
        keys, total = _found(worker, filters, (sort_by, sort_order), after, limit + 1, offset)
        next_cursor = None
        if len(keys.ids) > limit:
            value = _value(sort_by, keys.rows[limit - 1])
            next_cursor = signer(_CURSORS).dumps([sort_by, sort_order, page + 1, value, keys.ids[limit - 1]])
        logs = SelectedLogs(keys.ids[:limit], keys.rows[:limit], fields)
        return VoiceLogPage(logs, total, page, limit, next_cursor)

    def beside(self, **filters: Any) -> tuple[str | None, str | None]:
        """The ids of the calls of its worker that began just before it and just after it, of those that pass `filters`.

        None where there is no such call.
        """
        names, values = tuple(filters), (self.worker_id, *filters.values())
        if "search_query" in filters:
            teach_contains()
            # Not counted for this: the next hit may be near. But where the list has just been, its hits are known.
            if rows := totals.remembered(_hits_sql(names), values):
                names, values = (_ROWS,), (self.worker_id, rows)
        return self._next("desc", names, values), self._next("asc", names, values)

    def _next(self, direction: str, names: tuple[str, ...], values: tuple[Any, ...]) -> str | None:
        sql = _keys_sql(names, ("start_time", direction), Piece.BEHIND)
        ids, _ = connection().execute(sql, (*values, self.start_time, self.id, 1, 0)).fetchone()
        return next(iter(orjson.loads(ids)), None)


class VoiceLogPage(Page):
    """A page of voice logs, with the cursor of the next one (None on the last)."""

    def __init__(self, data: SelectedLogs, total: int, page: int, limit: int, next_cursor: str | None) -> None:
        super().__init__(data, total, page, limit)
        self.next_cursor = next_cursor
        self.has_more = self.has_next = next_cursor is not None


class Keys(NamedTuple):
    """The logs of a list, and the numbers of their rows, while a request lasts.

    Two lists, not a tuple for each log: to make those took as long as to find the logs.
    """

    ids: list[str]
    rows: list[int]


class SelectedLogs:
    """The logs with these ids and rows, in this order, as they are answered: only the columns of `fields` are read.

    `id` always is.

    `single` says that it stands for one log, not for a list. `addresses` say where its recordings are heard; without
    them their addresses are as they are kept.
    """

    addresses: Addresses | None = None

    def __init__(self, ids: list[str], rows: list[int], fields: frozenset[str] | None, *, single: bool = False) -> None:
        self.ids = ids
        self.rows = rows
        self.fields = fields
        self.single = single

    def project(self, names: Mapping[str, str]) -> orjson.Fragment:
        """The wire form, as JSON text; `names` maps the wire's name to the attribute."""
        if self.fields is not None:
            names = {wire: name for wire, name in names.items() if name in self.fields or name == "id"}
        shown = self.addresses.of_all if self.addresses else lambda ids, kept: kept
        logs = json_array(VoiceLog, self.ids, self.rows, tuple(names.items()), shown)
        return orjson.Fragment(logs[1:-1] if self.single else logs)


# Filters


def conditions(filters: Values, log: type[Log] = VoiceLog) -> list[Any]:
    """What the list's filters ask of a log, a condition each. Contract: listVoiceLogs.

    Borders of time and duration count as inside; a log without the value passes no filter on it, nor does a type of
    log without the member. Whoever runs a query with `search_query` calls `teach_contains` first.
    """
    columns = log._meta.fields
    asked = []
    for name, value in filters.items():
        member, passes = FILTERS[name]
        asked.append(passes(columns[member], value) if member in columns else SQL("0"))
    return asked


# The member that a filter looks at, and how.
FILTERS: Mapping[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "deployment_id": ("deployment_id", operator.eq),
    "flow_id": ("flow_id", operator.eq),
    "direction": ("direction", operator.eq),
    "status": ("status", operator.eq),
    "external_call_id": ("external_call_id", operator.eq),
    "call_sid": ("call_sid", operator.eq),
    "from_number": ("from_number", fn.INSTR),
    "to_number": ("to_number", fn.INSTR),
    "search_query": ("transcription", fn.CONTAINS_FOLDED),
    "start_time_after": ("start_time", operator.ge),
    "start_time_before": ("start_time", operator.le),
    "end_time_after": ("end_time", operator.ge),
    "end_time_before": ("end_time", operator.le),
    "start_date": ("start_time", operator.ge),
    "end_date": ("start_time", operator.le),
    "min_duration": ("duration", operator.ge),
    "max_duration": ("duration", operator.le),
}

# Filters that need no bitmaps: few calls have the id, which is looked up.
_IDS = frozenset({"external_call_id", "call_sid"})
# No filter of the list's: rows, as a JSON array.
_ROWS = "rows"


def teach_contains() -> None:
    """Let this thread's connection compare text without case in every script: SQLite knows only the Latin alphabet."""
    connection().create_function("CONTAINS_FOLDED", 2, _contains_folded, deterministic=True)


def _contains_folded(text: str | None, part: str) -> bool:
    return text is not None and part.casefold() in text.casefold()


# Keys of a page


def _found(
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
    total, rows = totals.find(_hits_sql(names), values)
    if rows is not None:
        names, values = (_ROWS,), (values[0], rows)
    return _keys(names, values, order, after, limit, offset), total


def _total(found: int, names: tuple[str, ...], values: tuple[Any, ...], after: Any, limit: int, offset: int) -> int:
    # A list that ends on this page needs no second look to be counted.
    if not after and found < limit and (found or not offset):
        return offset + found
    return totals.count(_total_sql(names), values)


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


def _value(member: str, row: int) -> str | None:
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
    return [mine if _IDS.isdisjoint(filters) else plainly, *conditions(dict.fromkeys(filters, ""))]


# Cursors

_CURSORS = "voice log cursors"


def _read_cursor(cursor: str) -> tuple[str, str, int, Any, str]:
    """Sort, direction, number of the page, and the last sort value and id before it. Raises Invalid."""
    try:
        return signer(_CURSORS).loads(cursor)
    except BadData:
        raise Invalid("Not a cursor that a page gave.", "cursor") from None


STATE = {"voiceLogs": collection_of(VoiceLog)}
