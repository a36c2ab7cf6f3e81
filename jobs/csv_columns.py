"""Which SQL gives the cells of an export's CSV file. SQLite puts whole lines together: Python never sees most cells.

What becomes of the rows is in csv_lines.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from peewee import SQL, BooleanField, Case, IntegerField, Join, TextField, Value, fn

from dryline.jobs.csv_lines import PLACE, QUOTE, Making
from dryline.models.logs import TIMES, Log
from dryline.models.recording_addresses import Addresses
from dryline.storage.record import JsonField

# What people say and write, which has commas and line ends.
_LONG = frozenset({"transcription", "flow_snapshot", "feedback", "response_content"})
_QUOTE, _PLACE = SQL(f"x'{QUOTE.hex()}'"), SQL(f"x'{PLACE.hex()}'")
_ADDRESS = "recording_url"


class CsvColumns:
    """How the lines of one log table are read: `columns` are to be selected, and csv_lines.py makes lines of them.

    `attributes` are the columns of the file, None for one that the table lacks; `addresses` are what it shows of
    those of recordings.
    """

    def __init__(self, log: type[Log], attributes: Sequence[str | None], addresses: Addresses) -> None:
        self._log = log
        self._cells = [_Cell(log, attribute, addresses.base) for attribute in attributes]
        line = fn.PRINTF(",".join(["%s"] * len(self._cells)), *[cell.written for cell in self._cells])
        doubts: Any = Value("")
        for cell in self._cells:
            if cell.doubt is not None:
                doubts = doubts.concat(fn.IFNULL(cell.doubt, ""))
        self._addresses = addresses if _ADDRESS in attributes else None
        self.columns = [line, doubts, log.id, log._meta.fields[_ADDRESS] if self._addresses else Value(None)]

    def making(self) -> Making:
        """How lines are made of them, to be told to another process."""
        wanted = fn.json_each(SQL("?")).alias("wanted")
        # json_each walks an array in its order, and CROSS JOIN keeps it outside.
        rows = Join(wanted, self._log, "CROSS JOIN", SQL("t1.rowid = wanted.value"))
        return Making(
            rows=self._log.select(*self.columns).from_(rows).sql(),
            texts=self._log.select(*[cell.text for cell in self._cells]).where(self._log.id == SQL("?")).sql(),
            cells=[(cell.always, cell.unpacked) for cell in self._cells],
            addresses=self._addresses.made_of if self._addresses else None,
        )


def header(names: Sequence[str]) -> bytes:
    """The first line."""
    return ",".join(names).encode() + b"\r\n"


class _Cell:
    """One cell in SQL: its `text` or null in the table, what is `written` of it, and where a break is in `doubt`."""

    def __init__(self, log: type[Log], attribute: str | None, base: str) -> None:
        column: Any = Value(None) if attribute is None else log._meta.fields[attribute]
        self.text = self.written = column
        self.doubt: Any = None
        self.always = self.unpacked = False
        if isinstance(column, JsonField) or attribute in _LONG:
            self._write_quoted(column)
        elif isinstance(column, BooleanField):
            self.text = self.written = Case(None, [(column, "true")], "false")
        elif isinstance(column, IntegerField):
            self.text = column.cast("TEXT")
        elif attribute == _ADDRESS:
            self.text = self.written = _PLACE
            self.doubt = column.concat(base)  # what is shown of an address of ours has no other text in it
        elif isinstance(column, TextField) and attribute not in TIMES:
            self.doubt = column

    def _write_quoted(self, column: Any) -> None:
        self.always = True
        shown: Any = column
        nul: str | None = "\0"
        if isinstance(column, JsonField):  # has no NUL but as an escape
            nul = None
            if column.name in _LONG:  # usually the flow's code, a text: shown as it is, not as a JSON string
                unpacked = fn.JSON_EXTRACT(column, "$")
                shown, nul = Case(None, [(fn.SUBSTR(column, 1, 1) == '"', unpacked)], column), "\\u0000"
                self.unpacked = True
        # Null stays null however it is joined.
        self.written = fn.IFNULL(_QUOTE.concat(shown).concat(_QUOTE), "")
        if nul is not None:
            self.doubt = fn.SUBSTR('"', 1, fn.INSTR(column, nul))
