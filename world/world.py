"""What one running stand-in owns: its database, clock, ids and secret.

Several may live in one process (tests do that), so nothing of it is global: `current()` is the one that the running
request or job belongs to.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from datetime import datetime
from pathlib import Path
from typing import Any

from peewee import DatabaseProxy, SqliteDatabase

from dryline.settings import LIVE, BadSetting, Settings
from dryline.world.clock import Clock
from dryline.world.database import WorldDatabase
from dryline.world.faults import Faults
from dryline.world.ids import Ids
from dryline.world.metrics import Metrics
from dryline.world.request_record import RequestRecord

_current: ContextVar[World] = ContextVar("dryline_world")


def current() -> World:
    """The world of the running request or job. Raises LookupError outside one."""
    return _current.get()


def enter(world: World) -> Token[World]:
    """Make a world the current one; `leave` with what this gives. `World.active` is both, for a block."""
    return _current.set(world)


def leave(token: Token[World]) -> None:
    """Back to the world that was current before."""
    _current.reset(token)


class World:
    """One stand-in's state. Opening it locks its data directory and brings its database up to date.

    Raises BadSetting when the directory cannot be used or another server owns it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._given = {name: getattr(settings, name) for name in LIVE}
        self.clock = Clock()
        # What others remember of this world's rows, each under a name of its own.
        self.memory: dict[str, Any] = {}
        self._write_lock = threading.RLock()
        self._ephemeral = tempfile.mkdtemp(prefix="dryline-") if settings.ephemeral else None
        self.directory = Path(self._ephemeral or settings.data_dir).absolute()
        try:
            self.exports.mkdir(parents=True, exist_ok=True)
            self._held = self._lock()
            self.secret = self._secret()
        except (OSError, sqlite3.Error) as error:
            raise BadSetting(f"Cannot use the data directory {self.directory}: {error}.") from error
        self.db = WorldDatabase(self.directory / "dryline.sqlite3")
        self.ids = Ids(settings.seed)
        # Set by create_app: do all work that is due now; tell the jobs' thread that there may be work.
        self.run_due: Callable[[], None] = lambda: None
        self.wake: Callable[[], None] = lambda: None
        # Likewise: make the files that belong to rows agree with them, once rows came and went by other ways.
        self.rows_replaced: Callable[[], None] = lambda: None
        # Likewise: whether what is asked by order of others may reach a host.
        self.may_reach: Callable[[str], bool] = lambda host: False
        # What came to be as the world ran, and ends with it.
        self.endings = contextlib.ExitStack()
        self.faults = Faults(settings.seed)
        self.requests = RequestRecord()
        self.metrics = Metrics()
        # Up to when calls have come in by themselves (jobs/live.py).
        self.live_since: datetime | None = None
        # Set when the server ends: long work gives itself back.
        self.ending = threading.Event()
        with self.active():
            self.is_new = not self._migrate()
            self.ids.restart(settings.seed, self._count_start())

    @property
    def exports(self) -> Path:
        """Where finished export files lie."""
        return self.directory / "exports"

    @contextlib.contextmanager
    def active(self) -> Iterator[World]:
        """Make this world the current one for a block."""
        token = enter(self)
        try:
            yield self
        finally:
            leave(token)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """One transaction that writes: committed at the end, undone by an exception.

        Writers wait for each other here, in the order they came, and not in SQLite's busy loop.
        """
        with self._write_lock, self.db.atomic("IMMEDIATE"):
            yield

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """One view of the data for a block that only reads: what others commit meanwhile is not seen."""
        connection = self.db.connection()
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.rollback()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """No writes by others for a block, without a transaction."""
        with self._write_lock:
            yield

    def start_over(self) -> None:
        """Take back what was set and recorded while it ran; rows, clock and ids are state/scenarios.py's."""
        for name, value in self._given.items():
            setattr(self.settings, name, value)
        self.live_since = None
        self.faults.clear()
        self.requests.clear()

    def close(self) -> None:
        """Give the data directory free, and remove it when it was only a temporary one."""
        self.endings.close()
        self.db.close_for_good()
        self._held.close()
        if self._ephemeral:
            shutil.rmtree(self._ephemeral, ignore_errors=True)

    def _lock(self) -> sqlite3.Connection:
        """One server owns a data directory. SQLite's own lock says so: it ends with the process, however that ends."""
        lock = sqlite3.connect(
            self.directory / "dryline.lock", timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            lock.close()
            raise BadSetting(
                f"Another dryline is using the data directory {self.directory}. "
                "Stop it, or choose another with --data-dir."
            ) from None
        return lock

    def _secret(self) -> str:
        """What signs download links: made once a data directory, so that links outlive a restart."""
        path = self.directory / "secret"
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_hex(32))
        return path.read_text()

    def _migrate(self) -> bool:
        """Bring the schema up to date. Returns whether the database was there before."""
        from dryline.world import migrations

        return migrations.bring_up_to_date(self.db)

    def _count_start(self) -> int:
        """How often this data directory was opened before."""
        row = self.db.execute_sql(
            "INSERT INTO server (name, value) VALUES ('starts', 1)"
            " ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value"
        ).fetchone()
        return row[0] - 1


class CurrentDatabase(DatabaseProxy):
    """peewee's stand-in for a database, always that of the current world."""

    __slots__ = ("_callbacks",)

    def __init__(self) -> None:
        self._callbacks: list[Any] = []

    @property
    def obj(self) -> SqliteDatabase | None:  # type: ignore[override]
        """The current world's database, or None outside one (peewee asks while classes are made)."""
        world = _current.get(None)
        return world.db if world else None
