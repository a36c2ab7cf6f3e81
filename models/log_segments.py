"""Which logs of a large worker pass a filter, a bit each: totals and pages of any mixture without looking at the logs.

The worker's logs, sorted by start and id, are cut into segments. For each, a filter becomes a bitmap when it is first
asked for, and stays one until the segment changes: a mixture is the `&` of bitmaps, its total the count of their bits.
Row i of n is bit n - 1 - i. SQLite, which has to step through an index, takes a hundred times as long. Which of them a
world keeps: voice_log_bitmaps.py.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

import orjson
from peewee import SQL, Case, Select, fn

from dryline.storage.current_world import current
from dryline.storage.record import connection

SIZE = 4096  # logs in a segment, up to twice as many once some were added
_KEPT = 64  # bitmaps of a segment
_BLOCK = 256  # what bytes.translate takes
_MANY_BLOCKS = 16
_ONLY = [bytes([48 + (number == block) for number in range(_BLOCK)]) for block in range(_MANY_BLOCKS)]

_KEY = "IFNULL(start_time, ''), id"
# The columns of codes, of which bitmaps are made.
_TEXTS = ("deployment_id", "flow_id", "direction", "status", "from_number", "to_number")
_CODED = (*_TEXTS, "duration")
_SOME = "FROM voice_log INDEXED BY voice_log_listing WHERE worker_id = ? AND {range}"
_IN_ORDER = "ORDER BY start_time, id"
# Logs that follow each other, in one row, in the order of the index: a row for each would take twice as long, and so
# would a subquery with the order. What stands between two texts, and what for none:
_BETWEEN, _NONE = "\x1f", "\x1e"
_PACKED = f"""
    SELECT COUNT(*), COUNT(end_time), MIN(end_time), MAX(end_time), GROUP_CONCAT(rowid),
    GROUP_CONCAT(IFNULL(duration, 'null')),
    {", ".join([f"COUNT({name}), GROUP_CONCAT(IFNULL({name}, '{_NONE}'), '{_BETWEEN}')" for name in _TEXTS])}
    {_SOME}"""


Key = tuple[str, str]  # the start, empty for none, which is where SQLite sorts it, and the id
# A range of a worker's logs in the index: its SQL, and the parameters of that.
Range = tuple[str, tuple[str, ...]]
# How a member passes a filter, in SQL: given the member and the value.
Test = Callable[[Any, Any], Any]
Filters = Sequence[tuple[str, Any]]


class Codes:
    """The values that a column holds, numbered, and which of them pass a filter."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self._passing: dict[tuple[str, Any], tuple[int, bytes]] = {}  # and how many values it was made for

    def of(self, column: Sequence[Any]) -> list[int]:
        """A column's values as numbers."""
        for value in set(column).difference(self.numbers):
            self.numbers[value] = len(self.numbers)
        return list(map(self.numbers.__getitem__, column))

    def passing(self, name: str, test: Test, value: Any) -> bytes:
        """A `1` or `0` for each number, and as many more as make it blocks of 256, which bytes.translate demands."""
        known, passing = self._passing.get((name, value), (0, b""))
        if known < len(self.numbers):
            held = fn.json_each(orjson.dumps(list(self.numbers)).decode())
            # As one text: json_each walks an array in its order, and rows would take longer than the test itself.
            passes = fn.GROUP_CONCAT(Case(None, [(test(SQL("value"), value), "1")], "0"), "")
            passing = _run(Select([held], [passes])).fetchone()[0].encode()
            passing = passing.ljust(-(-len(passing) // _BLOCK) * _BLOCK, passing[-1:])
            if len(self._passing) >= _KEPT:
                self._passing.clear()
            self._passing[name, value] = len(self.numbers), passing
        return passing


class Segment:
    """Logs of one worker that follow each other, as a row of `_PACKED`. All have a start, or none has one."""

    def __init__(
        self, worker_id: str, packed: Sequence[Any], codes: Mapping[str, Codes], plain: Callable[[str], list[Any]]
    ) -> None:
        count, ended, first_end, last_end, rowids, durations, *texts = packed
        self._worker_id = worker_id
        self.rowids = array("q", orjson.loads(f"[{rowids}]"))
        self.first = key_of(self.rowids[0])
        self.last = key_of(self.rowids[-1])
        self.all = (1 << count) - 1
        self._ends = (first_end, last_end) if ended == count else ()
        columns = {"duration": orjson.loads(f"[{durations}]")}
        for name, known, text in zip(_TEXTS, texts[::2], texts[1::2], strict=True):
            columns[name] = _unpacked(text, count, known) or plain(name)
        self._columns = {name: _bitmap_of(codes[name].of(column)) for name, column in columns.items()}
        self._bitmaps: dict[tuple[str, Any], int] = {}

    def passing(self, name: str, value: Any, member: str, test: Test, codes: Mapping[str, Codes]) -> int:
        """The bitmap of a filter."""
        bitmap = self._bitmaps.get((name, value))
        if bitmap is None:
            if member in _CODED:
                bitmap = self._columns[member](codes[member].passing(name, test, value))
            else:
                bitmap = self._by_border(member, test, value)
            if len(self._bitmaps) >= _KEPT:
                self._bitmaps.clear()
            self._bitmaps[name, value] = bitmap
        return bitmap

    def _by_border(self, member: str, test: Test, border: str) -> int:
        """Most segments lie on one side of a border of time. In the others SQLite asks each log."""
        span = self._ends if member == "end_time" else (self.first[0], self.last[0])
        if span and span[0] and test(span[0], border) == test(span[1], border):
            return self.all if test(span[0], border) else 0
        among = "start_time BETWEEN ? AND ?" if self.first[0] else "(start_time BETWEEN ? AND ? OR start_time IS NULL)"
        sql, params = (
            Select([SQL("voice_log")], [SQL("rowid")]).where(test(SQL(member), border)).bind(current().db).sql()
        )
        sql = f"{sql} AND worker_id = ? AND {among}"
        passed = {row[0] for row in connection().execute(sql, (*params, self._worker_id, self.first[0], self.last[0]))}
        return int(b"".join([b"1" if rowid in passed else b"0" for rowid in self.rowids]), 2)

    def place(self, key: Key) -> int:
        """How many of its logs come before the key."""
        return bisect_left(range(len(self.rowids)), key, key=lambda row: key_of(self.rowids[row]))


class Bitmaps:
    """The bitmaps of one worker's logs. `tests` say what each filter looks at, and how."""

    def __init__(self, worker_id: str, tests: Mapping[str, tuple[str, Test]]) -> None:
        self._worker_id = worker_id
        self._tests = tests
        self._codes = {name: Codes() for name in _CODED}
        self._segments: list[Segment] = []
        self.seen = 0

    def catch_up(self, newest: int) -> bool:
        """Take in the logs up to the row `newest` of the table. False when later ones have been taken in."""
        if not self._segments:
            self._segments = list(self._cut(("", ""), None, SIZE))
        elif newest > self.seen:
            sql = f"SELECT {_KEY} FROM voice_log WHERE rowid > ? AND +worker_id = ?"
            self._renew(connection().execute(sql, (self.seen, self._worker_id)).fetchall())
        self.seen = max(newest, self.seen)
        return self.seen == newest

    def _cut(self, begin: Key, end: Key | None, size: int) -> Iterator[Segment]:
        """Segments of at most `size` logs, of those from one key to before another."""
        for with_start in (False, True):
            at: Key | None = begin
            while at is not None:
                within, params = _range(at, end, with_start)
                behind = f"SELECT {_KEY} {_SOME.format(range=within)} {_IN_ORDER} LIMIT 1 OFFSET ?"
                behind_it = connection().execute(behind, (self._worker_id, *params, size)).fetchone()
                segment = self._segment(_range(at, behind_it or end, with_start))
                if segment is not None:
                    yield segment
                at = behind_it

    def _segment(self, range: Range) -> Segment | None:
        within = _SOME.format(range=range[0])
        asked = (self._worker_id, *range[1])
        packed = connection().execute(_PACKED.format(range=range[0]), asked).fetchone()

        def plain(name: str) -> list[Any]:
            return [value for (value,) in connection().execute(f"SELECT {name} {within} {_IN_ORDER}", asked)]

        return Segment(self._worker_id, packed, self._codes, plain) if packed[0] else None

    def _renew(self, added: list[Key]) -> None:
        """Make those segments anew into which the added logs fall."""
        firsts = [segment.first for segment in self._segments]
        touched = Counter([max(0, bisect_right(firsts, key) - 1) for key in added])
        for at in sorted(touched, reverse=True):
            begin = firsts[at] if at else ("", "")
            end = firsts[at + 1] if at + 1 < len(firsts) else None
            whole = len(self._segments[at].rowids) + touched[at] <= 2 * SIZE
            self._segments[at : at + 1] = self._cut(begin, end, 2 * SIZE if whole else SIZE)

    def count(self, filters: Filters) -> int:
        """How many pass."""
        return sum(self._passing(segment, filters).bit_count() for segment in self._segments)

    def find(
        self, filters: Filters, *, falling: bool, after: Key | None, limit: int, offset: int
    ) -> tuple[list[int], int]:
        """The rows, at most `limit`, behind the key `after` or from `offset` on; and how many pass in all."""
        found = [self._passing(segment, filters) for segment in self._segments]
        total = sum(map(int.bit_count, found))
        if after is not None and found:  # what a cursor names may be gone, with all others
            found = self._behind(after, found, falling)
        return list(islice(self._rows(found, falling, offset), limit)), total

    def _passing(self, segment: Segment, filters: Filters) -> int:
        bitmap = segment.all
        for name, value in filters:
            if bitmap:
                bitmap &= segment.passing(name, value, *self._tests[name], self._codes)
        return bitmap

    def _behind(self, key: Key, found: list[int], falling: bool) -> list[int]:
        """Only what lies behind the key, in the list's direction."""
        at = max(0, bisect_right([segment.first for segment in self._segments], key) - 1)
        segment = self._segments[at]
        before = segment.place(key)
        count = len(segment.rowids)
        if falling:  # the rows 0 to before - 1, which are the high bits
            part = found[at] >> (count - before) << (count - before)
            return [*found[:at], part, *[0] * (len(found) - at - 1)]
        if before < count and key_of(segment.rowids[before]) == key:
            before += 1
        return [*[0] * at, found[at] & ((1 << (count - before)) - 1), *found[at + 1 :]]

    def _rows(self, found: list[int], falling: bool, offset: int) -> Iterator[int]:
        pairs = list(zip(self._segments, found, strict=True))
        for segment, bitmap in reversed(pairs) if falling else pairs:
            if offset >= bitmap.bit_count():
                offset -= bitmap.bit_count()
                continue
            last = len(segment.rowids) - 1
            while bitmap:
                bit = (bitmap & -bitmap).bit_length() - 1 if falling else bitmap.bit_length() - 1
                bitmap ^= 1 << bit
                if offset:
                    offset -= 1
                else:
                    yield segment.rowids[last - bit]


def key_of(rowid: int) -> Key:
    """The place of a log among the worker's."""
    return connection().execute(f"SELECT {_KEY} FROM voice_log WHERE rowid = ?", (rowid,)).fetchone()


def keys_of(rowids: Sequence[int]) -> list[Key]:
    """The places of many, asked at once: one by one a page of 100 took a fifth of its time for them."""
    sql = f"SELECT rowid, {_KEY} FROM voice_log WHERE rowid IN (SELECT value FROM json_each(?))"
    keys = {row: (start, id) for row, start, id in connection().execute(sql, (orjson.dumps(rowids).decode(),))}
    return [keys[row] for row in rowids]


def _range(begin: Key, end: Key | None, with_start: bool) -> Range:
    """The logs from one key to before another, those with a start or those without."""
    if with_start:
        from_begin = "(start_time, id) >= (?, ?)", begin
        return from_begin if end is None else (f"{from_begin[0]} AND (start_time, id) < (?, ?)", (*begin, *end))
    if begin[0]:
        return "0", ()
    from_id = "start_time IS NULL AND id >= ?", begin[1:]
    return from_id if end is None or end[0] else (f"{from_id[0]} AND id < ?", (begin[1], end[1]))


def _unpacked(text: str, count: int, known: int) -> list[str | None] | None:
    """The texts that are packed in one, `known` of them none; None where one of them holds what stands between."""
    values: list[Any] = text.split(_BETWEEN)
    if len(values) != count or values.count(_NONE) != count - known:
        return None
    return values if known == count else [None if value == _NONE else value for value in values]


def _bitmap_of(codes: list[int]) -> Callable[[bytes], int]:
    """What makes a bitmap of what passes (`Codes.passing`): the faster way for as many codes as there are."""
    if max(codes) >= _MANY_BLOCKS * _BLOCK:
        pick = itemgetter(*codes, 0)  # two at least, or it gives no tuple
        return lambda passing: int(bytes(pick(passing)[:-1]), 2)
    pairs = struct.pack(f"<{len(codes)}H", *codes)
    low, high = pairs[::2], pairs[1::2]
    within = {block: int(high.translate(_ONLY[block]), 2) for block in set(high)}

    def bitmap(passing: bytes) -> int:
        found = 0
        for block, rows in within.items():
            part = passing[block * _BLOCK : (block + 1) * _BLOCK]
            if b"0" not in part:
                found |= rows
            elif b"1" in part:
                found |= rows & int(low.translate(part), 2)
        return found

    return bitmap


def _run(query: Any) -> Any:
    return connection().execute(*query.bind(current().db).sql())
