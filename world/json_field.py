"""The column that holds JSON."""

from __future__ import annotations

from typing import Any

import orjson
from peewee import TextField


class JsonField(TextField):
    """JSON kept as its text: decoded for rules, passed on as it is to answers and exports.

    Not peewee's own JSONField, which binds itself to one database and wraps each read in a function call.
    """

    def db_value(self, value: Any) -> str | None:
        """The text, or NULL for None."""
        return None if value is None else orjson.dumps(value).decode()

    def python_value(self, value: str | None) -> Any:
        """The decoded value."""
        return None if value is None else orjson.loads(value)


def differ(one: Any, other: Any) -> bool:
    """Whether two JSON values differ; to Python, true would equal 1."""
    return orjson.dumps(one, option=orjson.OPT_SORT_KEYS) != orjson.dumps(other, option=orjson.OPT_SORT_KEYS)
