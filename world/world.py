"""One running stand-in: its data directory, database, clock, ids, faults and request log.

Several worlds may live in one process, as tests do. So nothing of a world is global; `current()` of
storage/current_world.py returns the one that the running request or job belongs to.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from peewee import PeeweeException

from dryline.settings import BadSetting, RuntimeSettings, Settings
from dryline.storage import migrations
from dryline.storage.current_world import Task, WorldLocal, current_task, find_task, running_task
from dryline.storage.database import LOCKED, WorldDatabase, require_sqlite_version
from dryline.storage.directory import Directory, NoWorld, database_in
from dryline.storage.errors import (
    Unavailable,
    cannot_share_memory,
    database_is_damaged,
    database_is_locked,
    directory_fault,
    disk_is_full,
)
from dryline.storage.server_values import read_value, write_value
from dryline.world.activity import Activity
from dryline.world.arrivals import Arrivals
from dryline.world.clock import Clock, wire
from dryline.world.epochs import Epochs
from dryline.world.events import EventLog
from dryline.world.faults import FaultRules
from dryline.world.ids import Ids
from dryline.world.outgoing import Outgoing
from dryline.world.request_log import RequestLog


class World:
    """The state of one stand-in. Opening it locks its data directory and brings the database's schema up to date.

    Raises BadSetting if the directory cannot be used or another server owns it, and with `must_exist` if it has no
    world. Then nothing stays open, and no directory that it created stays.
    """

    def __init__(self, settings: Settings, *, must_exist: bool = False) -> None:
        self.settings = settings
        self.runtime_settings = RuntimeSettings.of(settings)
        self.arrivals: Arrivals | None = None  # of live calls
        self.clock = Clock()
        self.epochs = Epochs()
        self.write_lock = threading.RLock()  # locks out other threads that write
        self.ids = Ids(settings.seed, node=settings.node)
        self.faults = FaultRules(self.changing, settings.seed)
        self.requests = RequestLog(self.changing)
        self.events = EventLog()
        self.activity = Activity()
        self.outgoing = Outgoing(settings.webhook_hosts)
        self.address = "http://localhost"  # the server sets its own
        self.writes = 0  # committed transactions: pages that show the world poll this
        self.locals: dict[WorldLocal[Any], Any] = {}  # the values of `WorldLocal` variables
        self.damage: str | None = None  # a sentence, once SQLite has found the database damaged
        self.is_new = False  # whether this start has filled it; state/scenarios.py sets it
        # create_app sets these: do all work that is due now, look for work soon, and bring files in line with rows that
        # were replaced as a whole.
        self.run_due: Callable[[], None] = lambda: None
        self.wake: Callable[[], None] = lambda: None
        self.repair_files: Callable[[], None] = lambda: None
        self.exit_stack = contextlib.ExitStack()  # resources that are closed with the world
        self.ending = threading.Event()  # set when the server ends: slow work stops then
        if must_exist and not database_in(settings.data_dir).exists():
            raise NoWorld(settings.data_dir)
        self._open(settings)

    def _open(self, settings: Settings) -> None:
        """Open the directory and the database, or neither."""
        require_sqlite_version()
        with as_bad_setting(settings), contextlib.ExitStack() as undo:
            self._directory = Directory(None if settings.ephemeral else settings.data_dir)
            undo.callback(self._directory.abandon)
            self.exports.mkdir(exist_ok=True)
            self.db = WorldDatabase(database_in(self.directory), temporary=self._directory.temporary)
            undo.callback(self.db.close_for_good)
            self._directory.require_database()
            with self.active():
                self._migrate_and_load_state()
            self.secret = self._directory.secret()
            undo.pop_all()

    def _migrate_and_load_state(self) -> None:
        migrations.bring_up_to_date(self.db)
        if self.settings.seed is not None:
            self.ids.restart(self.settings.seed, self._count_start())
        state = self.load_runtime_state()
        known = asdict(self.runtime_settings)
        saved = {name: value for name, value in state["settings"].items() if name in known}
        self.runtime_settings = replace(self.runtime_settings, **saved)
        self.clock.restore(state["clock"])

    @property
    def directory(self) -> Path:
        return self._directory.path

    @property
    def base_url(self) -> str:
        """The base URL for links that are written without a request, whose Host header would tell it."""
        return self.settings.public_url or self.address

    @property
    def exports(self) -> Path:
        """The folder of export files."""
        return self.directory / "exports"

    @property
    def snapshots(self) -> Path:
        """The folder of snapshots."""
        return self.directory / "snapshots"

    @contextlib.contextmanager
    def active(self) -> Iterator[World]:
        """Make this world the current one for a block. The block is a task, or a part of the one that is running."""
        task = find_task()
        if task is None or task.world is not self:
            task = self.new_task()
        with running_task(task):
            try:
                yield self
            finally:
                self.db.release()

    def new_task(self) -> Task:
        """Return a task that belongs to the present epoch."""
        count = self.epochs.count
        return Task(self, began=count, team_began=count)

    def now(self) -> datetime:
        """Return the time in UTC: in a round of background work the round's moment, else the clock's."""
        task = find_task()
        if task is not None and task.moment is not None and task.world is self:
            return task.moment
        return self.clock.now()

    def stamp(self) -> str:
        """Return the time as the API writes it."""
        return wire(self.now())

    def enter_team(self, team_id: str) -> None:
        """Record the team that the running task works for. Raises EpochEnded if its epoch has ended meanwhile."""
        task = current_task()
        task.team_id = team_id
        self.epochs.require_current(task)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block as one transaction that may write. An exception rolls it back.

        Threads that write wait for each other at a lock, and not in SQLite's polling. Raises EpochEnded, before the
        block, if the running task is of an earlier epoch.
        """
        with self.changing():
            with self.db.atomic("IMMEDIATE"):
                yield
            self.writes += 1

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Lock out other threads that write, for a block that changes what is not in the database.

        Raises EpochEnded, before the block, if the running task is of an earlier epoch.
        """
        with self.write_lock:
            self._require_present_epoch()
            yield

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Run a block as one transaction that only reads. It does not see commits of others meanwhile.

        Raises EpochEnded, before the block, if the running task is of an earlier epoch, and Unavailable if the
        database's file is gone.
        """
        self._require_present_epoch()
        self.db.require_file()
        connection = self.db.connection()
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.rollback()

    def _require_present_epoch(self) -> None:
        task = find_task()
        if task is not None and task.world is self:
            self.epochs.require_current(task)

    def find_outside_cause(self, error: BaseException) -> str | None:
        """Return a sentence about an error with a cause outside of dryline, or None if it has no such cause.

        A lock of another program, a full disk, and a data directory or a database that cannot be used are such causes.
        Damage of the database is remembered: from then on, `require_usable_database` raises.
        """
        if isinstance(error, Unavailable):
            return str(error)
        if database_is_locked(error):
            return LOCKED
        if disk_is_full(error):
            return "The disk is full."
        fault = directory_fault(error, self.directory)
        if fault is None:
            return None
        sentence = f"The data directory {self.directory} cannot be used ({fault}). Mend it, and restart dryline."
        if database_is_damaged(error):
            self.damage = sentence
        return sentence

    def require_usable_database(self) -> None:
        """Raise Unavailable if the database's file is gone, or SQLite has found it damaged."""
        self.db.require_file()
        if self.damage is not None:
            raise Unavailable(self.damage)

    def change_settings(self, **values: Any) -> None:
        """Change settings of the running server. With a rate of live calls, these are counted from now on."""
        with self.transaction():
            self.runtime_settings = replace(self.runtime_settings, **values)
            self.save_runtime_state()
        if "calls_per_minute" in values:
            self.restart_arrivals()
        self.wake()

    def restart_arrivals(self) -> None:
        """Let live calls come in from now on, or none if their rate is 0."""
        has_rate = self.runtime_settings.calls_per_minute > 0
        self.arrivals = Arrivals(self.now(), Random(self.ids.random.getrandbits(64))) if has_rate else None

    def settings_changed_since_start(self) -> dict[str, Any]:
        """Return the settings that were changed since the start, or before it in the same data directory."""
        at_start = asdict(RuntimeSettings.of(self.settings))
        return {name: value for name, value in asdict(self.runtime_settings).items() if value != at_start[name]}

    def save_runtime_state(self) -> None:
        """Save the clock and the changed settings for the next start."""
        with self.transaction():
            write_runtime_state(self.db, self.clock, self.settings_changed_since_start())

    def load_runtime_state(self) -> dict[str, Any]:
        """Return what `save_runtime_state` has saved."""
        return read_runtime_state(self.db)

    def reset_runtime(self) -> None:
        """Forget faults, the request log and the next live calls. Rows, clock, ids and settings are for `state`."""
        self.restart_arrivals()
        self.faults.clear()
        self.requests.clear()

    def close(self) -> None:
        """Close the world and unlock the data directory. A temporary directory is removed."""
        self.exit_stack.close()
        self.db.close_for_good()
        self._directory.close()

    def abandon(self) -> None:
        """Close the world after a start that failed, and remove what the start has created."""
        self.db.close_for_good()
        self._directory.abandon()

    def _count_start(self) -> int:
        """Count this start, and return how many were counted before. Only starts with a seed are counted."""
        count: int = read_value(self.db, "starts") or 0
        write_value(self.db, "starts", count + 1)
        return count


def write_runtime_state(db: WorldDatabase, clock: Clock, settings: dict[str, Any]) -> None:
    """Write the clock and the changed settings into a world's database, in the caller's transaction."""
    state = {"clock": clock.state(), "settings": settings}
    if state != read_runtime_state(db):
        write_value(db, "runtime_state", state)


def read_runtime_state(db: WorldDatabase) -> dict[str, Any]:
    """Return what `write_runtime_state` has written into a world's database."""
    return read_value(db, "runtime_state") or {"clock": Clock().state(), "settings": {}}


@contextlib.contextmanager
def as_bad_setting(settings: Settings) -> Iterator[None]:
    """Turn errors of files and the database into a BadSetting with a sentence about the data directory."""
    try:
        yield
    except (OSError, sqlite3.Error, PeeweeException, Unavailable) as error:
        path = settings.data_dir
        with contextlib.suppress(FileNotFoundError):  # the working directory was removed
            path = path.absolute()
        directory = f"the data directory {path}"
        advice = " Name another one with --data-dir, or keep the state in a temporary one with --ephemeral."
        if settings.ephemeral:
            directory, advice = "a temporary directory", ""
        if disk_is_full(error):
            raise BadSetting(f"Cannot use {directory}: the disk is full.") from error
        raise BadSetting(f"Cannot use {directory}: {_reason_why_unusable(error, path)}.{advice}") from error


def _reason_why_unusable(error: Exception, directory: Path) -> str:
    """Return why a directory cannot be used. Of one that is read-only SQLite only says that it cannot open a file."""
    if cannot_share_memory(error):
        return "its file system cannot share memory between processes, as SQLite needs it. Use a local disk"
    if directory.is_dir() and not os.access(directory, os.W_OK | os.X_OK):
        return os.strerror(errno.EACCES)
    return directory_fault(error, directory) or getattr(error, "strerror", None) or str(error)
