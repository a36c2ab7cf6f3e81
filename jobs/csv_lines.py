"""What SQLite gives of rows (csv_columns.py) as the lines of a CSV file, RFC 4180.

JSON and long texts are always quoted: where, is marked, and their own quotes are doubled for a batch of rows at once.
What is short hardly ever has to be quoted, and to ask each cell would cost more than all else: it is written as it is,
and a batch is asked at once. A row where it was wrong is made again. The addresses of recordings Python puts in, which
alone can sign.

Imports next to nothing, for the processes that write large exports (line_writer.py).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from dryline.models.recording_addresses import Addresses

BATCH = 50  # rows: large enough for speed, small enough for long transcripts and the processor's cache
_BREAKS = b'",\r\n\0'  # the last one ends a text for SQLite's printf, which joins the cells
# What no text has, since all are UTF-8: where a cell's own quotes will stand, and where a recording's address will.
QUOTE, PLACE = b"\xff", b"\xfe"


class Cell(NamedTuple):
    """How a cell is written with care: quoted `always`, and out of its JSON where that is a mere text (`unpacked`)."""

    always: bool
    unpacked: bool


class Making(NamedTuple):
    """How the lines of one log table are made, in plain values that another process can be told.

    Of SQL and its parameters, `rows` gives those whose numbers are a further parameter, a JSON array, in its order: the
    line, what in it is in doubt, the log's id, the address that it keeps of its recording. `texts` gives all cells of
    the row of an id, likewise. `addresses` is what those of recordings are made of; None where the file has none.
    """

    rows: tuple[str, Sequence[Any]]
    texts: tuple[str, Sequence[Any]]
    cells: Sequence[tuple[bool, bool]]
    addresses: tuple[str, str, str] | None


class CsvLines:
    """Lines of one log table; `db` gives texts as bytes."""

    def __init__(self, making: Making, db: sqlite3.Connection) -> None:
        self._making = making
        self._db = db
        self._cells = [Cell(*cell) for cell in making.cells]
        self._addresses = Addresses(*making.addresses) if making.addresses else None

    def numbered(self, numbers: Sequence[int]) -> list[bytes]:
        """The lines of the rows of these numbers, in pieces."""
        sql, params = self._making.rows
        cursor = self._db.execute(sql, (*params, json.dumps(numbers)))
        return [self.of(rows) for rows in iter(lambda: cursor.fetchmany(BATCH), [])]

    def of(self, rows: list[tuple[Any, ...]]) -> bytes:
        """The lines of rows of the columns that csv_columns.py tells."""
        careful = _breaks(b"".join([row[1] for row in rows]))
        lines = []
        for (line, doubts, id, _), address in zip(rows, self._shown(rows), strict=True):
            doubtful = careful and _breaks(doubts)
            if doubtful:
                line = self._with_care(id)
            if self._addresses:
                line = line.replace(PLACE, _quoted(address) if doubtful and _breaks(address) else address)
            lines.append(line)
        if len(self._cells) == 1:  # an empty line would be no row
            lines = [line or QUOTE + QUOTE for line in lines]
        return b"\r\n".join([*lines, b""]).replace(b'"', b'""').replace(QUOTE, b'"')

    def _shown(self, rows: list[tuple[Any, ...]]) -> list[bytes]:
        """Where the recording of each row is heard; empty where nowhere, or where the file does not tell."""
        if not self._addresses:
            return [b""] * len(rows)
        ids, kept = [row[2].decode() for row in rows], [row[3].decode() if row[3] else None for row in rows]
        return [(shown or "").encode() for shown in self._addresses.of_all(ids, kept)]

    def _with_care(self, id: bytes) -> bytes:
        sql, params = self._making.texts
        row = self._db.execute(sql, (*params, id.decode())).fetchone()
        return b",".join([_written(cell, text) for cell, text in zip(self._cells, row, strict=True)])


def _written(cell: Cell, text: bytes | None) -> bytes:
    """The text from the table as it belongs into the file, whatever it holds."""
    if text is None:
        return b""
    if cell.unpacked and text.startswith(b'"'):
        text = json.loads(text).encode()
    return _quoted(text) if cell.always or _breaks(text) else text


def _quoted(text: bytes) -> bytes:
    return QUOTE + text + QUOTE


def _breaks(text: bytes) -> bool:
    return any(sign in text for sign in _BREAKS)
