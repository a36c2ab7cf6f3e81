"""One running stand-in: its database, clock, ids and secret.

Several worlds may live in one process, as tests do, so nothing here is global. `storage.current_world.current()` is the
world of the running request or job.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from peewee import PeeweeException

from dryline.settings import BadSetting, Live, Settings
from dryline.storage.current_world import WorldLocal, enter, leave
from dryline.storage.database import WorldDatabase, demand_sqlite_version
from dryline.storage.errors import disk_is_full
from dryline.traffic.faults import FaultRules
from dryline.traffic.request_log import RequestLog
from dryline.world.arrivals import Arrivals
from dryline.world.clock import Clock
from dryline.world.directory import Directory, NoWorld, database_in
from dryline.world.events import News
from dryline.world.ids import Ids
from dryline.world.metrics import Metrics
from dryline.world.outgoing import Outgoing


class World:
    """One stand-in's state. Opening it locks its data directory and brings its database up to date.

    Raises BadSetting when the directory cannot be used or another server owns it, and with `must_exist` when there is
    none; nothing stays open or behind then.
    """

    def __init__(self, settings: Settings, *, must_exist: bool = False) -> None:
        self.settings = settings
        self.live = Live.at_start(settings)
        # The calls that come in by themselves (jobs/live.py); None until somebody looks.
        self.arrivals: Arrivals | None = None
        self.clock = Clock()
        self.ids = Ids(settings.seed, node=settings.node)
        self.faults = FaultRules(settings.seed)
        self.requests = RequestLog()
        self.metrics = Metrics()
        self.news = News()
        self.outgoing = Outgoing(settings.webhook_hosts)
        # Where it answers, as the server sets it; until then, as a client in the same process would say.
        self.address = "http://localhost"
        # How many transactions have written: whoever shows this world asks whether there is something new.
        self.writes = 0
        # The values of `WorldLocal` variables.
        self.locals: dict[WorldLocal[Any], Any] = {}
        self.is_new = False  # whether this start has filled it (state/scenarios.py)
        # Set by create_app: do all work that is due now; tell the jobs' thread that there may be work.
        self.run_due: Callable[[], None] = lambda: None
        self.wake: Callable[[], None] = lambda: None
        # Likewise: make the files that belong to rows agree with them, once rows came and went by other ways.
        self.rows_replaced: Callable[[], None] = lambda: None
        # What came to be as the world ran, and ends with it.
        self.endings = contextlib.ExitStack()
        # Set when the server ends: long work gives itself back.
        self.ending = threading.Event()
        self._write_lock = threading.RLock()
        if must_exist and not database_in(settings.data_dir).exists():
            raise NoWorld(settings.data_dir)
        self._open(settings)

    def _open(self, settings: Settings) -> None:
        """Open the directory and what lies in it, whole or not at all."""
        demand_sqlite_version()
        with refusing(settings), contextlib.ExitStack() as undo:
            self._place = Directory(None if settings.ephemeral else settings.data_dir)
            undo.callback(self._place.abandon)
            self.exports.mkdir(exist_ok=True)
            flushed = settings.durability == "power"
            self.db = WorldDatabase(database_in(self.directory), durable=self.durable, flushed=flushed)
            undo.callback(self.db.close_for_good)
            self._place.demand_database()
            with self.active():
                self._bring_up_to_date()
            self.secret = self._place.secret()
            undo.pop_all()

    def _bring_up_to_date(self) -> None:
        from dryline.storage import migrations

        migrations.bring_up_to_date(self.db)
        if self.settings.seed is not None:
            self.ids.restart(self.settings.seed, self._count_start())
        course = self._kept_course()
        given = asdict(self.live)
        self.live = Live(**{name: course["live"].get(name, value) for name, value in given.items()})
        self.clock.restore(course["clock"])

    @property
    def directory(self) -> Path:
        """The data directory."""
        return self._place.path

    @property
    def durable(self) -> bool:
        """Whether it is to outlive a power cut: a temporary one need not wait for the disk."""
        return not self._place.temporary

    @property
    def base_url(self) -> str:
        """What addresses on this server begin with that are written where no request tells how it is reached."""
        return self.settings.public_url or self.address

    @property
    def exports(self) -> Path:
        """Where finished export files lie."""
        return self.directory / "exports"

    def save_points(self, team_id: str | None = None) -> Path:
        """Where the world's save points lie, or those of one team."""
        base = self.directory / "snapshots"
        return base if team_id is None else base / ".teams" / sha256(team_id.encode()).hexdigest()[:32]

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
        with self._write_lock:
            with self.db.atomic("IMMEDIATE"):
                yield
            self.writes += 1

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

    @contextlib.contextmanager
    def try_write_lock(self) -> Iterator[bool]:
        """Try to lock out other threads and programs that write, without waiting; yield whether that worked.

        The block's first transaction begins with the lock.
        """
        if not self._write_lock.acquire(blocking=False):
            yield False
            return
        try:
            yield self.db.begin_early()
        finally:
            self.db.roll_back_early()
            self._write_lock.release()

    def change_live(self, **values: Any) -> None:
        """Set live settings. Calls that come in by themselves are counted from now when their rate is set."""
        with self.transaction():
            self.live = replace(self.live, **values)
            self.keep_course()
        if "calls_per_minute" in values:
            self.arrivals = Arrivals(self.clock.now(), Random(self.ids.random.getrandbits(64)))
        self.wake()

    def changed_live(self) -> dict[str, Any]:
        """The live settings that are not as this server was started."""
        given = asdict(Live.at_start(self.settings))
        return {name: value for name, value in asdict(self.live).items() if value != given[name]}

    def keep_course(self) -> None:
        """Note where the clock is and what was set while it ran: a restart goes on from there."""
        with self.transaction():
            course = {"clock": self.clock.state(), "live": self.changed_live()}
            if course != self._kept_course():
                self.db.execute_sql(
                    "INSERT INTO server (name, value) VALUES ('course', ?)"
                    " ON CONFLICT DO UPDATE SET value = excluded.value",
                    (json.dumps(course),),
                )

    def _kept_course(self) -> dict[str, Any]:
        row = self.db.execute_sql("SELECT value FROM server WHERE name = 'course'").fetchone()
        return json.loads(row[0]) if row else {"clock": Clock().state(), "live": {}}

    def start_over(self) -> None:
        """Take back what was recorded while it ran; rows, clock, ids and settings are state/scenarios.py's."""
        self.arrivals = None
        self.faults.start_over()
        self.requests.clear()

    def close(self) -> None:
        """Give the data directory free, and remove it when it was only a temporary one."""
        self.endings.close()
        self.db.close_for_good()
        self._place.close()

    def abandon(self) -> None:
        """Close after a start that failed: nothing stays of what it has made."""
        self.db.close_for_good()
        self._place.abandon()

    def _count_start(self) -> int:
        """How often this data directory was opened with a seed before."""
        row = self.db.execute_sql(
            "INSERT INTO server (name, value) VALUES ('starts', 1)"
            " ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value"
        ).fetchone()
        return row[0] - 1


@contextlib.contextmanager
def refusing(settings: Settings) -> Iterator[None]:
    """What keeps a world from opening is a BadSetting, told in one line."""
    try:
        yield
    except (OSError, sqlite3.Error, PeeweeException) as error:
        path = settings.data_dir
        with contextlib.suppress(FileNotFoundError):  # the folder that it is relative to is gone
            path = path.absolute()
        where = "a temporary directory" if settings.ephemeral else f"the data directory {path}"
        reason = "the disk is full" if disk_is_full(error) else error
        raise BadSetting(f"Cannot use {where}: {reason}.") from error
