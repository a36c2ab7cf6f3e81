"""A world opens whole or not at all, goes on where it was left, and closes all that it opened."""

import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading

import pytest

from dryline.app import create_app
from dryline.settings import BadSetting, Settings
from dryline.testing import DrylineInProcess, DrylineServer
from dryline.tests.conftest import NEW_WORKER, Api

WHEN = "2030-01-01T09:00:00.000Z"


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "world"


@pytest.fixture
def open_world(directory):
    """Open the world in that directory; what is still open at the end is closed."""
    opened = []

    def open_(**settings):
        opened.append(create_app(Settings(**{"data_dir": directory, "scenario": "empty"} | settings)))
        return opened[-1]

    yield open_
    for app in opened:
        app.close()


@pytest.fixture
def left(open_world):
    """That directory, with an empty world that nobody has open."""
    open_world().close()


def plane(app):
    return Api(app.test_client(), "", prefix="/_dryline")


def workers(app, key="dryline-local-key"):
    return Api(app.test_client(), key).get("/workers")


# Whole or not at all


@pytest.mark.parametrize("scenario", ["no-such-file.json", "."])
def test_a_first_start_that_is_refused_leaves_no_directory(directory, open_world, scenario):
    with pytest.raises(BadSetting):
        open_world(data_dir=directory / "deeper", scenario=scenario)
    assert not directory.exists()


def test_a_refused_start_removes_nothing_that_was_there_before(directory, open_world):
    directory.mkdir()
    (directory / "notes.txt").write_text("mine")
    with pytest.raises(BadSetting):
        open_world(scenario="no-such-file.json")
    assert (directory / "notes.txt").exists()
    assert workers(open_world()).json == []


# Opens a new world and is killed at a moment of our choice.
KILLED = """
import os, signal, sys
from dryline.app import create_app
from dryline.settings import Settings
from dryline.state import scenarios
from dryline.world import directory
from dryline.storage import migrations

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

module, name = {
    "before the schema": (migrations, "bring_up_to_date"),
    "before the secret": (directory, "write_whole"),
    "before the scenario": (scenarios, "load"),
    "amid the scenario": (scenarios, "admit_start_keys"),
}[sys.argv[2]]
setattr(module, name, die)
create_app(Settings(data_dir=sys.argv[1], scenario="empty"))
"""


@pytest.mark.parametrize(
    "moment", ["before the schema", "before the secret", "before the scenario", "amid the scenario"]
)
def test_a_first_start_that_was_killed_is_taken_up_again(directory, open_world, moment):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(directory), moment])
    assert killed.returncode == -9
    assert workers(open_world()).json == []


def damage_by_overwriting(database):
    database.write_bytes(b"no database at all" * 1000)


def damage_by_cutting(database):
    database.write_bytes(database.read_bytes()[:20_000])


def damage_by_emptying(database):
    database.write_bytes(b"")


def damage_by_another_program(database):
    database.unlink()
    with sqlite3.connect(database) as other:
        other.execute("CREATE TABLE bookmarks (url)")
    other.close()


def damage_by_a_development_version(database):
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA application_id = 0")
        db.execute("PRAGMA user_version = 5")
    db.close()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (damage_by_overwriting, "file is not a database"),
        (damage_by_cutting, "malformed"),
        (damage_by_emptying, "is empty"),
        (damage_by_another_program, "another program's. Give another data directory"),
        (damage_by_a_development_version, "a development version of dryline"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_line_and_frees_the_directory(left, directory, open_world, damage, says):
    database = directory / "dryline.sqlite3"
    whole = database.read_bytes()
    damage(database)
    with pytest.raises(BadSetting, match=says) as refused:
        open_world()
    assert "\n" not in str(refused.value)
    database.write_bytes(whole)
    assert workers(open_world()).json == []


def test_only_a_held_lock_is_called_another_dryline(directory, open_world):
    directory.mkdir()
    (directory / "dryline.lock").write_bytes(b"no database at all" * 1000)
    with pytest.raises(BadSetting, match="Cannot use the data directory") as refused:
        open_world()
    assert "Another dryline" not in str(refused.value)


def test_a_directory_in_use_is_refused_and_left_alone(directory, open_world):
    open_world()
    with pytest.raises(BadSetting, match="Another dryline"):
        open_world()
    assert (directory / "dryline.sqlite3").exists()


@pytest.mark.parametrize("broken", ["", "abc"])
def test_a_secret_that_was_cut_short_is_made_anew(left, directory, open_world, broken):
    secret = directory / "secret"
    secret.write_text(broken)
    assert open_world().world.secret == secret.read_text() != broken
    assert len(secret.read_text()) == 64
    assert secret.stat().st_mode & 0o777 == 0o600


def test_the_secret_stays(left, directory, open_world):
    before = (directory / "secret").read_text()
    assert open_world().world.secret == before


# Temporary ones


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary directories are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


KILLED_WHILE_OPEN = """
import os, signal
from dryline.app import create_app
from dryline.settings import Settings

create_app(Settings(ephemeral=True, scenario="empty"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_temporary_directory_of_a_killed_server_goes_at_the_next_start(temporary, open_world):
    subprocess.run([sys.executable, "-c", KILLED_WHILE_OPEN], env={"TMPDIR": str(temporary)})
    (dead,) = temporary.iterdir()
    app = open_world(ephemeral=True)
    assert list(temporary.iterdir()) == [app.world.directory] != [dead]


def test_the_temporary_directory_of_a_living_server_stays(temporary, open_world):
    first, second = open_world(ephemeral=True), open_world(ephemeral=True)
    assert first.world.directory.exists()
    assert second.world.directory.exists()


def test_a_data_directory_stays_wherever_it_lies(temporary, open_world):
    open_world(data_dir=temporary / "dryline-mine").close()
    open_world(ephemeral=True)
    assert (temporary / "dryline-mine" / "dryline.sqlite3").exists()


# Closed


@pytest.fixture
def connections(monkeypatch):
    """Every SQLite connection that is opened from now on."""
    opened, connect = [], sqlite3.connect

    def remembered(*args, **kwargs):
        opened.append(connect(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", remembered)
    return opened


def is_open(connection):
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True


@pytest.mark.parametrize("kind", [DrylineServer, DrylineInProcess])
def test_at_its_end_every_connection_of_every_thread_is_closed(connections, kind):
    looked, done = threading.Barrier(3), threading.Event()
    with kind() as stand_in:
        stand_in.simulate_calls(2)
        stand_in.snapshot("one")
        stand_in.restore("one")

        def look_and_live_on():
            stand_in.state()
            looked.wait(10)
            done.wait(10)

        for _ in range(2):
            threading.Thread(target=look_and_live_on).start()
        looked.wait(10)
    done.set()
    assert len(connections) > 4
    assert not [connection for connection in connections if is_open(connection)]


def test_a_refused_start_closes_what_it_opened(left, connections, open_world):
    connections.clear()
    with pytest.raises(BadSetting):
        open_world(scenario="no-such-file.json")
    assert connections
    assert not [connection for connection in connections if is_open(connection)]


def test_a_server_without_its_port_closes_what_it_opened(left, directory, connections):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(BadSetting, match="Cannot listen"):
        DrylineServer(data_dir=directory, port=taken.getsockname()[1]).start()
    assert connections
    assert not [connection for connection in connections if is_open(connection)]


def test_the_connections_of_threads_that_ended_are_closed_while_it_runs(app, connections):
    def look():
        plane(app).get("/state")

    for _ in range(5):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert sum(is_open(connection) for connection in connections) <= 1


# Settings


def test_settings_do_not_change(app):
    with pytest.raises(AttributeError):
        app.world.settings.strict = True


def test_two_worlds_of_the_same_settings_are_set_apart(settings):
    one, two = create_app(settings), create_app(settings)
    plane(one).put("/settings", {"strict": True})
    assert plane(two).get("/settings").json["strict"] is False
    one.close()
    two.close()


# It goes on where it was left


def test_a_frozen_clock_stands_still_where_it_was_after_a_restart(open_world):
    app = open_world()
    plane(app).put("/clock", {"now": WHEN, "frozen": True})
    plane(app).post("/clock/advance", {"seconds": 5})
    app.close()
    assert plane(open_world()).get("/clock").json == {"now": "2030-01-01T09:00:05.000Z", "frozen": True}


def test_a_clock_that_was_set_runs_as_far_ahead_after_a_restart(open_world):
    app = open_world()
    plane(app).put("/clock", {"now": WHEN})
    app.close()
    found = plane(open_world()).get("/clock").json
    assert found["frozen"] is False
    assert WHEN <= found["now"] < "2030-01-02"


def test_live_settings_outlive_a_restart_and_its_flags_speak_for_the_others(open_world):
    app = open_world()
    plane(app).put("/settings", {"exportMode": "manual", "exportDelayMs": 250})
    app.close()
    found = plane(open_world(strict=True)).get("/settings").json
    assert found == {"exportMode": "manual", "exportDelayMs": 250, "strict": True, "callsPerMinute": 0}


@pytest.mark.parametrize("back", [("DELETE", "/clock"), ("POST", "/reset")])
def test_a_clock_that_was_taken_back_stays_so_after_a_restart(open_world, back):
    app = open_world()
    plane(app).put("/clock", {"now": WHEN, "frozen": True})
    plane(app)._send(*back)
    app.close()
    found = plane(open_world()).get("/clock").json
    assert found["frozen"] is False
    assert found["now"] < WHEN


def test_a_reset_takes_live_settings_back_for_good(open_world):
    app = open_world()
    plane(app).put("/settings", {"strict": True})
    plane(app).post("/reset")
    app.close()
    assert plane(open_world()).get("/settings").json["strict"] is False


def test_after_a_restore_a_restart_finds_the_clock_of_the_save_point_and_the_settings_of_now(open_world):
    app = open_world()
    plane(app).put("/clock", {"now": WHEN, "frozen": True})
    plane(app).post("/snapshots", {"name": "one"})
    plane(app).delete("/clock")
    plane(app).put("/settings", {"strict": True})
    plane(app).post("/snapshots/one/restore")
    app.close()
    app = open_world()
    assert plane(app).get("/clock").json == {"now": WHEN, "frozen": True}
    assert plane(app).get("/settings").json["strict"] is True


def test_a_seed_gives_the_same_ids_whatever_was_looked_at_between_two_starts(tmp_path):
    def second_start(looked_at):
        for looked in (False, True):
            data_dir = tmp_path / f"{looked_at}"
            app = create_app(Settings(data_dir=data_dir, scenario="empty", seed=7))
            made = Api(app.test_client(), "dryline-local-key").post("/workers", NEW_WORKER).json["id"]
            app.close()
            if looked_at and not looked:
                create_app(Settings(data_dir=data_dir, api_keys=()), open_existing=True).close()
        return made

    assert second_start(looked_at=False) == second_start(looked_at=True)


# The disk


def test_a_large_write_leaves_no_large_log_behind(directory, open_world):
    app = open_world()
    log = directory / "dryline.sqlite3-wal"
    with app.world.active():
        with app.world.transaction():
            app.world.db.execute_sql("INSERT INTO server VALUES ('large', zeroblob(40000000))")
        assert log.stat().st_size > 40_000_000
        with app.world.transaction():
            app.world.db.execute_sql("INSERT INTO server VALUES ('small', 1)")
    assert log.stat().st_size <= 16_000_000


@pytest.mark.alone
def test_a_full_disk_is_a_507_and_nothing_half_done(app, api, caplog):
    pages = app.world.db.pragma("page_count")
    app.world.db.pragma("max_page_count", pages)
    refused = api.post("/workers", NEW_WORKER | {"description": "x" * 100_000})
    assert (refused.status_code, refused.json) == (507, {"error": "The disk is full."})
    assert [record.exc_info for record in caplog.records] == [None]
    app.world.db.pragma("max_page_count", pages + 1000)
    assert api.get("/workers").json == []
    assert api.post("/workers", NEW_WORKER | {"description": "x" * 100_000}).status_code == 201


def test_a_directory_that_was_made_is_for_its_owner_alone(directory, open_world):
    open_world()
    assert directory.stat().st_mode & 0o777 == 0o700


def test_an_upload_is_on_the_disk_before_it_has_its_name(directory, open_world, monkeypatch):
    from dryline.storage import files

    app = open_world()
    worker = Api(app.test_client(), "dryline-local-key").post("/workers", NEW_WORKER).json
    query = {"fileName": "a.txt", "contentType": "text/plain"}
    url = f"/api/upload/{worker['id']}/resource-upload-url"
    address = app.test_client().get(url, query_string=query).json["uploadUrl"]
    forced, fsync = [], files.os.fsync

    def remembered(file):
        forced.append(files.os.fstat(file).st_ino)
        fsync(file)

    monkeypatch.setattr(files.os, "fsync", remembered)
    assert app.test_client().put(address, data=b"one").status_code == 200
    (kept,) = (directory / "uploads").iterdir()
    assert forced == [kept.stat().st_ino, kept.parent.stat().st_ino]
