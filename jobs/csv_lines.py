"""Rows as the lines of a CSV file, RFC 4180. SQLite puts whole lines together: Python never sees most cells.

JSON and long texts are always quoted: where, is marked, and their own quotes are doubled for a batch of rows at once.
What is short hardly ever has to be quoted, and to ask each cell would cost more than all else: it is written as it is,
and a batch is asked at once. A row where it was wrong is made again. The addresses of recordings Python puts in, which
alone can sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from peewee import SQL, BooleanField, Case, IntegerField, TextField, Value, fn

from dryline.models.logs import TIMES, Log
from dryline.models.recordings import Addresses
from dryline.world.record import JsonField

# What people say and write, which has commas and line ends.
_LONG = frozenset({"transcription", "flow_snapshot", "feedback", "response_content"})
_BREAKS = b'",\r\n\0'  # the last one ends a text for SQLite's printf, which joins the cells
# What no text has, since all are UTF-8: where a cell's own quotes will stand, and where a recording's address will.
_QUOTE, _QUOTE_SQL = b"\xff", SQL("x'ff'")
_PLACE, _PLACE_SQL = b"\xfe", SQL("x'fe'")
_ADDRESS = "recording_url"


class CsvLines:
    """How the lines of one log table are read: `columns` are to be selected, and `of` makes lines of what that gives.

    `attributes` are the columns of the file, None for one that the table lacks; `addresses` are what it shows of
    those of recordings.
    """

    def __init__(self, log: type[Log], attributes: Sequence[str | None], addresses: Addresses) -> None:
        self._log = log
        self._addresses = addresses
        self._cells = [_Cell(log, attribute, addresses.base) for attribute in attributes]
        line = fn.PRINTF(",".join(["%s"] * len(self._cells)), *[cell.written for cell in self._cells])
        doubts: Any = Value("")
        for cell in self._cells:
            if cell.doubt is not None:
                doubts = doubts.concat(fn.IFNULL(cell.doubt, ""))
        self._heard = _ADDRESS in attributes
        self.columns = [line, doubts, log.id, log._meta.fields[_ADDRESS] if self._heard else Value(None)]

    def of(self, rows: list[tuple[Any, ...]], db: Any) -> bytes:
        """The lines of rows of `columns`, which are read from `db` as bytes."""
        careful = _breaks(b"".join([row[1] for row in rows]))
        lines = []
        for (line, doubts, id, _), address in zip(rows, self._shown(rows), strict=True):
            doubtful = careful and _breaks(doubts)
            if doubtful:
                line = self._with_care(db, id)
            if self._heard:
                line = line.replace(_PLACE, _quoted(address) if doubtful and _breaks(address) else address)
            lines.append(line)
        if len(self._cells) == 1:  # an empty line would be no row
            lines = [line or _QUOTE + _QUOTE for line in lines]
        return b"\r\n".join([*lines, b""]).replace(b'"', b'""').replace(_QUOTE, b'"')

    def _shown(self, rows: list[tuple[Any, ...]]) -> list[bytes]:
        """Where the recording of each row is heard; empty where nowhere, or where the file does not tell."""
        if not self._heard:
            return [b""] * len(rows)
        ids, kept = [row[2].decode() for row in rows], [row[3].decode() if row[3] else None for row in rows]
        return [(shown or "").encode() for shown in self._addresses.of_all(ids, kept)]

    def _with_care(self, db: Any, id: bytes) -> bytes:
        texts = [cell.text for cell in self._cells]
        sql, params = self._log.select(*texts).where(self._log.id == id.decode()).sql()
        row: tuple[bytes | None, ...] = db.execute(sql, params).fetchone()
        return b",".join([cell.quoted(text) for cell, text in zip(self._cells, row, strict=True)])


def header(names: Sequence[str]) -> bytes:
    """The first line."""
    return ",".join(names).encode() + b"\r\n"


class _Cell:
    """One cell in SQL: its `text` or null in the table, what is `written` of it, and where a break is in `doubt`."""

    def __init__(self, log: type[Log], attribute: str | None, base: str) -> None:
        column: Any = Value(None) if attribute is None else log._meta.fields[attribute]
        self.text = self.written = column
        self.doubt: Any = None
        self._always = self._unpacked = False
        if isinstance(column, JsonField) or attribute in _LONG:
            self._write_quoted(column)
        elif isinstance(column, BooleanField):
            self.text = self.written = Case(None, [(column, "true")], "false")
        elif isinstance(column, IntegerField):
            self.text = column.cast("TEXT")
        elif attribute == _ADDRESS:
            self.text = self.written = _PLACE_SQL
            self.doubt = column.concat(base)  # what is shown of an address of ours has no other text in it
        elif isinstance(column, TextField) and attribute not in TIMES:
            self.doubt = column

    def _write_quoted(self, column: Any) -> None:
        self._always = True
        shown: Any = column
        nul: str | None = "\0"
        if isinstance(column, JsonField):  # has no NUL but as an escape
            nul = None
            if column.name in _LONG:  # usually the flow's code, a text: shown as it is, not as a JSON string
                unpacked = fn.JSON_EXTRACT(column, "$")
                shown, nul = Case(None, [(fn.SUBSTR(column, 1, 1) == '"', unpacked)], column), "\\u0000"
                self._unpacked = True
        # Null stays null however it is joined.
        self.written = fn.IFNULL(_QUOTE_SQL.concat(shown).concat(_QUOTE_SQL), "")
        if nul is not None:
            self.doubt = fn.SUBSTR('"', 1, fn.INSTR(column, nul))

    def quoted(self, text: bytes | None) -> bytes:
        """The text from the table as it belongs into the file, whatever it holds."""
        if text is None:
            return b""
        if self._unpacked and text.startswith(b'"'):
            text = orjson.loads(text).encode()
        return _quoted(text) if self._always or _breaks(text) else text


def _quoted(text: bytes) -> bytes:
    return _QUOTE + text + _QUOTE


def _breaks(text: bytes) -> bool:
    return any(sign in text for sign in _BREAKS)
