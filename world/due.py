"""Due work: the rows whose time has come, asked with one statement that an index answers.

Such a look takes no lock and costs microseconds, so that it may find nothing once a second in every table that has
something that moves.
"""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from dryline.world.record import Record, connection

AnyRecord = TypeVar("AnyRecord", bound=Record)


def due_rows(model: type[AnyRecord], condition: str, order: str, limit: int = 1, **moments: str) -> list[AnyRecord]:
    """The first `limit` rows that meet `condition`, in `order`: both SQL, whose `:names` are `moments` of API time."""
    found = connection().execute(_due_sql(model, condition, order), {**moments, "limit": limit})
    return [model.from_row(row) for row in found]


@cache
def _due_sql(model: type[Record], condition: str, order: str) -> str:
    columns = ", ".join(f'"{field.column_name}"' for field in model._meta.sorted_fields)
    return f'SELECT {columns} FROM "{model._meta.table_name}" WHERE {condition} ORDER BY {order} LIMIT :limit'
