"""Due rows: a query that an index answers.

It takes no lock and costs microseconds, since it runs once a second for each kind of background work. So it is plain
SQL with a compiled list of columns.
"""

from functools import cache
from typing import Any, TypeVar

import orjson

from dryline.storage.current_world import WorldLocal, current
from dryline.storage.record import Record, connection
from dryline.traffic.real_time import monotonic
from dryline.world.clock import current_team_id

AnyRecord = TypeVar("AnyRecord", bound=Record)


class SetAside:
    """The rows whose work failed. They are not due for a minute, so that they do not hold up the rows behind them."""

    RETRY_AFTER_S = 60.0  # of real time

    def __init__(self) -> None:
        self._until: dict[tuple[type[Any], str], float] = {}

    def add(self, model: type[Any], id: str) -> None:
        self._until[model, id] = monotonic() + self.RETRY_AFTER_S

    def ids(self, model: type[Record]) -> list[str]:
        """Return the ids of a model's rows that are set aside now."""
        if not self._until:
            return []
        now = monotonic()
        for key, until in list(self._until.items()):
            if until <= now:
                self._until.pop(key, None)
        return [id for failed, id in list(self._until) if failed is model]

    def clear(self) -> None:
        """Have all rows tried again at once."""
        self._until.clear()


SET_ASIDE: WorldLocal[SetAside] = WorldLocal(lambda world: SetAside())


def due_rows(model: type[AnyRecord], condition: str, order: str, limit: int = 1, **moments: str) -> list[AnyRecord]:
    """Return the first `limit` rows that meet `condition`, in `order`.

    Both are SQL, whose `:names` are `moments` of API time. The rows are those of the teams to which the running clock
    applies: one team with a clock of its own, or all teams without one. Rows that are set aside are left out.
    """
    clock, team_id = current().clock, current_team_id()
    params: dict[str, Any] = {**moments, "limit": limit}
    if clock.teams:
        has_own_clock = team_id in clock.teams
        params["teams"] = team_id if has_own_clock else orjson.dumps(clock.teams).decode()
        teams = "team_id = :teams" if has_own_clock else "team_id NOT IN (SELECT value FROM json_each(:teams))"
        condition = f"{teams} AND ({condition})"
    if failed := SET_ASIDE.of(current()).ids(model):
        params["failed"] = orjson.dumps(failed).decode()
        condition = f"({condition}) AND id NOT IN (SELECT value FROM json_each(:failed))"
    return [model.from_row(row) for row in connection().execute(_due_sql(model, condition, order), params)]


@cache
def _due_sql(model: type[Record], condition: str, order: str) -> str:
    columns = ", ".join(f'"{field.column_name}"' for field in model._meta.sorted_fields)
    return f'SELECT {columns} FROM "{model._meta.table_name}" WHERE {condition} ORDER BY {order} LIMIT :limit'
