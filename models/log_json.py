"""Voice logs as they are answered: SQLite puts the JSON of a whole page together, and Python gets it as one text.

For each row that is stepped to, and for each of its cells, `sqlite3` lets go of the interpreter lock and takes it
again, and SQLite its own: with 28 cells a log that was a third of what a page of 100 took, and threads fought for it.

JSON goes into the page as it lies in its column. So do short texts, which hardly ever hold what has to be escaped: one
look tells for the whole page, and where it was wrong SQLite escapes them all. The places of two members are
marked and left to Python: what people say, which orjson escapes faster, and the address of the recording, which has to
be signed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain

import orjson
from peewee import IntegerField

from dryline.models.logs import TIMES, Log
from dryline.world.record import JsonField, connection

_FILLED_IN = frozenset({"transcription", "recording_url"})
# What no text has, since all are UTF-8: the place of a value that is filled in or the end of one, and null.
_MARK, _NULL = b"\xff", b"\xfe"

# The wire's names of what is shown, and their columns.
Members = tuple[tuple[str, str], ...]
# What is shown of the address that is kept of a recording, by the id of its log.
Shown = Callable[[str, str | None], str | None]


def json_array(model: type[Log], ids: Sequence[str], rows: Sequence[int], members: Members, shown: Shown) -> bytes:
    """The logs with these ids, which are these rows of the table, in this order."""
    if not ids:
        return b"[]"
    asked = (orjson.dumps(rows).decode(),)
    text, escaped, *columns = connection().execute(_page_sql(model, members, False), asked).fetchone()
    if b"\\" in escaped:
        text, _, *columns = connection().execute(_page_sql(model, members, True), asked).fetchone()
    if _NULL in text:
        text = text.replace(b'"' + _NULL + b'"', b"null")
    filled = []
    for name, column in zip([name for _, name in members if name in _FILLED_IN], columns, strict=True):
        values = [None if value == _NULL else value.decode() for value in column.split(_MARK)]
        filled.append(map(shown, ids, values) if name == "recording_url" else values)
    return _with_marks_replaced(text, map(orjson.dumps, chain.from_iterable(zip(*filled, strict=True))))


def _with_marks_replaced(text: bytes, values: Iterable[bytes]) -> bytes:
    """The objects of `text` as an array, with the values where its marks are."""
    # Views spare copies, and bytes.split takes twice as long, which looks at every byte.
    view = memoryview(text)
    parts: list[bytes | memoryview] = [b"["]
    at = 0
    for value in values:
        mark = text.index(_MARK, at)
        parts += view[at:mark], value
        at = mark + 1
    return b"".join([*parts, view[at:], b"]"])


@lru_cache(maxsize=256)
def _page_sql(model: type[Log], members: Members, careful: bool) -> str:
    """SQL that gives the objects, the short texts escaped, and each member that is filled in, as one text each.

    Its parameter: the numbers of the rows, as a JSON array. With `careful` the texts in the objects are escaped.
    """
    keys, cells, short, filled = [], [], [], []
    for wire, name in members:
        column, field = f"log.{name}", model._meta.fields[name]
        if name in _FILLED_IN:
            keys.append(f'"{wire}":%s')
            cells.append("x'ff'")
            filled.append(f"CAST(GROUP_CONCAT(IFNULL({column}, x'fe'), x'ff') AS BLOB)")
        elif isinstance(field, JsonField | IntegerField):
            keys.append(f'"{wire}":%s')
            cells.append(f"IFNULL({column}, 'null')")
        else:
            keys.append(f'"{wire}":%s' if careful else f'"{wire}":"%s"')
            cells.append(f"JSON_QUOTE({column})" if careful else f"IFNULL({column}, x'fe')")
            if name not in TIMES:
                short.append(column)
    object = f"PRINTF('{{{','.join(keys)}}}', {', '.join(cells)})"
    # A text of JSON has a backslash exactly where something had to be escaped.
    escaped = f"JSON_ARRAY({', '.join(short)})"
    columns = [f"CAST(GROUP_CONCAT({each}) AS BLOB)" for each in (object, escaped)] + filled
    # json_each walks an array in its order, and CROSS JOIN keeps it outside.
    logs = f"json_each(?) AS wanted CROSS JOIN {model._meta.table_name} AS log ON log.rowid = wanted.value"
    return f"SELECT {', '.join(columns)} FROM {logs}"
