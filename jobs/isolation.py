"""Work on due rows, of which one that fails does not hold up the others."""

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

    If it fails, it is done on each row alone. Rows that fail alone are logged and set aside: their work is tried again
    in a minute, or when a request moves the clock. `work` has to make its own transactions. Raises what is no row's
    fault, such as Busy or a full disk.
    """
    if not rows or _fault_of(rows, work) is None:
        return bool(rows)
    failures = [(row, fault) for row in rows if (fault := _fault_of([row], work))]
    for row, _ in failures:
        SET_ASIDE.of(world).add(type(row), row.id)
    if failures:
        row, error = failures[0]
        others = f", and that on {len(failures) - 1} more rows" if len(failures) > 1 else ""
        message = "Background work on %s %s failed%s, and is tried again in %d s: %s"
        log.error(message, row.noun().lower(), row.id, others, SET_ASIDE.of(world).RETRY_AFTER_S, error, exc_info=error)
    return True


def _fault_of(rows: Sequence[AnyRow], work: Callable[[Sequence[AnyRow]], object]) -> Exception | None:
    """Do the work. Return the error that a row causes, or None. Raises what is no row's fault."""
    try:
        work(rows)
    except Exception as error:
        if isinstance(error, Busy) or disk_is_full(error) or _is_no_rows_fault(error):
            raise
        return error
    return None


def _is_no_rows_fault(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_ROWS_FAULT:
            return True
        error = error.__cause__ or error.__context__
    return False
