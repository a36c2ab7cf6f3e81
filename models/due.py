"""Due rows: a query that an index answers. A record's `due` returns the next rows by a moment of API time, in order.

It takes no lock and costs microseconds, since it runs once a second for each kind of background work.
`tests/test_due.py` reads the plans of the queries.

After the clock was set back, nothing waits for the old time: a row that was begun later than the moment is due at once.
A time that a client has named stays, such as that of a batch.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from dryline.storage.current_world import WorldLocal, current
from dryline.storage.json_values import json_list, json_members
from dryline.storage.record import Record, connection
from dryline.world.real_time import monotonic

RETRY_AFTER_S = 60.0  # of real time

# The rows whose work failed, by class and id, and until when they are left alone, by `real_time.monotonic`. So they
# do not hold up the rows behind them.
SET_ASIDE: WorldLocal[dict[tuple[type[Record], str], float]] = WorldLocal(lambda world: {})


class Parameter(str):
    """The name of a parameter, which stands in a query where its value will be."""

    __slots__ = ()


def due_rows(query: Callable[..., Any], limit: int, **values: str) -> list[Any]:
    """Return the first rows of a query, without those that are set aside.

    `query` is a class method of a record. It is called once, with parameters that have the names of `values`, and
    returns a query of peewee's, which needs 0.4 ms to write its SQL.
    """
    model, sql, params = _compile_query(query, tuple(values))
    values = {**values, "set_aside": json_list(_ids_set_aside(model))}
    cells = [values[param] if isinstance(param, Parameter) else param for param in params]
    return [model.from_row(row) for row in connection().execute(sql, (*cells, limit))]


@cache
def _compile_query(query: Callable[..., Any], names: tuple[str, ...]) -> tuple[type[Record], str, list[Any]]:
    """Return the model of a query, its SQL, and its parameters but for the last, which is the limit."""
    select = query(**{name: Parameter(name) for name in names})
    model = select.model
    is_set_aside = model.id.in_(json_members(Parameter("set_aside")))
    sql, params = select.where(~is_set_aside).limit(0).sql()
    return model, sql, params[:-1]


def _ids_set_aside(model: type[Record]) -> list[str]:
    """Return the ids of the rows that are left alone for now."""
    now = monotonic()
    failures = list(SET_ASIDE.of(current()).items())
    return [id for (failed_model, id), until in failures if failed_model is model and until > now]
