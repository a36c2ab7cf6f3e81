"""Worlds: opening and closing, damage, temporary directories, restarts, and the disk."""

import contextlib
import errno
import sqlite3
import subprocess
import sys
import tempfile
import threading

import pytest

from dryline.app import create_app
from dryline.settings import BadSetting, Settings
from dryline.storage import files
from dryline.testing import DrylineInProcess, DrylineServer
from dryline.tests.conftest import NEW_WORKER, Api

WHEN = "2030-01-01T09:00:00.000Z"


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "world"


@pytest.fixture
def open_world(directory):
    """Open the world of the directory. It is closed at the end of the test."""
    opened = []

    def open_(**settings):
        opened.append(create_app(Settings(**{"data_dir": directory, "scenario": "empty"} | settings)))
        return opened[-1]

    yield open_
    for app in opened:
        app.close()


@pytest.fixture
def closed_world(open_world):
    """Return the directory, with an empty world that is closed."""
    open_world().close()


def plane(app):
    return Api(app.test_client(), "", prefix="/_dryline")


def workers(app, key="dryline-local-key"):
    return Api(app.test_client(), key).get("/workers")


# Starts that fail


@pytest.mark.parametrize("scenario", ["no-such-file.json", "."])
def test_a_first_start_that_fails_leaves_no_directory(directory, open_world, scenario):
    with pytest.raises(BadSetting):
        open_world(scenario=scenario)
    assert not directory.exists()


def test_a_start_that_fails_removes_no_existing_file(directory, open_world):
    directory.mkdir()
    (directory / "notes.txt").write_text("mine")
    with pytest.raises(BadSetting):
        open_world(scenario="no-such-file.json")
    assert (directory / "notes.txt").exists()
    assert workers(open_world()).json == []


# Opens a new world, and is killed at a given point.
KILLED = """
import os, signal, sys
from dryline.app import create_app
from dryline.settings import Settings
from dryline.state import scenarios
from dryline.storage import directory, migrations

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
def test_a_first_start_that_was_killed_can_be_repeated(directory, open_world, moment):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(directory), moment])
    assert killed.returncode == -9
    assert workers(open_world()).json == []


DAMAGED = [
    ("file is not a database", lambda content: b"no database at all" * 1000),
    ("malformed", lambda content: content[:20_000]),
    ("is empty", lambda content: b""),
]
OF_OTHERS = [
    ("another program's. Give another data directory", "PRAGMA application_id = 1"),
    ("a development version of dryline", "PRAGMA application_id = 0"),
    ("newer dryline", "PRAGMA user_version = 9999"),
]


@pytest.mark.parametrize(("says", "damage"), DAMAGED + OF_OTHERS)
def test_an_unusable_database_is_one_line_and_unlocks_the_directory(closed_world, directory, open_world, says, damage):
    database = directory / "dryline.sqlite3"
    whole = database.read_bytes()
    if callable(damage):
        database.write_bytes(damage(whole))
    else:
        with contextlib.closing(sqlite3.connect(database)) as db:
            db.execute(damage)
    with pytest.raises(BadSetting, match=says) as refused:
        open_world()
    assert "\n" not in str(refused.value)
    database.write_bytes(whole)
    assert workers(open_world()).json == []


def test_a_directory_in_use_is_refused_and_not_changed(directory, open_world):
    open_world()
    with pytest.raises(BadSetting, match="Another dryline"):
        open_world()
    assert (directory / "dryline.sqlite3").exists()


# Temporary directories


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Return the folder of temporary directories."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


KILLED_WHILE_OPEN = """
import os, signal
from dryline.app import create_app
from dryline.settings import Settings

create_app(Settings(ephemeral=True, scenario="empty"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_temporary_directory_of_a_killed_server_is_removed_by_the_next_start(temporary, open_world):
    subprocess.run([sys.executable, "-c", KILLED_WHILE_OPEN], env={"TMPDIR": str(temporary)})
    (dead,) = temporary.iterdir()
    app = open_world(ephemeral=True)
    assert list(temporary.iterdir()) == [app.world.directory] != [dead]


def test_the_temporary_directory_of_a_running_server_stays(temporary, open_world):
    first, second = open_world(ephemeral=True), open_world(ephemeral=True)
    assert first.world.directory.exists()
    assert second.world.directory.exists()


def test_a_data_directory_among_temporary_ones_stays(temporary, open_world):
    open_world(data_dir=temporary / "dryline-mine").close()
    open_world(ephemeral=True)
    assert (temporary / "dryline-mine" / "dryline.sqlite3").exists()


# Closing


@pytest.fixture
def connections(monkeypatch):
    """All SQLite connections that are opened during the test."""
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
def test_closing_a_world_closes_the_connections_of_all_threads(connections, kind):
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


# Restarts


def test_a_restart_with_the_same_seed_gives_new_ids(restart):
    ids = [restart()[0].post("/workers", NEW_WORKER).json["id"] for _ in range(2)]
    assert ids[0] != ids[1]


def test_a_clock_stays_frozen_over_a_restart(restart):
    _, plane = restart()
    plane.put("/clock", {"now": WHEN, "frozen": True})
    plane.post("/clock/advance", {"seconds": 5})
    _, plane = restart()
    assert plane.get("/clock").json == {"now": "2030-01-01T09:00:05.000Z", "frozen": True}


def test_changed_settings_stay_over_a_restart_and_flags_set_the_others(restart):
    _, plane = restart()
    plane.put("/settings", {"exportMode": "manual", "exportDelayMs": 250})
    _, plane = restart(strict=True)
    state = plane.get("/settings").json
    assert (state["exportMode"], state["exportDelayMs"]) == ("manual", 250)
    assert (state["strict"], state["callsPerMinute"]) == (True, 0)


@pytest.mark.parametrize("back", [("DELETE", "/clock"), ("POST", "/reset")])
def test_a_clock_that_was_reset_stays_so_after_a_restart(restart, back):
    _, plane = restart()
    plane.put("/clock", {"now": WHEN, "frozen": True})
    plane._send(*back)
    _, plane = restart()
    state = plane.get("/clock").json
    assert state["frozen"] is False
    assert state["now"] < WHEN


def test_a_restart_after_a_restore_has_the_snapshots_clock_and_present_settings(restart):
    _, plane = restart()
    plane.put("/clock", {"now": WHEN, "frozen": True})
    plane.post("/snapshots", {"name": "one"})
    plane.delete("/clock")
    plane.put("/settings", {"strict": True})
    plane.post("/snapshots/one/restore")
    _, plane = restart()
    assert plane.get("/clock").json == {"now": WHEN, "frozen": True}
    assert plane.get("/settings").json["strict"] is True


# The disk


@pytest.mark.alone
def test_a_full_disk_is_a_507_and_changes_nothing(app, api, caplog):
    pages = app.world.db.pragma("page_count")
    app.world.db.pragma("max_page_count", pages)
    refused = api.post("/workers", NEW_WORKER | {"description": "x" * 100_000})
    assert (refused.status_code, refused.json) == (507, {"error": "The disk is full."})
    assert [record.exc_info for record in caplog.records] == [None]
    app.world.db.pragma("max_page_count", pages + 1000)
    assert api.get("/workers").json == []
    assert api.post("/workers", NEW_WORKER | {"description": "x" * 100_000}).status_code == 201


def test_a_created_directory_is_for_its_owner_only(directory, open_world):
    open_world()
    assert directory.stat().st_mode & 0o777 == 0o700


@pytest.fixture
def upload(open_world):
    client = open_world().test_client()
    worker = Api(client, "dryline-local-key").post("/workers", NEW_WORKER).json
    query = {"fileName": "a.txt", "contentType": "text/plain"}
    address = client.get(f"/api/upload/{worker['id']}/resource-upload-url", query_string=query).json["uploadUrl"]
    return lambda: client.put(address, data=b"one")


def test_a_file_that_the_disk_has_no_room_for_leaves_nothing(directory, upload, monkeypatch):
    def refuse(file, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.Path, "replace", refuse)
    assert upload().status_code == 507
    assert list((directory / "uploads").iterdir()) == []
