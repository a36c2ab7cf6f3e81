"""Voice logs as they are answered: SQLite puts the JSON of a whole page together, and Python gets it as one text.

For each row that is stepped to, and for each of its cells, `sqlite3` lets go of the interpreter lock and takes it
again, and SQLite its own: with 28 cells a log that was a third of what a page of 100 took, and threads fought for it.

JSON goes into the page as it lies in its column. So do short texts, which hardly ever hold what has to be escaped: one
look tells for the whole page, and where it was wrong SQLite escapes them all. The place of two members is marked and
left to Python: what people say, which orjson escapes faster, and the address of the recording, which has to be signed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, repeat

import orjson
from peewee import IntegerField

from dryline.models.logs import TIMES, Log
from dryline.storage.record import JsonField, connection

# They follow each other in a log, so that one mark stands for both: to find a mark takes 0.15 µs.
_FILLED_IN = frozenset({"transcription", "recording_url"})
# What no text has, since all are UTF-8: the place of what is filled in, and null.
_MARK, _NULL = b"\xff", b"\xfe"
# What hardly any transcription has: what stands between two of them, as JSON leaves it, and what for none.
_BETWEEN, _NONE = "\x7f", "\x1e"

# The wire's names of what is shown, and their columns.
Members = tuple[tuple[str, str], ...]
# What is shown of the addresses that are kept of recordings, by the ids of their logs.
Shown = Callable[[Sequence[str], Sequence[str | None]], Iterable[str | None]]


def json_array(model: type[Log], ids: Sequence[str], rows: Sequence[int], members: Members, shown: Shown) -> bytes:
    """The logs with these ids, which are these rows of the table, in this order."""
    if not ids:
        return b"[]"
    asked = (orjson.dumps(rows).decode(),)
    text, said, told, heard, *short = connection().execute(_page_sql(model, members, False), asked).fetchone()
    if b"\\" in orjson.dumps(short):  # exactly where something has to be escaped
        text = connection().execute(_page_sql(model, members, True), asked).fetchone()[0]
    if _NULL in text:
        text = text.replace(b'"' + _NULL + b'"', b"null")
    filled: list[Iterable[bytes]] = []
    for wire, name in members:
        if name in _FILLED_IN:
            if filled:
                filled.append(repeat(f',"{wire}":'.encode()))
            if name == "transcription":
                filled.append(_escaped(said, len(ids), told) or _escaped_one_by_one(model, asked))
            else:
                filled.append(map(orjson.dumps, shown(ids, orjson.loads(heard))))
    return _joined(text, len(ids), filled)


def _escaped(said: str, count: int, told: int) -> list[bytes] | None:
    """Transcriptions as JSON, of which `told` are not null; None where one of them holds what stands between.

    All as one text: for a hundred of 450 letters it takes 29 µs, one by one 44.
    """
    between, none = _BETWEEN.encode(), orjson.dumps(_NONE)
    texts = orjson.dumps(said).replace(between, b'"' + between + b'"').split(between)
    if len(texts) != count or texts.count(none) != count - told:
        return None
    return texts if told == count else [b"null" if text == none else text for text in texts]


def _escaped_one_by_one(model: type[Log], asked: tuple[str]) -> list[bytes]:
    said = connection().execute(f"SELECT JSON_GROUP_ARRAY(log.transcription) {_logs(model)}", asked).fetchone()[0]
    return list(map(orjson.dumps, orjson.loads(said)))


def _joined(text: bytes, count: int, filled: Sequence[Iterable[bytes]]) -> bytes:
    """The `count` objects of `text` as an array, and at the mark of each what is filled in there."""
    if not filled:
        return b"[%b]" % text
    # Views spare copies, and bytes.split takes twice as long, which looks at every byte.
    view, at = memoryview(text), 0
    before = []
    for _ in range(count):
        mark = text.index(_MARK, at)
        before.append(view[at:mark])
        at = mark + 1
    return b"".join([b"[", *chain.from_iterable(zip(before, *filled, strict=False)), view[at:], b"]"])


@lru_cache(maxsize=256)
def _page_sql(model: type[Log], members: Members, careful: bool) -> str:
    """SQL that gives the objects, the transcriptions, how many there are, the addresses of recordings, the short texts.

    Its parameter: the numbers of the rows, as a JSON array. With `careful` the texts in the objects are escaped.
    """
    keys, cells, short, names = [], [], [], [name for _, name in members]
    for wire, name in members:
        column, field = f"log.{name}", model._meta.fields[name]
        if name in _FILLED_IN:
            if "x'ff'" not in cells:
                keys.append(f'"{wire}":%s')
                cells.append("x'ff'")
        elif name == "type":  # the same in each of them
            keys.append(f'"{wire}":"{model.kind}"')
        elif isinstance(field, JsonField | IntegerField):
            keys.append(f'"{wire}":%s')
            cells.append(f"IFNULL({column}, 'null')")
        else:
            keys.append(f'"{wire}":%s' if careful else f'"{wire}":"%s"')
            cells.append(f"JSON_QUOTE({column})" if careful else f"IFNULL({column}, x'fe')")
            if name not in TIMES:
                short.append(column)
    object = f"PRINTF('{{{','.join(keys)}}}', {', '.join(cells)})"
    said = f"GROUP_CONCAT(IFNULL(log.transcription, '{_NONE}'), '{_BETWEEN}'), COUNT(log.transcription)"
    columns = [
        f"CAST(GROUP_CONCAT({object}) AS BLOB)",
        said if "transcription" in names else "NULL, NULL",
        "JSON_GROUP_ARRAY(log.recording_url)" if "recording_url" in names else "NULL",
        *_all_of(short),
    ]
    return f"SELECT {', '.join(columns)} {_logs(model)}"


def _all_of(columns: Sequence[str]) -> list[str]:
    """SQL for everything that is in these columns, in a few texts.

    Every second column stands between the texts of the one before it, so that one call looks at two: 25 µs for what is
    65 by JSON_ARRAY. Nothing stands before the first row's, whose own come last: with MIN, what is outside of an
    aggregate is of the row that has it (https://www.sqlite.org/lang_select.html#bareagg).
    """
    between = columns[1::2]
    together = [f"GROUP_CONCAT(IFNULL({one}, ''), {other})" for one, other in zip(columns[::2], between, strict=False)]
    alone = [f"GROUP_CONCAT({columns[-1]})"] if len(columns) % 2 else []
    return [*together, *alone, "MIN(wanted.key)", *between]


def _logs(model: type[Log]) -> str:
    """The rows whose numbers are the parameter, in its order."""
    # json_each walks an array so, and CROSS JOIN keeps it outside.
    return f"FROM json_each(?) AS wanted CROSS JOIN {model._meta.table_name} AS log ON log.rowid = wanted.value"
