"""Due work: the rows whose time has come, asked with one statement that an index answers.

Such a look takes no lock and costs microseconds, so that it may find nothing once a second in every table that has
something that moves.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import orjson

from dryline.storage.current_world import current
from dryline.storage.record import Record, connection
from dryline.world.clock import at_work

AnyRecord = TypeVar("AnyRecord", bound=Record)


def due_rows(model: type[AnyRecord], condition: str, order: str, limit: int = 1, **moments: str) -> list[AnyRecord]:
    """The first `limit` rows that meet `condition`, in `order`: both SQL, whose `:names` are `moments` of API time.

    Only rows of those whose time the clock shows: the team at work where it has its own, else all that have none.
    """
    clock, team_id = current().clock, at_work()
    asked: dict[str, Any] = {**moments, "limit": limit}
    if clock.teams:  # each moment is one team's, or of all that follow the world's
        own = team_id in clock.teams
        asked["whose"] = team_id if own else orjson.dumps(clock.teams).decode()
        whose = "team_id = :whose" if own else "team_id NOT IN (SELECT value FROM json_each(:whose))"
        condition = f"{whose} AND ({condition})"
    found = connection().execute(_due_sql(model, condition, order), asked)
    return [model.from_row(row) for row in found]


@cache
def _due_sql(model: type[Record], condition: str, order: str) -> str:
    columns = ", ".join(f'"{field.column_name}"' for field in model._meta.sorted_fields)
    return f'SELECT {columns} FROM "{model._meta.table_name}" WHERE {condition} ORDER BY {order} LIMIT :limit'
