"""Other programs at the data directory: one that has the database locked, and one that removes or replaces files."""

import contextlib
import logging
import shutil
import sqlite3
from datetime import timedelta

import httpx
import pytest

from dryline.jobs import export_files
from dryline.settings import BadSetting
from dryline.storage import database
from dryline.storage.directory import database_in
from dryline.testing import DrylineServer
from dryline.tests.conftest import NEW_WORKER, created
from dryline.tests.console.visitor import Visitor
from dryline.tests.test_failing_work import busy_document

LOCKED = "Another program has the database locked."
EXPORT = {"format": "CSV", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-03-01T00:00:00Z"}
FLOW = 'say("Hello.")\nloop:\n    talk("Ask how you can help.", False)\nuntil "caller says goodbye":\n    say("Bye.")\n'


@pytest.fixture
def world(monkeypatch, restart, tmp_path):
    """Return clients of a world in a directory, where a write waits for a moment, and the directory."""
    assert database.PRAGMAS["busy_timeout"] == 5_000
    monkeypatch.setitem(database.PRAGMAS, "busy_timeout", 100)
    api, control = restart()
    return api, control, tmp_path / "world"


@pytest.fixture
def locked(world):
    """Return a context manager that locks the database, as a browser of databases with unsaved changes does."""

    @contextlib.contextmanager
    def locked():
        with contextlib.closing(sqlite3.connect(database_in(world[2]), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.rollback()

    return locked


def writes(api, control):
    """Return functions that each send a write: of the API, the control plane, and a conversation."""
    worker = created(api.post("/workers", NEW_WORKER))["id"]
    flow = created(api.post(f"/workers/{worker}/flows", {"name": "M", "label": None, "code": FLOW, "variables": "{}"}))
    created(control.post("/snapshots", {"name": "one"}))
    export = created(api.post("/team/exports", EXPORT | {"workerId": worker}))["id"]
    return {
        "create": lambda: api.post("/workers", NEW_WORKER),
        "delete": lambda: api.delete(f"/workers/{worker}"),
        "settings": lambda: control.put("/settings", {"exportDelayMs": 5}),
        "clock": lambda: control.put("/clock", {"now": "2030-01-01T00:00:00Z"}),
        "reset": lambda: control.post("/reset", {}),
        "import": lambda: control.post("/state", {"version": 1}),
        "replace": lambda: control.put("/state", {"version": 1}),
        "restore": lambda: control.post("/snapshots/one/restore"),
        "team": lambda: control.post("/teams", {"name": "T"}),
        "export": lambda: control.post(f"/exports/{export}/transition", {"status": "COMPLETED"}),
        "talk": lambda: control.post("/talk", {"flowId": flow["id"]}),
    }


def test_a_write_to_a_database_that_another_program_has_locked_is_a_503(world, locked, caplog):
    api, control, _ = world
    sent = writes(api, control)
    before = control.get("/state").json
    with locked():
        answers = {name: send() for name, send in sent.items()}
        assert api.get("/workers").status_code == 200
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(sent, 503)
    assert all(LOCKED in answer.text for answer in answers.values())
    assert control.get("/state").json == before
    assert api.post("/workers", NEW_WORKER).status_code == 201
    assert not [record for record in caplog.records if record.exc_info]


def test_a_form_of_the_console_says_that_another_program_has_the_database_locked(world, locked):
    visitor = Visitor(world[0].client)
    visitor.go("/state")
    with locked():
        assert LOCKED in visitor.send("/world/clock/reset").text


def test_writes_that_queue_up_do_not_wait_one_after_the_other(world, locked, monkeypatch):
    api, _, _ = world
    monkeypatch.setattr(database, "LOCKED_FOR_S", 60)
    app, statements = api.client.application, []
    with app.world.active():
        app.world.db.connection().set_trace_callback(statements.append)
    with locked():
        assert [api.post("/workers", NEW_WORKER).status_code for _ in range(3)] == [503] * 3
    assert [text for text in statements if text.startswith(("BEGIN I", "PRAGMA"))] == [
        "BEGIN IMMEDIATE",
        *["PRAGMA busy_timeout = 0", "BEGIN IMMEDIATE", "PRAGMA busy_timeout = 100"] * 2,
    ]


@pytest.fixture
def export(world):
    """Return the path of an export that waits for its file."""
    api, control, _ = world
    worker = created(api.post("/workers", NEW_WORKER))["id"]
    control.put("/settings", {"exportDelayMs": 60_000})
    id = created(api.post("/team/exports", EXPORT | {"workerId": worker}))["id"]
    api.client.application.world.clock.advance(timedelta(minutes=2))
    return f"/team/exports/{id}"


def test_background_work_waits_for_the_database_without_a_traceback(world, locked, export, caplog):
    api, control, _ = world
    app = api.client.application
    with locked(), app.world.active():
        app.jobs.run_due()
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.getMessage().startswith(f"Background work waits: {LOCKED}")
    assert not record.exc_info
    control.post("/clock/advance", {"seconds": 0})
    assert api.get(export).json["status"] == "COMPLETED"


def test_an_export_whose_file_cannot_be_completed_is_written_again(world, locked, export, monkeypatch, caplog):
    api, control, _ = world
    locks = contextlib.ExitStack()
    write = export_files.write

    def write_while_a_lock_comes(row, part):
        monkeypatch.setattr(export_files, "write", write)
        locks.enter_context(locked())
        return write(row, part)

    monkeypatch.setattr(export_files, "write", write_while_a_lock_comes)
    control.post("/clock/advance", {"seconds": 0})
    locks.close()
    control.post("/clock/advance", {"seconds": 0})
    assert api.get(export).json["status"] == "COMPLETED"
    assert not [record for record in caplog.records if record.exc_info]


def removed(directory):
    shutil.rmtree(directory)


def moved(directory):
    directory.rename(directory.with_name("elsewhere"))


def replaced(directory):
    file = database_in(directory)
    file.rename(file.with_name("older"))
    shutil.copy(file.with_name("older"), file)


def log_removed(directory):
    (directory / "dryline.sqlite3-wal").unlink()


def index_removed(directory):
    (directory / "dryline.sqlite3-shm").unlink()


def log_replaced(directory):
    file = directory / "dryline.sqlite3-wal"
    file.rename(directory / "older")
    shutil.copy(directory / "older", file)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (removed, "is gone"),
        (moved, "is gone"),
        (replaced, "was replaced by another file"),
        (log_removed, "dryline.sqlite3-wal is gone"),
        (index_removed, "dryline.sqlite3-shm is gone"),
        (log_replaced, "dryline.sqlite3-wal was replaced by another file"),
    ],
)
def test_a_server_whose_directory_was_taken_away_says_so(world, change, says, caplog):
    api, control, directory = world
    requests = {
        **writes(api, control),
        "health": lambda: control.get("/health"),
        "list": lambda: api.get("/workers"),
        "state": lambda: control.get("/state"),
        "page": lambda: api.client.get("/console"),
    }
    assert control.get("/health").status_code == 200
    change(directory)
    answers = {name: send() for name, send in requests.items()}
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(requests, 503)
    assert all(says in answer.text and "restart dryline" in answer.text for answer in answers.values())
    assert str(directory) in control.get("/health").json["error"]
    assert not [record for record in caplog.records if record.exc_info]


def test_a_server_goes_on_when_its_directory_is_back(world):
    api, control, directory = world
    moved(directory)
    assert api.post("/workers", NEW_WORKER).status_code == 503
    directory.with_name("elsewhere").rename(directory)
    assert api.post("/workers", NEW_WORKER).status_code == 201
    assert control.get("/health").status_code == 200


def damage(directory):
    """Overwrite the last pages of the database, those of the newest rows, as a failing disk may do."""
    with contextlib.closing(sqlite3.connect(database_in(directory))) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = database_in(directory)
    size = 4 * database.PRAGMAS["page_size"]
    file.write_bytes(file.read_bytes()[:-size] + b"dryline." * (size // 8))


def test_health_says_that_the_database_is_damaged_until_a_restore_replaces_it(world, caplog):
    api, control, directory = world
    created(control.post("/snapshots", {"name": "one"}))
    for _ in range(20):
        api.post("/workers", NEW_WORKER | {"description": "x" * 8_000})
    damage(directory)
    answer = control.get("/state")
    assert answer.status_code == 503
    assert control.get("/health").status_code == 503
    assert control.get("/health").json == answer.json
    assert control.post("/snapshots/one/restore").status_code == 204
    assert control.get("/health").status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("change", [removed, log_removed, damage])
def test_background_work_that_has_no_database_says_so_once(world, change, caplog):
    api, control, directory = world
    app = api.client.application
    assert control.put("/clock", {"now": "2026-03-02T12:00:00Z", "frozen": True}).status_code == 200
    assert control.put("/state", busy_document()).status_code == 204
    change(directory)
    app.world.clock.advance(timedelta(hours=2))
    with app.world.active():
        for _ in range(3):
            app.jobs.run_due()
    messages = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert {message.partition(": ")[0] for message in messages} == {"Background work waits"}
    assert len(messages) <= 4  # one of each thread
    assert not [record for record in caplog.records if record.exc_info]


def test_a_quick_read_says_that_the_directory_was_taken_away(tmp_path):
    with DrylineServer(data_dir=tmp_path / "world", scenario="empty") as server:
        url, headers = f"{server.url}/api/workers", {"x-api-key": server.api_key}
        assert httpx.get(url, headers=headers).status_code == 200
        removed(tmp_path / "world")
        assert httpx.get(url, headers=headers).status_code == 503
        assert httpx.get(f"{server.url}/_dryline/health").status_code == 503


def test_a_start_at_a_locked_database_says_so(locked, world, restart):
    with locked(), pytest.raises(BadSetting, match=LOCKED):
        restart(seed=None)


@pytest.mark.parametrize("send", ["snapshot", "reset"])
def test_a_folder_that_cannot_be_used_is_named(world, send, caplog):
    _, control, directory = world
    (directory / "snapshots").mkdir(exist_ok=True)
    shutil.rmtree(directory / "snapshots")
    (directory / "snapshots").write_text("not a folder")
    paths = {"snapshot": ("/snapshots", {"name": "a"}), "reset": ("/reset", {})}
    answer = control.post(*paths[send])
    assert answer.status_code == 503
    assert str(directory) in answer.json["error"]
    assert "snapshots" in answer.json["error"]
    assert not [record for record in caplog.records if record.exc_info]
