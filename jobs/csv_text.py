"""CSV text of log rows (RFC 4180), made column by column from batches of rows.

One look at a whole column of a batch shows that none of its cells needs quotes, which is true of most columns. The
module csv looks at each cell, and takes two to four times as long for a file.
"""

from collections.abc import Sequence
from typing import Any

import orjson
from peewee import BooleanField, Case, TextField, Value, fn

from dryline.models.logs import Log
from dryline.models.recordings import RecordingAddresses
from dryline.storage.record import JsonField

# JSON columns and these, which hold sentences and code, are always quoted.
_LONG_TEXTS = frozenset({"transcription", "flow_snapshot", "feedback", "response_content"})


def csv_header(names: Sequence[str]) -> bytes:
    """Return the first line of a file."""
    return ",".join(names).encode() + b"\r\n"


def csv_lines(columns: Sequence[Sequence[bytes]]) -> bytes:
    """Return the lines of a batch, given as columns of formatted cells."""
    if len(columns) == 1:  # an empty line would not count as a row
        columns = [[cell or b'""' for cell in columns[0]]]
    return b"\r\n".join(map(b",".join, zip(*columns, strict=True))) + b"\r\n"


class CsvColumn:
    """A column of the file: `cell` is the SQL expression that reads it, `format` turns its cells into CSV text.

    `attribute` is None for a column that this kind of log does not have.
    """

    def __init__(self, log: type[Log], attribute: str | None, addresses: RecordingAddresses) -> None:
        field: Any = log._meta.fields[attribute] if attribute else Value("")
        self._addresses = addresses if attribute == "recording_url" else None
        self._is_code = attribute == "flow_snapshot"
        self._always_quoted = isinstance(field, JsonField) or attribute in _LONG_TEXTS
        self.cell = field
        if isinstance(field, BooleanField):
            self.cell = Case(None, [(field, "true")], "false")
        elif attribute and not self._always_quoted and not self._addresses:
            text = field if isinstance(field, TextField) else field.cast("TEXT")
            self.cell = fn.IFNULL(text, "") if field.null else text

    def format(self, cells: Sequence[Any], ids: Sequence[bytes]) -> Sequence[bytes]:
        """Return the cells, bytes or None, as the file shows them. `ids` are the ids of their logs."""
        if self._addresses:
            stored = [cell and cell.decode() for cell in cells]
            addresses = map(self._addresses.of, [id.decode() for id in ids], stored)
            cells = [(address or "").encode() for address in addresses]
        if self._is_code:  # usually a JSON string, written as the text in it
            cells = [orjson.loads(cell).encode() if cell and cell[:1] == b'"' else cell for cell in cells]
        if self._always_quoted:  # null is an empty cell, an empty text is ""
            return [b"" if cell is None else _quoted(cell) for cell in cells]
        if not _needs_quotes(b"".join(cells)):
            return cells
        return [_quoted(cell) if _needs_quotes(cell) else cell for cell in cells]


def _needs_quotes(text: bytes) -> bool:
    return b'"' in text or b"," in text or b"\n" in text or b"\r" in text or b"\0" in text


def _quoted(cell: bytes) -> bytes:
    return b'"%b"' % cell.replace(b'"', b'""')
