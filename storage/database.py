"""The SQLite database: connections of many threads to one file."""

import contextlib
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from peewee import InterfaceError, OperationalError, SqliteDatabase

from dryline.settings import BadSetting
from dryline.storage.errors import Unavailable, database_is_locked

# The first version with RETURNING.
MIN_SQLITE = (3, 35)
# How long a write waits for another program that has the database locked.
LOCKED_TIMEOUT_S = 5.0
# After that, for so long other writes do not wait: those that queue up would wait one after the other.
LOCKED_FOR_S = 1.0
LOCKED = "Another program has the database locked. Nothing has changed; try again later."

# The ends of the names of the files that SQLite keeps beside the database for as long as a connection is open: the
# write-ahead log, and the index of it that the connections share.
_ENDINGS_BESIDE = ("-wal", "-shm")

PRAGMAS = {
    # Of a new file. The row of a call fills most of the usual 4,096 bytes, which would leave much of each page empty.
    "page_size": 8192,
    "journal_mode": "wal",
    # After a large write, the next one cuts the write-ahead log back to this.
    "journal_size_limit": 16_000_000,
    "foreign_keys": 1,
    "busy_timeout": int(1000 * LOCKED_TIMEOUT_S),
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
    """A SQLite file with a connection for each thread that is using it.

    `release` ends the use: then other threads take the connection over. A commit is kept if the process is killed at
    once. After a power cut the commits of the last seconds may be missing. A `temporary` database never waits for the
    disk.
    """

    _state: Any  # peewee's, for the running thread

    def __init__(self, path: Path, *, temporary: bool = False) -> None:
        self.path = path
        self._synchronous = "off" if temporary else "normal"
        self._connections_lock = threading.RLock()
        self._connections: set[sqlite3.Connection] = set()
        self._released: list[sqlite3.Connection] = []
        self._is_closed_for_good = False
        self._nonblocking_thread: int | None = None
        self._file: tuple[int, int] | None = None  # device and number of the file, once it was opened
        self._files_beside: dict[str, tuple[int, int]] = {}  # the same of those beside it, by path
        self._folder = str(path.parent)
        self._folder_seen: tuple[int, int, int] | None = None  # as it was when the files were last looked at
        self._locked_until = 0.0  # by `_monotonic`
        pragmas = PRAGMAS | {"synchronous": self._synchronous}
        # Of the 128 prepared statements that Python caches otherwise, each connection had up to 0.8 MB.
        super().__init__(
            str(path), pragmas=pragmas, timeout=LOCKED_TIMEOUT_S, check_same_thread=False, cached_statements=32
        )

    def connection(self) -> sqlite3.Connection:
        """Return the running thread's connection."""
        state = self._state
        # `state.conn` saves two calls: a page of logs needs the connection eight times.
        return super().connection() if state.closed else state.conn

    def _connect(self) -> sqlite3.Connection:
        with self._connections_lock:
            if self._is_closed_for_good:
                raise InterfaceError("The world is closed.")
            if self._released:
                connection = self._released.pop()  # the one used last: its cache is of use
            else:
                self.require_file()  # SQLite would make a new one
                connection = super()._connect()  # type: ignore[misc]  # peewee's types leave it out
                self._connections.add(connection)
                self._file = self._file or _identity(self.database)
                if not self._files_beside:
                    connection.execute("SELECT 1 FROM sqlite_master").fetchall()  # SQLite opens them at the first read
                    paths = [self.database + ending for ending in _ENDINGS_BESIDE]
                    self._files_beside = {path: _identity(path) for path in paths}
            if self.is_nonblocking:
                connection.execute("PRAGMA busy_timeout = 0")
            return connection

    def _close(self, conn: sqlite3.Connection) -> None:
        with self._connections_lock:  # so that a loop over the connections never meets a closed one
            self._connections.discard(conn)
            if not self._connections:
                self._files_beside = {}  # SQLite removes them
        super()._close(conn)  # type: ignore[misc]  # peewee's types leave it out

    def require_file(self) -> None:
        """Raise Unavailable if the file, or one beside it, was removed, moved or replaced since it was opened.

        SQLite would go on in the file without a name, and what it writes there is lost. New connections would make new
        files beside it, and those that have different ones damage the database.
        """
        if self._file is None:
            return
        # A removed or replaced file changes its folder, so most requests look at nothing else.
        folder = _version_of_folder(self._folder)
        if folder is not None and folder == self._folder_seen:
            return
        for path, identity in ((self.database, self._file), *self._files_beside.items()):
            try:
                is_same = _identity(path) == identity
            except OSError:
                missing = f"file {path}" if self.path.parent.is_dir() else f"data directory {self.path.parent}"
                raise Unavailable(f"The {missing} is gone: restart dryline.") from None
            if not is_same:
                raise Unavailable(f"The file {path} was replaced by another file: restart dryline.")
        self._folder_seen = folder

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction. Raises Unavailable if another program has the database locked, or the file is gone."""
        self.require_file()
        is_locked = not self.is_nonblocking and _monotonic() < self._locked_until
        if is_locked:
            self.connection().execute("PRAGMA busy_timeout = 0")
        try:
            super().begin(lock_type)
        except OperationalError as error:
            if self.is_nonblocking or not database_is_locked(error):
                raise
            self._locked_until = _monotonic() + LOCKED_FOR_S
            raise Unavailable(LOCKED) from error
        finally:
            if is_locked:
                self.connection().execute(f"PRAGMA busy_timeout = {PRAGMAS['busy_timeout']}")
        self._locked_until = 0.0

    def release(self) -> None:
        """Let other threads use the calling thread's connection, unless it is in a transaction.

        The thread that never waits keeps its own.
        """
        connection = self._state.conn
        if not self.is_nonblocking:
            with self._connections_lock:
                if connection in self._connections and not connection.in_transaction:
                    self._released.append(connection)
                    self._state.reset()

    def set_nonblocking(self) -> None:
        """Let the calling thread never wait in SQLite for a lock."""
        self._nonblocking_thread = threading.get_ident()
        self.connection().execute("PRAGMA busy_timeout = 0")  # `_connect` does so for the thread's next connections

    @property
    def is_nonblocking(self) -> bool:
        """Whether the calling thread never waits for a lock."""
        return threading.get_ident() == self._nonblocking_thread

    def copy_to(self, path: Path) -> None:
        """Write a copy to a new file. The caller has the write lock."""
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as target:
            target.execute("PRAGMA synchronous = OFF")
            self.connection().backup(target)

    def restore_from(self, path: Path) -> None:
        """Replace the content by that of another database with the same page size, in one transaction.

        The caller has the write lock. Raises Unavailable if another program has the database locked, or the file is
        gone.
        """

        def raise_if_locked(code: int, remaining: int, total: int) -> None:
            # Python's `backup` would try again for ever.
            if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise Unavailable(LOCKED)

        self.require_file()
        # A connection of its own: the target of a backup must have no transaction and no open statement.
        file = sqlite3.connect(self.path, timeout=LOCKED_TIMEOUT_S, isolation_level=None)
        with contextlib.closing(file) as target, contextlib.closing(sqlite3.connect(path)) as source:
            target.execute(f"PRAGMA synchronous = {self._synchronous}")
            source.backup(target, progress=raise_if_locked)
            with contextlib.suppress(sqlite3.Error):  # the content is safe in the write-ahead log
                target.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close_for_good(self) -> None:
        """Close the connections of all threads, and open no more.

        A request that is still in a transaction when the server ends keeps its connection.
        """
        of_this_thread = self._state.conn
        with self._connections_lock:
            self._is_closed_for_good = True
            for connection in list(self._connections):
                if connection is of_this_thread or not connection.in_transaction:
                    self._close(connection)
        self._state.reset()


def _monotonic() -> float:
    return time.clock_gettime(time.CLOCK_MONOTONIC)  # world/real_time.py says why


def _identity(path: str) -> tuple[int, int]:
    """Return the device and the number of a file. Raises OSError."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _version_of_folder(path: str) -> tuple[int, int, int] | None:
    """Return the device, the number and the time of the last change of a folder, or None if it is gone."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def find_damage(path: Path) -> str | None:
    """Return what is wrong with a database file that nobody uses, or None."""
    if not path.exists() or not path.stat().st_size:
        return "it is empty"
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            (result,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if result == "ok" else str(result)


def set_page_size(path: Path, page_size: int) -> None:
    """Change the page size of a database file that nobody uses."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        if database.execute("PRAGMA page_size").fetchone() != (page_size,):
            database.execute("PRAGMA journal_mode = DELETE")  # with a write-ahead log the size is fixed
            database.execute(f"PRAGMA page_size = {page_size}")
            database.execute("VACUUM")
