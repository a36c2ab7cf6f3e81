"""Totals of lists: who pages on need not count again."""

from __future__ import annotations

import threading
from typing import Any

from dryline.storage.record import connection

FEW = 2000  # rows that are remembered beside their total


class _Kept(threading.local):
    """What was counted on this thread's connection since the database last changed."""

    state: Any = None
    counted: dict[Any, Any]


_kept = _Kept()


def count(sql: str, values: tuple[Any, ...]) -> int:
    """The number that `sql` gives."""
    return _once(sql, values)[0]


def find(sql: str, values: tuple[Any, ...]) -> tuple[int, str | None]:
    """The number that `sql` gives, and the JSON array of rows that it gives beside it (None: more than FEW)."""
    return _once(sql, values)


def remembered(sql: str, values: tuple[Any, ...]) -> str | None:
    """The rows that `find` gave; None where they were more than FEW, or are not known (any more)."""
    return _counted(connection()).get((sql, values), (0, None))[1]


def _once(sql: str, values: tuple[Any, ...]) -> Any:
    """The one row of `sql`, whose first column is a total."""
    db = connection()
    counted = _counted(db)
    if (sql, values) not in counted:
        total, *rows = db.execute(sql, values).fetchone()
        counted[sql, values] = total, *[row if total <= FEW else None for row in rows]
    return counted[sql, values]


def _counted(db: Any) -> dict[Any, Any]:
    """What is remembered, by the SQL and its parameters.

    Never out of date: SQLite tells when others have written (`data_version`) and what this connection wrote
    (`total_changes`), and with either of them all that was counted is dropped.
    """
    state = (db, db.execute("PRAGMA data_version").fetchone(), db.total_changes)
    if state != _kept.state or len(_kept.counted) > 1000:
        _kept.state, _kept.counted = state, {}
    return _kept.counted
