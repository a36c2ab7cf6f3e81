"""Work on due rows, of which one that fails does not hold up the others."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from dryline.models.due import SET_ASIDE
from dryline.storage.errors import Busy, disk_is_full
from dryline.world.world import World

log = logging.getLogger("dryline")


class Row(Protocol):
    """A record."""

    id: str

    @classmethod
    def noun(cls) -> str:
        """Return the name of such a record in messages."""


AnyRow = TypeVar("AnyRow", bound=Row)

# Primary result codes of SQLite that say nothing about the rows of a statement.
_NO_ROWS_FAULT = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_CANTOPEN,
)


def work_on(world: World, rows: Sequence[AnyRow], work: Callable[[Sequence[AnyRow]], object]) -> bool:
    """Do `work` on these rows, and return whether there are any.

    If it fails, each half of the rows is tried alone, and so on, down to the rows that are at fault. These are
    logged and set aside: their work is tried again in a minute, or when a request moves the clock. `work` has to make
    its own transactions. Raises what is no row's fault, such as Busy or a full disk.
    """
    failures: list[tuple[AnyRow, Exception]] = []
    _work_on_halves(rows, work, failures)
    if failures:
        for row, _ in failures:
            SET_ASIDE.of(world).add(type(row), row.id)
        row, error = failures[0]
        others = f", and that on {len(failures) - 1} more rows" if len(failures) > 1 else ""
        message = "Background work on %s %s failed%s: %s It is tried again in %d s."
        log.error(message, row.noun().lower(), row.id, others, error, SET_ASIDE.of(world).RETRY_AFTER_S, exc_info=error)
    return bool(rows)


def _work_on_halves(
    rows: Sequence[AnyRow],
    work: Callable[[Sequence[AnyRow]], object],
    failures: list[tuple[AnyRow, Exception]],
) -> None:
    """Do `work` on the rows, or after a failure on each half of them; collect the rows that fail alone."""
    if not rows:
        return
    try:
        work(rows)
    except Exception as error:
        if isinstance(error, Busy) or disk_is_full(error) or _is_no_rows_fault(error):
            raise
        if len(rows) == 1:
            failures.append((rows[0], error))
            return
        middle = len(rows) // 2
        _work_on_halves(rows[:middle], work, failures)
        _work_on_halves(rows[middle:], work, failures)


def _is_no_rows_fault(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_ROWS_FAULT:
            return True
        error = error.__cause__ or error.__context__
    return False
