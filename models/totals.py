"""A cache of list totals, so that the next page of a list is not counted again."""

from __future__ import annotations

import threading
from typing import Any

from dryline.storage.record import connection

MAX_REMEMBERED_ROWS = 2000


class _CountCache(threading.local):
    """Results of count queries since the database last changed. Each thread has its own, as it has a connection."""

    state: Any = None
    results: dict[Any, Any]


_cache = _CountCache()


def count(sql: str, values: tuple[Any, ...]) -> int:
    """Return the number that `sql` selects."""
    return _cached(sql, values)[0]


def find(sql: str, values: tuple[Any, ...]) -> tuple[int, str | None]:
    """Return the number and the JSON array of rowids that `sql` selects; None if they are over MAX_REMEMBERED_ROWS."""
    return _cached(sql, values)


def remembered(sql: str, values: tuple[Any, ...]) -> str | None:
    """Return the rowids of an earlier `find`; None if they were too many, or the database has changed since."""
    return _results(connection()).get((sql, values), (0, None))[1]


def _cached(sql: str, values: tuple[Any, ...]) -> Any:
    db = connection()
    results = _results(db)
    if (sql, values) not in results:
        total, *rowids = db.execute(sql, values).fetchone()
        results[sql, values] = total, *[array if total <= MAX_REMEMBERED_ROWS else None for array in rowids]
    return results[sql, values]


def _results(db: Any) -> dict[Any, Any]:
    """Return the cached results by SQL and parameters.

    They are never out of date: `data_version` changes when another connection has written, `total_changes` when this
    one has, and either empties the cache.
    """
    state = (db, db.execute("PRAGMA data_version").fetchone(), db.total_changes)
    if state != _cache.state or len(_cache.results) > 1000:
        _cache.state, _cache.results = state, {}
    return _cache.results
