"""Totals of lists: who pages on need not count again."""

from __future__ import annotations

import threading
from typing import Any

from dryline.world.record import connection


class _Kept(threading.local):
    """What was counted on this thread's connection since the database last changed."""

    state: Any = None
    counted: dict[Any, int]


_kept = _Kept()


def count(sql: str, values: tuple[Any, ...]) -> int:
    """The number that `sql` gives.

    Never out of date: SQLite tells when others have written (`data_version`) and what this connection wrote
    (`total_changes`), and with either of them all that was counted is dropped.
    """
    db = connection()
    state = (db, db.execute("PRAGMA data_version").fetchone(), db.total_changes)
    if state != _kept.state or len(_kept.counted) > 1000:
        _kept.state, _kept.counted = state, {}
    if (sql, values) not in _kept.counted:
        _kept.counted[sql, values] = db.execute(sql, values).fetchone()[0]
    return _kept.counted[sql, values]
