"""Columns that classes inherit, and the one that holds JSON."""

from __future__ import annotations

from typing import Any, Self

import orjson
from peewee import TextField


class Column(TextField):
    """A text. peewee copies a column to its depths for each class that inherits it, though nothing in it changes."""

    def __deepcopy__(self, memo: Any) -> Self:
        """A plain copy: of some 250 that a start makes all but a few are of these; in depth they took 2 % of it."""
        return self.clone()


class JsonField(Column):
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
