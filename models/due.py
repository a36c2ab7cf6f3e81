"""Due rows: a query that an index answers. A record's `due` returns the next rows by a moment of API time, in order.

It takes no lock and costs microseconds, since it runs once a second for each kind of background work.

After the clock was set back, nothing waits for the old time: a row that was begun later than the moment is due at once.
A time that a client has named stays, such as that of a batch.
"""

from typing import TypeVar

from dryline.models import plain_sql
from dryline.models.plain_sql import json_list
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.record import Record
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
    return plain_sql.due(model, where, order, {**params, "set_aside": json_list(_set_aside(model)), "limit": limit})


def _set_aside(model: type[Record]) -> list[str]:
    """Return the ids of the rows that are left alone for now."""
    now = monotonic()
    failures = list(SET_ASIDE.of(current()).items())
    return [id for (failed_model, id), until in failures if failed_model is model and until > now]
