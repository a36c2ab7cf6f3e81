"""The filters of voice logs as SQL conditions, for lists and exports."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from peewee import SQL, fn

from dryline.models.logs import Log
from dryline.storage.record import Values, connection

# Each filter's column, and the function that makes a condition of column and value.
FILTERS: Mapping[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "deployment_id": ("deployment_id", operator.eq),
    "flow_id": ("flow_id", operator.eq),
    "direction": ("direction", operator.eq),
    "status": ("status", operator.eq),
    "external_call_id": ("external_call_id", operator.eq),
    "call_sid": ("call_sid", operator.eq),
    "from_number": ("from_number", fn.INSTR),
    "to_number": ("to_number", fn.INSTR),
    "search_query": ("transcription", fn.CONTAINS_FOLDED),
    "start_time_after": ("start_time", operator.ge),
    "start_time_before": ("start_time", operator.le),
    "end_time_after": ("end_time", operator.ge),
    "end_time_before": ("end_time", operator.le),
    "start_date": ("start_time", operator.ge),
    "end_date": ("start_time", operator.le),
    "min_duration": ("duration", operator.ge),
    "max_duration": ("duration", operator.le),
}


def conditions(filters: Values, log: type[Log]) -> list[Any]:
    """Return a condition for each filter. Contract: listVoiceLogs.

    Bounds of times and durations are inclusive. A log without the value passes no filter on it, and a channel without
    the column has no log that passes. A query with `search_query` needs `register_text_search` first.
    """
    columns = log._meta.fields
    result = []
    for name, value in filters.items():
        column, condition = FILTERS[name]
        result.append(condition(columns[column], value) if column in columns else SQL("0"))
    return result


def register_text_search() -> None:
    """Define CONTAINS_FOLDED on this thread's connection: SQLite itself ignores case in ASCII letters only."""
    connection().create_function("CONTAINS_FOLDED", 2, _contains_folded, deterministic=True)


def _contains_folded(text: str | None, part: str) -> bool:
    return text is not None and part.casefold() in text.casefold()
