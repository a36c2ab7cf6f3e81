"""The SQLite file, and how it is exchanged for another while threads hold connections to it."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peewee import InterfaceError, PeeweeException, SqliteDatabase

from dryline.settings import BadSetting
from dryline.storage.files import copy_whole, part_of, sync

# What Litestream keeps in each database that it replicates: https://github.com/benbjohnson/litestream, db.go.
_LITESTREAM = ("_litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)", "_litestream_lock (id INTEGER)")

# The first version with RETURNING.
MIN_SQLITE = (3, 35)

log = logging.getLogger("dryline")

PRAGMAS = {
    # Of a new file. A call's row fills most of SQLite's own 4,096: half as many pages to read and write, and less of
    # each left empty, for 10 µs more a creation.
    "page_size": 8192,
    "journal_mode": "wal",
    # What one large write has left of the write-ahead log goes with the next write.
    "journal_size_limit": 16_000_000,
    "foreign_keys": 1,
    "busy_timeout": 30_000,
    "cache_size": -16_000,
    "temp_store": "memory",
}


def demand_sqlite_version() -> None:
    """Raises BadSetting if the running Python has a SQLite that is too old."""
    if sqlite3.sqlite_version_info < MIN_SQLITE:
        needed = ".".join(map(str, MIN_SQLITE))
        raise BadSetting(
            f"dryline needs SQLite {needed} or later, and this Python has {sqlite3.sqlite_version}. "
            "Use a newer Python, such as one from python.org or uv."
        )


class WorldDatabase(SqliteDatabase):
    """One file and a connection to it for each thread.

    After an `exchange` a thread finds its connection to the old file out of date at its next statement and opens the
    new one. A transaction that is open then goes on with the old file, which has lost its name, and sees nothing of it.
    What is `durable` survives a power cut once it was exchanged or copied; other writes may lose the last seconds,
    unless they are `flushed`: each commit waits for the disk then. What is not `durable` never waits for it.
    """

    _state: Any  # peewee's, one for each thread

    def __init__(self, path: Path, *, durable: bool = True, flushed: bool = False) -> None:
        self.path = path
        self.epoch = 0
        self._durable = durable
        self._lock_files = threading.RLock()  # nobody opens what is just being exchanged
        # A thread that ends leaves its connection behind.
        self._connections: dict[sqlite3.Connection, threading.Thread] = {}
        self._closing: list[threading.Thread] = []
        self._closed_for_good = False
        self._nonblocking_thread: int | None = None
        self._begun_early: sqlite3.Connection | None = None
        part_of(_coming(path)).unlink(missing_ok=True)
        _finish_exchange(path, durable)
        level = "full" if flushed else "normal" if durable else "off"
        pragmas = PRAGMAS | {"synchronous": level}
        super().__init__(str(path), pragmas=pragmas, timeout=30, check_same_thread=False)

    def connection(self) -> sqlite3.Connection:
        """The running thread's connection."""
        state = self._state
        if state.closed or getattr(state, "epoch", 0) != self.epoch:
            self._renew()
            return super().connection()
        # Asked for eight times in a page of logs; by two calls more each of them takes 1.0 µs, and not 0.5.
        return state.conn

    def cursor(self, named_cursor: Any = None) -> sqlite3.Cursor:
        """A cursor of the running thread's connection."""
        self._renew()
        return super().cursor()

    @property
    def open_epoch(self) -> int:
        """How many exchanges came before the file that the running thread's connection is open to."""
        return getattr(self._state, "epoch", 0)

    def _connect(self) -> sqlite3.Connection:
        with self._lock_files:
            if self._closed_for_good:
                raise InterfaceError("The world is closed.")
            for connection, thread in list(self._connections.items()):
                if not thread.is_alive():
                    self._close(connection)
            connection = super()._connect()  # type: ignore[misc]  # peewee's types leave it out
            self._connections[connection] = threading.current_thread()
            if threading.get_ident() == self._nonblocking_thread:
                self._disable_waiting(connection)
            return connection

    def _close(self, conn: sqlite3.Connection) -> None:
        with self._lock_files:  # nobody who goes through them comes upon a closed one
            self._connections.pop(conn, None)
        super()._close(conn)  # type: ignore[misc]  # likewise

    def _renew(self) -> None:
        state = self._state
        if getattr(state, "epoch", 0) == self.epoch:
            return
        if not state.closed:
            if state.conn.in_transaction:
                return
            # With the last connection the file goes as well. That takes a while, and nobody has to wait for it.
            closing = threading.Thread(target=self._close, args=(state.conn,), daemon=True)
            with self._lock_files:
                self._closing = [*(thread for thread in self._closing if thread.is_alive()), closing]
                closing.start()
            state.reset()
        state.epoch = self.epoch

    def set_nonblocking(self) -> None:
        """Let the calling thread never wait in SQLite, neither for a checkpoint nor for a lock of another program.

        Another thread has to call `checkpoint`.
        """
        self._nonblocking_thread = threading.get_ident()
        self._disable_waiting(self.connection())  # `_connect` does so for the thread's next connections

    def _disable_waiting(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA busy_timeout = 0")

    def begin_early(self) -> bool:
        """Begin the calling thread's next transaction. Return False if another program has the database locked.

        After other errors the result is True: the next `begin` meets and reports them.
        """
        try:
            connection = self.connection()
            connection.execute("BEGIN IMMEDIATE")
        except (sqlite3.Error, PeeweeException) as error:
            return getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY
        self._begun_early = connection
        return True

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction, or continue the one that `begin_early` has begun for the calling thread."""
        if self._begun_early is not None and self._begun_early is self._state.conn:
            self._begun_early = None
        else:
            super().begin(lock_type)

    def roll_back_early(self) -> None:
        """Roll back the transaction of `begin_early` if no `begin` has continued it."""
        if self._begun_early is not None:
            self._begun_early.rollback()
            self._begun_early = None

    def checkpoint(self) -> None:
        """Move what is in the write-ahead log into the database, beside those that read and write."""
        self.execute_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def copy_to(self, path: Path) -> None:
        """Write a copy to a new file. The caller holds the writers' lock."""
        if 2 * self.pragma("freelist_count") > self.pragma("page_count"):
            # Mostly pages of rows that are gone: a copy without them comes back many times faster.
            self.execute_sql("VACUUM INTO ?", (str(path),))
            with contextlib.closing(sqlite3.connect(path)) as target:
                target.execute("PRAGMA journal_mode = wal")  # here, and not whenever it comes back
        else:
            target = sqlite3.connect(path, isolation_level=None)
            try:
                target.execute("PRAGMA synchronous = OFF")
                self.connection().backup(target)
            finally:
                target.close()
        if self._durable:
            sync(path)

    def exchange(self, path: Path) -> None:
        """Let this database be a copy of the whole one at `path`. The caller holds the writers' lock.

        A copied file takes a fifth of the time that copying through SQLite takes, which would also leave a write-ahead
        log as large as the database. Killed at any instant, either the old or the new database is whole.
        """
        if self.replicated or os.name == "nt":  # open files can neither be replaced nor removed there
            self._copy_in(path)
            return
        copy_whole(path, _coming(self.path), durable=self._durable)  # from here on the next start would finish it
        with self._lock_files:
            _finish_exchange(self.path, self._durable)
            self.epoch += 1

    @property
    def replicated(self) -> bool:
        """Whether Litestream watches the file: it would not see that another one got its name.

        Decision 4: it goes on with pages of the old file and frames of the new one's log.
        """
        return self.table_exists("_litestream_seq")

    def _copy_in(self, path: Path) -> None:
        """Write the pages of another database into this file, as one transaction."""
        mine = self.connection()
        with contextlib.closing(sqlite3.connect(path)) as source:
            for table in _LITESTREAM if self.replicated else ():  # which finds its tables at every moment
                source.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            with self.flushing():
                source.backup(mine)
        self.epoch += 1  # what is remembered of the rows (models/voice_log_bitmaps.py) goes by it

    @contextlib.contextmanager
    def flushing(self) -> Iterator[None]:
        """For a block, outside of a transaction, the running thread's commits wait for the disk, if that is of use."""
        mine = self.connection()
        (before,) = mine.execute("PRAGMA synchronous").fetchone()
        mine.execute(f"PRAGMA synchronous = {'full' if self._durable else before}")
        try:
            yield
        finally:
            mine.execute(f"PRAGMA synchronous = {before}")

    def close_for_good(self) -> None:
        """Close every thread's connection, and open no more.

        A request that outlives the end of its server keeps its connection until its thread ends: it may be in the
        middle of a statement.
        """
        mine = self._state.conn
        with self._lock_files:
            self._closed_for_good = True
            for connection, thread in list(self._connections.items()):
                if connection is mine or not thread.is_alive() or not connection.in_transaction:
                    self._close(connection)
        self._state.reset()
        for closing in self._closing:
            closing.join()


def _coming(path: Path) -> Path:
    return path.with_suffix(".coming")


def _finish_exchange(path: Path, durable: bool) -> None:
    """Put the database that was to come in the place of the old one, whose write-ahead log goes before it."""
    coming = _coming(path)
    if not coming.exists():
        return
    if not is_whole(coming):
        log.warning("%s is no whole database: it is dropped, and the one before stays.", coming)
        coming.unlink()
        return
    # ext4 hurries what is renamed over another file to the disk, which takes three times as long.
    for suffix in ("-wal", "-shm") if durable else ("-wal", "-shm", ""):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    coming.replace(path)  # a power cut brings it back under the name that it has on the disk


def is_whole(path: Path) -> bool:
    """Whether this is a SQLite file with all the pages that its head counts. https://www.sqlite.org/fileformat.html"""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return False
    page_size, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    return head.startswith(b"SQLite format 3\0") and path.stat().st_size >= (
        pages * (65536 if page_size == 1 else page_size)
    )
