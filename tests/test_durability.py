"""A committed write survives a kill, a power cut and, with a replica elsewhere, the loss of the disk."""

import contextlib
import shutil
import sqlite3

import pytest

from dryline.app import create_app
from dryline.models.voice_logs import VoiceLog
from dryline.settings import BadSetting, Settings
from dryline.tests.conftest import NEW_WORKER, Api
from dryline.world.directory import database_in

FULL, NORMAL, OFF = 2, 1, 0  # https://www.sqlite.org/pragma.html#pragma_synchronous


class Replicator:
    """A replacement for Litestream, which no package of this system has: it copies the database beside a server.

    It opens the database once, keeps two tables in it and the log from being begun anew, and takes the pages from the
    file that it has open and the log's frames from the path (Litestream's db.go: `init`, `writeLTXFromDB`).
    """

    def __init__(self, path):
        self.log = path.with_name(path.name + "-wal")
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
        self.connection.execute("CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER)")
        self.file = path.open("rb")
        self.look()

    def look(self):
        """Note that it was here, and go on from now: until the next look nobody begins the log anew."""
        with contextlib.suppress(sqlite3.OperationalError):
            self.connection.execute("ROLLBACK")
        self.connection.execute(
            "INSERT INTO _litestream_seq VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1"
        )
        self.connection.execute("BEGIN")
        self.connection.execute("SELECT COUNT(*) FROM _litestream_seq").fetchone()

    def replica(self, directory):
        """Copy the pages, then the log, to another place, as a world."""
        directory.mkdir()
        with database_in(directory).open("wb") as copy:
            self.file.seek(0)
            shutil.copyfileobj(self.file, copy)
        shutil.copy(self.log, f"{database_in(directory)}-wal")
        return directory

    def close(self):
        self.connection.close()
        self.file.close()


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path / "world", scenario="empty")


@pytest.fixture
def replicator(app):
    replicator = Replicator(database_in(app.world.directory))
    yield replicator
    replicator.close()


def state_of(directory):
    """Return the state of a world without a server."""
    with contextlib.closing(create_app(Settings(data_dir=directory, scenario="empty"))) as app:
        return app.test_client().get("/_dryline/state").json


def test_a_replica_made_while_writes_and_restores_went_on_is_whole(replicator, api, control, make_worker, tmp_path):
    make_worker(name="Kept")
    control.post("/snapshots", {"name": "early"})
    for number in range(3):
        for at in range(40):
            make_worker(name=f"{number} {at}", description="d" * 2000)
        if number == 1:
            replicator.look()
        assert control.post("/snapshots/early/restore").status_code == 204
        make_worker(name=f"After {number}")
        assert state_of(replicator.replica(tmp_path / f"replica {number}")) == control.get("/state").json
        names = [worker["name"] for worker in api.get("/workers").json]
        assert names == [f"After {number}", "Kept"]


def test_a_restore_leaves_litestream_its_tables_whenever_the_save_point_was_made(app, control, api, make_worker):
    control.post("/snapshots", {"name": "before it came"})
    replicator = Replicator(database_in(app.world.directory))
    try:
        make_worker()
        assert control.post("/snapshots/before it came/restore").status_code == 204
        replicator.look()
        assert api.get("/workers").json == []
    finally:
        replicator.close()


def test_without_litestream_a_restore_exchanges_the_file(app, control):
    control.post("/snapshots", {"name": "early"})
    before = database_in(app.world.directory).stat().st_ino
    control.post("/snapshots/early/restore")
    assert database_in(app.world.directory).stat().st_ino != before


@pytest.mark.parametrize(("durability", "level"), [("process", NORMAL), ("power", FULL)])
def test_durability_says_whether_a_commit_waits_for_the_disk(tmp_path, durability, level):
    with contextlib.closing(create_app(Settings(data_dir=tmp_path, scenario="empty", durability=durability))) as app:
        api = Api(app.test_client(), "dryline-local-key")
        assert api.post("/workers", NEW_WORKER).status_code == 201
        assert app.world.db.execute_sql("PRAGMA synchronous").fetchone() == (level,)


def test_the_removal_of_a_snapshot_waits_for_the_disk(tmp_path, monkeypatch):
    with contextlib.closing(create_app(Settings(data_dir=tmp_path / "w", scenario="empty"))) as app:
        plane = app.test_client()
        plane.post("/_dryline/snapshots", json={"name": "a"})
        synced = []
        monkeypatch.setattr("dryline.state.snapshots.sync", synced.append)
        plane.delete("/_dryline/snapshots/a")
        assert synced == [app.world.snapshots_dir()]


def test_a_commit_of_an_ephemeral_world_never_waits_for_the_disk():
    with contextlib.closing(create_app(Settings(ephemeral=True, scenario="empty"))) as app:
        assert app.world.db.execute_sql("PRAGMA synchronous").fetchone() == (OFF,)


def test_a_temporary_world_is_not_flushed():
    with pytest.raises(BadSetting, match="--ephemeral"):
        Settings(ephemeral=True, durability="power")


def test_totals_are_counted_anew_after_a_restore_in_place(replicator, api, control, make_worker, add_log):
    worker = make_worker()
    path = f"/workers/{worker['id']}/deploymentLogs/voice?limit=1"
    add_log(VoiceLog, worker), add_log(VoiceLog, worker)
    control.post("/snapshots", {"name": "two"})
    add_log(VoiceLog, worker)
    assert api.get(path).json["pagination"]["total"] == 3
    control.post("/snapshots/two/restore")
    assert api.get(path).json["pagination"]["total"] == 2
