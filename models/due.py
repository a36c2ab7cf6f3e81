"""Due rows: a query that an index answers. A record's `due` returns the next rows by a moment of API time, in order.

It takes no lock and costs microseconds, since it runs once a second for each kind of background work. So it is plain
SQL with a compiled list of columns.

After the clock was set back, nothing waits for the old time: a row that was begun later than the moment is due at once.
A time that a client has named stays, such as that of a batch.
"""

from typing import Any, TypeVar

import orjson

from dryline.storage.current_world import WorldLocal, current
from dryline.storage.record import Record, connection
from dryline.storage.statements import select_sql
from dryline.world.real_time import monotonic

AnyRecord = TypeVar("AnyRecord", bound=Record)

RETRY_AFTER_S = 60.0  # of real time

# The rows whose work failed, by class and id, and until when they are left alone, by `real_time.monotonic`. So they
# do not hold up the rows behind them.
SET_ASIDE: WorldLocal[dict[tuple[type[Any], str], float]] = WorldLocal(lambda world: {})


def due_rows(model: type[AnyRecord], condition: str, order: str, limit: int = 1, **moments: str) -> list[AnyRecord]:
    """Return the first `limit` rows that meet `condition`, in `order`.

    Both are SQL about the table `t1`, whose `:names` are `moments` of API time. Rows that are set aside are left out.
    """
    params: dict[str, Any] = {**moments, "limit": limit}
    now = monotonic()
    failures = list(SET_ASIDE.of(current()).items())
    if failed := [id for (failed_model, id), until in failures if failed_model is model and until > now]:
        params["failed"] = orjson.dumps(failed).decode()
        condition = f"({condition}) AND id NOT IN (SELECT value FROM json_each(:failed))"
    select = select_sql(model, tuple(model._meta.sorted_field_names), ())
    rows = connection().execute(f"{select} WHERE {condition} ORDER BY {order} LIMIT :limit", params)
    return [model.from_row(row) for row in rows]
