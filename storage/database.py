"""The SQLite database: connections of many threads to one file, which can be replaced while they are open."""

import contextlib
import logging
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

from peewee import InterfaceError, SqliteDatabase

from dryline.settings import BadSetting
from dryline.storage.files import copy_whole, part_of, sync

# The tables that Litestream adds to a database: https://github.com/benbjohnson/litestream, db.go.
_LITESTREAM = ("_litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)", "_litestream_lock (id INTEGER)")

# The first version with RETURNING.
MIN_SQLITE = (3, 35)

log = logging.getLogger("dryline")

PRAGMAS = {
    # Of a new file. The row of a call fills most of the usual 4,096 bytes, which would leave much of each page empty.
    "page_size": 8192,
    "journal_mode": "wal",
    # After a large write, the next one cuts the write-ahead log back to this.
    "journal_size_limit": 16_000_000,
    "foreign_keys": 1,
    "busy_timeout": 30_000,
    # Of each thread's connection, in KB. A larger one makes no list faster: the system caches the file. With 1,000, 16
    # connections that read pages of calls took 50 MB more.
    "cache_size": -200,
    "temp_store": "memory",
}


def require_sqlite_version() -> None:
    """Raise BadSetting if the running Python has a SQLite that is too old."""
    if sqlite3.sqlite_version_info < MIN_SQLITE:
        needed = ".".join(map(str, MIN_SQLITE))
        raise BadSetting(
            f"dryline needs SQLite {needed} or later, and this Python has {sqlite3.sqlite_version}. "
            "Use a newer Python, such as one from python.org or uv."
        )


class WorldDatabase(SqliteDatabase):
    """A SQLite file with a connection for each thread.

    After `replace_with`, each thread opens the new file at its next statement outside of a transaction. A transaction
    that is open goes on with the old file, which has no name any more.

    Replacements and copies of a `durable` database survive a power cut; the commits of the last seconds may not, unless
    the database is `flushed`: then each commit waits for the disk. A database that is not `durable` never waits.
    """

    _state: Any  # peewee's, for the running thread

    def __init__(self, path: Path, *, durable: bool = True, flushed: bool = False) -> None:
        self.path = path
        self._generation = 0  # of the file: counts replacements. Each thread's `_state` has that of its connection
        self._durable = durable
        self._files_lock = threading.RLock()  # no connection is opened while the file is replaced
        self._connections: dict[sqlite3.Connection, threading.Thread] = {}
        self._is_closed_for_good = False
        self._nonblocking_thread: int | None = None
        part_of(_incoming(path)).unlink(missing_ok=True)
        _finish_replacement(path, durable)
        level = "full" if flushed else "normal" if durable else "off"
        pragmas = PRAGMAS | {"synchronous": level}
        super().__init__(str(path), pragmas=pragmas, timeout=30, check_same_thread=False)

    def connection(self) -> sqlite3.Connection:
        """Return the running thread's connection."""
        state = self._state
        if state.closed or getattr(state, "generation", 0) != self._generation:
            self._leave_old_file()
            return super().connection()
        return state.conn  # two calls less: a page of logs needs the connection eight times

    def cursor(self, named_cursor: Any = None) -> sqlite3.Cursor:
        """Return a cursor of the running thread's connection."""
        self._leave_old_file()
        return super().cursor()

    def _connect(self) -> sqlite3.Connection:
        with self._files_lock:
            if self._is_closed_for_good:
                raise InterfaceError("The world is closed.")
            # A thread that ends leaves its connection open.
            for connection, thread in list(self._connections.items()):
                if not thread.is_alive():
                    self._close(connection)
            connection = super()._connect()  # type: ignore[misc]  # peewee's types leave it out
            self._connections[connection] = threading.current_thread()
            if self.is_nonblocking:
                self._disable_waiting(connection)
            return connection

    def _close(self, conn: sqlite3.Connection) -> None:
        with self._files_lock:  # so that a loop over the connections never meets a closed one
            self._connections.pop(conn, None)
        super()._close(conn)  # type: ignore[misc]  # peewee's types leave it out

    def _leave_old_file(self) -> None:
        """Close the running thread's connection if it is to a file that was replaced."""
        state = self._state
        if getattr(state, "generation", 0) == self._generation:
            return
        if not state.closed:
            if state.conn.in_transaction:
                return
            self._close(state.conn)
            state.reset()
        state.generation = self._generation

    def set_nonblocking(self) -> None:
        """Let the calling thread never wait in SQLite for a lock."""
        self._nonblocking_thread = threading.get_ident()
        self._disable_waiting(self.connection())  # `_connect` does so for the thread's next connections

    @property
    def is_nonblocking(self) -> bool:
        """Whether the calling thread never waits for a lock."""
        return threading.get_ident() == self._nonblocking_thread

    def _disable_waiting(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA busy_timeout = 0")

    def copy_to(self, path: Path) -> None:
        """Write a copy to a new file. The caller has the write lock."""
        if 2 * self.pragma("freelist_count") > self.pragma("page_count"):
            # Most pages are unused. A copy without them is restored many times faster.
            self.execute_sql("VACUUM INTO ?", (str(path),))
            with contextlib.closing(sqlite3.connect(path)) as target:
                target.execute("PRAGMA journal_mode = wal")  # VACUUM does not copy the mode
        else:
            target = sqlite3.connect(path, isolation_level=None)
            try:
                target.execute("PRAGMA synchronous = OFF")
                self.connection().backup(target)
            finally:
                target.close()
        if self._durable:
            sync(path)

    def replace_with(self, path: Path) -> None:
        """Replace this database by a copy of another one. The caller has the write lock.

        If the process is killed at any moment, either the old or the new database is whole. Copying the file takes a
        fifth of the time of SQLite's own copying, which would also leave a write-ahead log as large as the database.
        """
        if self.is_replicated or os.name == "nt":  # Windows can neither replace nor delete open files
            self._copy_pages_from(path)
            return
        copy_whole(path, _incoming(self.path), durable=self._durable)  # the next start finishes from here
        with self._files_lock:
            _finish_replacement(self.path, self._durable)
            self._generation += 1

    @property
    def is_replicated(self) -> bool:
        """Whether Litestream replicates the file. It would not notice that another file has the name (decision 4)."""
        return self.table_exists("_litestream_seq")

    def _copy_pages_from(self, path: Path) -> None:
        """Write the pages of another database into this file, in one transaction."""
        connection = self.connection()
        (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
        with contextlib.closing(sqlite3.connect(path)) as source:
            for table in _LITESTREAM if self.is_replicated else ():  # Litestream expects its tables at any time
                source.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            connection.execute(f"PRAGMA synchronous = {'full' if self._durable else synchronous}")
            try:
                source.backup(connection)
            finally:
                connection.execute(f"PRAGMA synchronous = {synchronous}")
        self._generation += 1

    def close_for_good(self) -> None:
        """Close the connections of all threads, and open no more.

        A request that is still in a transaction when the server ends keeps its connection until its thread ends.
        """
        own = self._state.conn
        with self._files_lock:
            self._is_closed_for_good = True
            for connection, thread in list(self._connections.items()):
                if connection is own or not thread.is_alive() or not connection.in_transaction:
                    self._close(connection)
        self._state.reset()


def _incoming(path: Path) -> Path:
    """Return the path of a database that is about to replace the one at `path`."""
    return path.with_suffix(".coming")


def _finish_replacement(path: Path, durable: bool) -> None:
    """Rename the incoming database, if there is one, and delete the old one's write-ahead log before that."""
    incoming = _incoming(path)
    if not incoming.exists():
        return
    if not is_whole(incoming):
        log.warning("%s is not a whole database. It was deleted, and the database stays as it was.", incoming)
        incoming.unlink()
        return
    # ext4 flushes a file that is renamed over another one, which takes three times as long.
    for suffix in ("-wal", "-shm") if durable else ("-wal", "-shm", ""):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    incoming.replace(path)  # after a power cut the incoming file may be back, and the next start renames it again


def is_whole(path: Path) -> bool:
    """Return whether a file is a SQLite database with as many pages as its header says.

    https://www.sqlite.org/fileformat.html
    """
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return False
    page_size, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    size = pages * (65536 if page_size == 1 else page_size)
    return header.startswith(b"SQLite format 3\0") and path.stat().st_size >= size
