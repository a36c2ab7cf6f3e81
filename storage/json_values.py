"""JSON values: columns that hold them, their comparison, and how deeply they may be nested."""

import codecs
import json
import re
from collections.abc import Sequence
from typing import Any

import orjson
from peewee import SQL, Select, TextField, fn

# orjson writes no more levels.
MAX_LEVELS = 254
# Levels that must remain for what goes around a value: around a body the history, a log's metadata and an answer;
# around a row of a state document, which has the first two already, an answer.
LEVELS_AROUND_BODIES = 50
LEVELS_AROUND_ROWS = 25


_LONG_NUMBER = re.compile(rb"[0-9]{19,}")


def loads(text: str | bytes) -> Any:
    """Return the value of JSON text, which may begin with a byte order mark.

    Raises ValueError, also for another encoding, and for an integer that needs more than 64 bits.
    """
    if isinstance(text, bytes):
        text = text.removeprefix(codecs.BOM_UTF8)
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        if isinstance(text, bytes):
            _require_utf8(text)
        raise
    # orjson makes a float of such an integer.
    raw = text if isinstance(text, bytes) else text.encode()
    if any(raw[match.start() - 1 : match.start()] in b" \n\r\t:[,-" for match in _LONG_NUMBER.finditer(raw)):
        try:
            json.loads(raw, parse_int=_require_64_bits)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
    return value


def _require_utf8(text: bytes) -> None:
    """Raise ValueError for JSON in another encoding, such as the UTF-16 of PowerShell's `>`."""
    try:
        text.decode()
        is_utf8 = b"\0" not in text[:2]  # each second byte of an ASCII text in UTF-16
    except UnicodeDecodeError:
        is_utf8 = False
    if not is_utf8:
        raise ValueError("This is not UTF-8. Save the file in that encoding")


def _require_64_bits(digits: str) -> None:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
        raise ValueError(f"the integer {digits[:30]}{'…' if len(digits) > 30 else ''} needs more than 64 bits")


class JsonField(TextField):
    """A column with JSON text. Rules decode it; answers and exports pass it on as it is.

    peewee's own JSONField belongs to one database, and wraps each read in a function call.
    """

    def db_value(self, value: Any) -> str | None:
        """Return the text of a value, or NULL for None."""
        return None if value is None else orjson.dumps(value).decode()

    def python_value(self, value: str | None) -> Any:
        return None if value is None else orjson.loads(value)


def json_list(values: Sequence[str]) -> str:
    """Return a list as one parameter, for `json_each`. SQLite has a maximum of parameters."""
    return orjson.dumps(values).decode()


def json_members(text: str) -> Select:
    """Return a query of the members of a JSON list, for `in_`."""
    return Select([fn.json_each(text)], [SQL("value")])


def differ(value: Any, other: Any) -> bool:
    """Return whether two JSON values differ. In Python, true would equal 1."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) != orjson.dumps(other, option=orjson.OPT_SORT_KEYS)


def is_too_deep(text: str | bytes, value: Any, levels_around: int = LEVELS_AROUND_BODIES) -> bool:
    """Return whether `value`, whose JSON is `text`, is nested too deeply for an answer or document around it."""
    brackets = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if brackets <= MAX_LEVELS - levels_around:
        return False
    for _ in range(levels_around):
        value = [value]
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False
