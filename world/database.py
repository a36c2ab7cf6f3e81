"""The SQLite file, and how it is exchanged for another while threads hold connections to it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

from peewee import SqliteDatabase

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "normal",
    "foreign_keys": 1,
    "busy_timeout": 30_000,
    "cache_size": -16_000,
    "temp_store": "memory",
}


class WorldDatabase(SqliteDatabase):
    """One file and a connection to it for each thread.

    After an `exchange` a thread finds its connection to the old file out of date at its next statement and opens the
    new one. A transaction that is open then goes on with the old file, which has lost its name, and sees nothing of it.
    """

    _state: Any  # peewee's, one for each thread

    def __init__(self, path: Path) -> None:
        self.path = path
        self.epoch = 0
        self._spare = _Spare(path.with_suffix(".spare"))
        _finish_exchange(path)
        super().__init__(str(path), pragmas=PRAGMAS, timeout=30, check_same_thread=False)

    def connection(self) -> sqlite3.Connection:
        """The running thread's connection."""
        self._renew()
        return super().connection()

    def cursor(self, named_cursor: Any = None) -> sqlite3.Cursor:
        """A cursor of the running thread's connection."""
        self._renew()
        return super().cursor()

    def _renew(self) -> None:
        state = self._state
        if getattr(state, "epoch", 0) == self.epoch:
            return
        if not state.closed:
            if state.conn.in_transaction:
                return
            # With the last connection the file goes as well. That takes a while, and nobody has to wait for it.
            threading.Thread(target=state.conn.close, daemon=True).start()
            state.reset()
        state.epoch = self.epoch

    def copy_to(self, path: Path, *, soon: bool = True) -> None:
        """Write a copy to a new file, which may `soon` come back. The caller holds the writers' lock."""
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
        if soon:
            self._spare.prepare(path)

    def exchange(self, path: Path) -> None:
        """Let this database be a copy of the one at `path`. The caller holds the writers' lock.

        A copied file takes a fifth of the time that copying through SQLite takes, which would also leave a write-ahead
        log as large as the database. Killed at any instant, either the old or the new database is whole.
        """
        if os.name == "nt":  # open files can neither be replaced nor removed there
            with contextlib.closing(sqlite3.connect(path)) as source:
                source.backup(self.connection())
            return
        copy = self._spare.take(path)
        copy.replace(_coming(self.path))  # from here on the next start would finish it
        _finish_exchange(self.path)
        self.epoch += 1
        self._spare.prepare(path)

    def close_for_good(self) -> None:
        """Close the running thread's connection and remove what was only prepared."""
        self.close()
        self._spare.drop()


class _Spare:
    """A copy of the database that is likely to be exchanged next, made while nobody waits for it."""

    WORTH_IT = 4_000_000  # bytes; what is smaller is copied at once

    def __init__(self, path: Path) -> None:
        self._path = path
        self._source: tuple[int, int] | None = None
        self._making: threading.Thread | None = None
        self.drop()

    def prepare(self, source: Path) -> None:
        """Begin to copy `source`, in a thread."""
        self.drop()
        if source.stat().st_size >= self.WORTH_IT:
            self._source = _identity(source)
            self._making = threading.Thread(target=self._make, args=(source,), daemon=True)
            self._making.start()

    def take(self, source: Path) -> Path:
        """A copy of `source`, which is the caller's to move away."""
        self._settle()
        if self._source != _identity(source) or not self._path.exists():
            self._make(source)
        self._source = None
        return self._path

    def drop(self) -> None:
        """Remove the copy."""
        self._settle()
        self._source = None
        self._path.unlink(missing_ok=True)

    def _settle(self) -> None:
        if self._making is not None:
            self._making.join()
            self._making = None

    def _make(self, source: Path) -> None:
        try:
            shutil.copyfile(source, self._path)
        except OSError:
            self._path.unlink(missing_ok=True)
            if self._making is not threading.current_thread():
                raise


def _identity(path: Path) -> tuple[int, int]:
    """What stays when a file gets its final name."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _coming(path: Path) -> Path:
    return path.with_suffix(".coming")


def _finish_exchange(path: Path) -> None:
    """Put the database that was to come in the place of the old one, whose write-ahead log goes with it."""
    coming = _coming(path)
    if coming.exists():
        for suffix in ("-wal", "-shm", ""):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        coming.rename(path)
