"""Rows as the lines of a CSV file, RFC 4180. SQLite puts whole lines together: Python never sees most cells.

JSON and long texts are always quoted. What is short hardly ever has to be, and to ask each cell would cost more than
all else: it is written as it is, and a batch of rows is asked at once. A row where it was wrong is made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from peewee import SQL, BooleanField, Case, IntegerField, TextField, Value, fn

from dryline.models.logs import Log
from dryline.models.recordings import shown_address
from dryline.world.record import JsonField

# What people say and write, which has commas and line ends.
_LONG = frozenset({"transcription", "flow_snapshot", "feedback", "response_content"})
# Times have one form, which needs no quotes.
_TIMES = frozenset({"created_at", "updated_at", "start_time", "end_time"})
_BREAKS = b'",\r\n\0'  # the last one ends a text for SQLite's printf, which joins the cells


class CsvLines:
    """How the lines of one log table are read: `columns` are to be selected, and `of` makes lines of what that gives.

    `attributes` are the columns of the file, None for one that the table lacks; `base` is where its reader reaches this
    server.
    """

    def __init__(self, log: type[Log], attributes: Sequence[str | None], base: str) -> None:
        self._log = log
        self._cells = [_Cell(log, attribute, base) for attribute in attributes]
        line = fn.PRINTF(",".join(["%s"] * len(self._cells)), *[cell.written for cell in self._cells])
        doubts: Any = Value("")
        for cell in self._cells:
            if cell.doubt is not None:
                doubts = doubts.concat(fn.IFNULL(cell.doubt, ""))
        self.columns = [line, doubts, SQL("rowid")]

    def of(self, rows: list[tuple[bytes, bytes, int]], db: Any) -> Sequence[bytes]:
        """The lines, without their ends, of rows of `columns`, which are read from `db` as bytes."""
        lines, doubts, numbers = zip(*rows, strict=True)
        if _breaks(b"".join(doubts)):
            lines = tuple(
                self._with_care(db, number) if _breaks(doubt) else line
                for line, doubt, number in zip(lines, doubts, numbers, strict=True)
            )
        if len(self._cells) == 1:  # an empty line would be no row
            return [line or b'""' for line in lines]
        return lines

    def _with_care(self, db: Any, number: int) -> bytes:
        texts = [cell.text for cell in self._cells]
        sql, params = self._log.select(*texts).where(SQL("rowid") == number).sql()
        row: tuple[bytes | None, ...] = db.execute(sql, params).fetchone()
        return b",".join([cell.quoted(text) for cell, text in zip(self._cells, row, strict=True)])


def header(names: Sequence[str]) -> bytes:
    """The first line."""
    return ",".join(names).encode()


class _Cell:
    """One cell in SQL: its `text` or null in the table, what is `written` of it, and where a break is in `doubt`."""

    def __init__(self, log: type[Log], attribute: str | None, base: str) -> None:
        column: Any = Value(None) if attribute is None else log._meta.fields[attribute]
        self.text = self.written = column
        self.doubt: Any = None
        self._always = self._unpacked = False
        if attribute in _LONG:
            self._write_long(column)
        elif isinstance(column, JsonField):
            self._always = True
            # `typeof` does not read what it is asked about.
            self.written = Case(fn.TYPEOF(column), [("null", "")], fn.PRINTF('"%w"', column))
        elif isinstance(column, BooleanField):
            self.text = self.written = Case(None, [(column, "true")], "false")
        elif isinstance(column, IntegerField):
            self.text = column.cast("TEXT")
        elif attribute == "recording_url":
            self.text = self.written = shown_address(column)
            self.doubt = column.concat(base)  # what is shown of an address of ours has no other text in it
        elif isinstance(column, TextField) and attribute not in _TIMES:
            self.doubt = column

    def _write_long(self, column: Any) -> None:
        shown, nul = column, "\0"
        if isinstance(column, JsonField):  # usually the flow's code, a text: shown as it is, not as a JSON string
            shown, nul = Case(None, [(fn.SUBSTR(column, 1, 1) == '"', fn.JSON_EXTRACT(column, "$"))], column), "\\u0000"
            self._unpacked = True
        self._always = True
        # Null stays null however it is joined.
        self.written = fn.IFNULL(Value('"').concat(fn.REPLACE(shown, '"', '""')).concat('"'), "")
        self.doubt = fn.SUBSTR('"', 1, fn.INSTR(column, nul))

    def quoted(self, text: bytes | None) -> bytes:
        """The text from the table as it belongs into the file, whatever it holds."""
        if text is None:
            return b""
        if self._unpacked and text.startswith(b'"'):
            text = orjson.loads(text).encode()
        return b'"' + text.replace(b'"', b'""') + b'"' if self._always or _breaks(text) else text


def _breaks(text: bytes) -> bool:
    return any(sign in text for sign in _BREAKS)
