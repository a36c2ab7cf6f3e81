"""Due rows: a query that an index answers. A record's `due` returns the next rows by a moment of API time, in order.

It takes no lock and costs microseconds, since it runs once a second for each kind of background work. So it is plain
SQL: as a query of peewee it takes twenty times as long, and SQLite finds no partial index by a status that is a
parameter. `tests/test_due.py` reads the plans.

After the clock was set back, nothing waits for the old time: a row that was begun later than the moment is due at once.
A time that a client has named stays, such as that of a batch.
"""

from collections.abc import Sequence
from typing import TypeVar

import orjson

from dryline.storage.current_world import WorldLocal, current
from dryline.storage.record import Record, connection
from dryline.storage.statements import select_sql
from dryline.world.real_time import monotonic

AnyRecord = TypeVar("AnyRecord", bound=Record)

RETRY_AFTER_S = 60.0  # of real time

# The rows whose work failed, by class and id, and until when they are left alone, by `real_time.monotonic`. So they
# do not hold up the rows behind them.
SET_ASIDE: WorldLocal[dict[tuple[type[Record], str], float]] = WorldLocal(lambda world: {})


def due_rows(model: type[AnyRecord], where: str, order: str, limit: int = 1, **params: str) -> list[AnyRecord]:
    """Return the first `limit` rows that meet the condition `where`, in `order`. Rows that are set aside are left out.

    Both are SQL about the table `t1`. A `:name` in it is one of `params`: a moment of API time, or a JSON list.
    """
    select = select_sql(model, tuple(model._meta.sorted_field_names), ())
    query = f"""
        {select}
        WHERE ({where})
        AND id NOT IN (SELECT value FROM json_each(:set_aside))
        ORDER BY {order}
        LIMIT :limit
    """
    rows = connection().execute(query, {**params, "set_aside": json_list(_set_aside(model)), "limit": limit})
    return [model.from_row(row) for row in rows]


def json_list(values: Sequence[str]) -> str:
    """Return a list as a parameter of SQL, for `json_each`."""
    return orjson.dumps(values).decode()


def _set_aside(model: type[Record]) -> list[str]:
    """Return the ids of the rows that are left alone for now."""
    now = monotonic()
    failures = list(SET_ASIDE.of(current()).items())
    return [id for (failed_model, id), until in failures if failed_model is model and until > now]
