"""Work on due rows, one at a time. A row that fails is logged and tried again later, and stops no other."""

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import peewee

from dryline.models.due import RETRY_AFTER_S, SET_ASIDE
from dryline.storage.errors import Busy, database_is_damaged, disk_is_full
from dryline.storage.record import Record
from dryline.world.real_time import monotonic
from dryline.world.world import World

log = logging.getLogger("dryline")

BATCH_SIZE = 50  # rows in one step, so that other steps get their turn


def is_outside_rows(error: BaseException) -> bool:
    """Return whether an error has a cause outside of all rows: a lock, a full or damaged disk, a busy server."""
    of_database = isinstance(error, Busy | sqlite3.OperationalError | peewee.OperationalError)
    return of_database or disk_is_full(error) or database_is_damaged(error)


@contextlib.contextmanager
def retry_row_later(world: World, row: Record) -> Iterator[None]:
    """Log an exception of the block, and leave the row alone for RETRY_AFTER_S. Raises errors of `is_outside_rows`.

    If the row is gone meanwhile, the work ends without a word. So it does with its epoch: raises EpochEnded.
    """
    try:
        yield
    except Exception as error:
        world.epochs.require_current()
        if is_outside_rows(error):
            raise
        if type(row).find(id=row.id) is None:
            return
        SET_ASIDE.of(world)[type(row), row.id] = monotonic() + RETRY_AFTER_S
        message = "Background work on %s %s failed, and is tried again in %d s: %s"
        log.error(message, row.noun().lower(), row.id, RETRY_AFTER_S, error, exc_info=error)


def work_on_each(world: World, due: Callable[[], Sequence[Any]], work: Callable[[Any], object]) -> bool:
    """Do `work` on due rows, each in a transaction of its own. Return whether there were any.

    `due` returns the next row, if there is one.
    """
    for number in range(BATCH_SIZE):
        rows = due()  # without a lock
        if not rows:
            return number > 0
        with retry_row_later(world, rows[0]), world.transaction():
            for row in due():  # a request may have changed it meanwhile
                work(row)
    return True
