"""The bitmaps that a world keeps of its workers' logs (log_segments.py).

They are made when a list first asks for them, brought up to date by row numbers, and dropped when a log is changed or
goes. Those of very many logs a thread makes, and SQLite answers meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING

from dryline.models.log_segments import Bitmaps, Test
from dryline.storage.current_world import current
from dryline.storage.record import connection
from dryline.world.world import World

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

MANY = 20_000  # logs of a world: below that SQLite is as fast
VERY_MANY = 100_000  # likewise: from here on nobody waits for the segments
_WORKERS = 8  # whose bitmaps are kept, those that were asked last
# The parts of an index that are read ahead, so many at once, if one of a million logs takes so long: 3 ms from memory.
_PARTS, _AT_ONCE, _COLD_S = 64, 8, 0.03

_KEPT = "voice log bitmaps"  # where a world remembers them

log = logging.getLogger("dryline")


class _Kept:
    """What a world keeps of its bitmaps, and of which state of the table they are."""

    def __init__(self, world: World, tests: Mapping[str, tuple[str, Test]]) -> None:
        self.lock = threading.Lock()
        self.reader: ThreadPoolExecutor | None = None
        self._world = world
        self._tests = tests
        self._state = (0, 0)
        self.workers: dict[str, Bitmaps] = {}
        self._to_read: set[str] = set()

    def bitmaps(self, worker_id: str, newest: int) -> Bitmaps | None:
        """A worker's bitmaps with the logs up to the row `newest`; None where SQLite is to answer."""
        state = self._reach()
        if state < self._state:  # a transaction that began before the bitmaps were made goes its own way
            return None
        bitmaps = self.workers.get(worker_id) or Bitmaps(worker_id, self._tests)
        if newest - bitmaps.seen > VERY_MANY:
            self._have_read(worker_id)
            return None
        self._keep(worker_id, bitmaps)
        return bitmaps if bitmaps.catch_up(newest) else None

    def _reach(self) -> tuple[int, int]:
        """Drop what is of a state before the running transaction's, which this gives: it rises with each change."""
        changes = connection().execute("SELECT value FROM server WHERE name = 'voice_log_changes'").fetchone()[0]
        state = self._world.db.open_epoch, changes
        if state > self._state:
            self._state, self.workers = state, {}
        return state

    def _keep(self, worker_id: str, bitmaps: Bitmaps) -> None:
        """Keep them as those that were asked last."""
        self.workers.pop(worker_id, None)
        self.workers[worker_id] = bitmaps
        while len(self.workers) > _WORKERS:
            del self.workers[next(iter(self.workers))]

    def _have_read(self, worker_id: str) -> None:
        """Let the thread make a worker's bitmaps."""
        if worker_id in self._to_read or self._world.ending.is_set():
            return
        if self.reader is None:
            from concurrent.futures import ThreadPoolExecutor  # imported late: few worlds are so large

            self.reader = self._world.endings.enter_context(ThreadPoolExecutor(1, "dryline-bitmaps"))
        self._to_read.add(worker_id)
        self.reader.submit(self._read, worker_id)

    def _read(self, worker_id: str) -> None:
        try:
            with self._world.active():
                _read_ahead(self._world, worker_id)
                bitmaps = Bitmaps(worker_id, self._tests)
                with _interrupted(self._world), self._world.reading():
                    bitmaps.catch_up(_newest())
                    with self.lock:
                        if self._reach() == self._state:
                            self._keep(worker_id, bitmaps)
        except Exception:
            if not self._world.ending.is_set():
                log.exception("The logs of %s were not read for bitmaps: SQLite goes on finding them.", worker_id)
        finally:
            with self.lock:
                self._to_read.discard(worker_id)


@contextmanager
def bitmaps_of(worker_id: str, tests: Mapping[str, tuple[str, Test]]) -> Iterator[Bitmaps | None]:
    """A worker's bitmaps, as the running transaction sees its logs.

    None while the world has less than MANY, and while a thread takes in what are VERY_MANY. New logs are told by their
    row numbers, which rise; that others were changed or went is counted by triggers.
    """
    world = current()
    kept: _Kept | None = world.memory.get(_KEPT)
    if kept is None:
        kept = world.memory.setdefault(_KEPT, _Kept(world, tests))
    with nullcontext() if connection().in_transaction else world.reading():
        newest = _newest()
        if newest >= MANY:
            with kept.lock:
                bitmaps = kept.bitmaps(worker_id, newest)
                if bitmaps is not None:
                    yield bitmaps
                    return
        yield None


def _newest() -> int:
    """The highest row number of all logs."""
    return connection().execute("SELECT IFNULL(MAX(rowid), 0) FROM voice_log").fetchone()[0]


def _read_ahead(world: World, worker_id: str) -> None:
    """Have the disk read many places of the worker's index at once where it is not in memory: a third of the time."""
    from concurrent.futures import ThreadPoolExecutor  # imported late: few worlds are so large

    sql = "SELECT start_time FROM voice_log WHERE rowid >= ? AND start_time > '' LIMIT 1"
    some = [connection().execute(sql, (_newest() * part // _PARTS,)).fetchone() for part in range(1, _PARTS)]
    borders = ["", *sorted({row[0] for row in some if row}), "~"]

    def read(between: tuple[str, str]) -> None:
        with world.active(), _interrupted(world):
            sql = "SELECT COUNT(*) FROM voice_log WHERE worker_id = ? AND start_time >= ? AND start_time < ?"
            connection().execute(sql, (worker_id, *between))

    first, *others = pairwise(borders)
    began = time.perf_counter()
    read(first)
    if time.perf_counter() - began > _COLD_S:
        with ThreadPoolExecutor(_AT_ONCE) as readers:
            list(readers.map(read, others))


@contextmanager
def _interrupted(world: World) -> Iterator[None]:
    """A connection of its own for a block in a thread, whose queries fail once the world ends."""
    connection().set_progress_handler(world.ending.is_set, 100_000)
    try:
        yield
    finally:
        world.db.close()
