"""What lists and exports of logs are narrowed by: the filters of the voice logs, as conditions of SQL."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from peewee import SQL, fn

from dryline.models.logs import Log
from dryline.storage.record import Values, connection


def conditions(filters: Values, log: type[Log]) -> list[Any]:
    """What the list's filters ask of a log, a condition each. Contract: listVoiceLogs.

    Borders of time and duration count as inside; a log without the value passes no filter on it, nor does a type of
    log without the member. Whoever runs a query with `search_query` calls `teach_contains` first.
    """
    columns = log._meta.fields
    asked = []
    for name, value in filters.items():
        member, passes = FILTERS[name]
        asked.append(passes(columns[member], value) if member in columns else SQL("0"))
    return asked


# The member that a filter looks at, and how.
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


def teach_contains() -> None:
    """Let this thread's connection compare text without case in every script: SQLite knows only the Latin alphabet."""
    connection().create_function("CONTAINS_FOLDED", 2, _contains_folded, deterministic=True)


def _contains_folded(text: str | None, part: str) -> bool:
    return text is not None and part.casefold() in text.casefold()
