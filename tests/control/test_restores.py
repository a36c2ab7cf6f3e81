"""A restore writes into the database's file, beside other programs that have it open, and of any snapshot."""

import contextlib
import sqlite3

import pytest

from dryline.storage import database
from dryline.storage.directory import database_in
from dryline.storage.migrations import LATEST

# Snapshots stay through a reset.
pytestmark = pytest.mark.alone


@pytest.fixture
def path(app):
    return database_in(app.world.directory)


@pytest.fixture
def other_program(path):
    """Return a connection of another program."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        yield connection


@pytest.fixture
def one(app, control, make_worker):
    """Take the snapshot `one`, which has one worker, and then create another worker. Return the snapshot's database."""
    make_worker()
    control.post("/snapshots", {"name": "one"})
    make_worker()
    return database_in(app.world.snapshots / "one")


def restore(control, name="one"):
    return control.post(f"/snapshots/{name}/restore")


def count(connection):
    return connection.execute("SELECT COUNT(*) FROM worker").fetchone()[0]


def test_another_programs_write_lock_is_a_503_after_some_time(control, one, other_program, monkeypatch):
    assert database.LOCKED_TIMEOUT_S <= 5
    monkeypatch.setattr(database, "LOCKED_TIMEOUT_S", 0.2)
    before = control.get("/state").data
    other_program.execute("BEGIN IMMEDIATE")
    answer = restore(control)
    assert answer.status_code == 503 and answer.json["error"].startswith("Another program has the database locked")
    other_program.rollback()
    assert control.get("/state").data == before
    assert restore(control).status_code == 204
    assert len(control.get("/state").json["workers"]) == 1


def changed(file, *statements):
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in ("PRAGMA journal_mode = delete", *statements):
            connection.execute(statement)


@pytest.mark.parametrize("page_size", [512, 65536])
def test_a_snapshot_of_another_page_size_is_restored(app, control, one, page_size):
    changed(one, f"PRAGMA page_size = {page_size}", "VACUUM")
    assert restore(control).status_code == 204
    assert len(control.get("/state").json["workers"]) == 1
    with app.world.active():
        assert app.world.db.pragma("page_size") == database.PRAGMAS["page_size"]
        assert app.world.db.pragma("integrity_check") == "ok"


def test_a_snapshot_of_an_older_schema_is_brought_up_to_date(app, control, one):
    changed(one, "PRAGMA user_version = 0")
    assert restore(control).status_code == 204
    assert len(control.get("/state").json["workers"]) == 1
    with app.world.active():
        assert app.world.db.pragma("user_version") == LATEST
    with contextlib.closing(sqlite3.connect(one)) as snapshot:
        assert snapshot.execute("PRAGMA user_version").fetchone() == (0,)


def overwrite_pages(file):
    content = file.read_bytes()
    file.write_bytes(content[:8192] + bytes(range(256)) * 800 + content[8192 + 256 * 800 :])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda file: changed(file, "PRAGMA user_version = 9999"), "made by a newer dryline"),
        (lambda file: changed(file, "PRAGMA application_id = 0"), "its database is not dryline's"),
        (lambda file: changed(file, "DROP TABLE server"), "cannot be restored"),
        (overwrite_pages, "is damaged"),
        (lambda file: file.write_bytes(b""), "is damaged"),
        (lambda file: file.unlink(), "is damaged"),
        (lambda file: file.with_name("about.json").write_text('{"createdAt": "x", "clock": 5, "ids": 1}'), "cannot be"),
    ],
)
def test_a_snapshot_that_cannot_be_used_changes_nothing(control, one, spoil, message):
    control.put("/clock", {"now": "2026-03-02T10:00:00.000Z", "frozen": True})
    before = control.get("/state").data, control.get("/clock").json
    spoil(one)
    answer = restore(control)
    assert answer.status_code == 409, answer.text
    assert message in answer.json["error"]
    assert (control.get("/state").data, control.get("/clock").json) == before


def test_twenty_restores_beside_a_long_reader(app, control, path, one, other_program, make_worker):
    other_program.execute("BEGIN")
    assert count(other_program) == 2
    for _ in range(20):
        assert restore(control).status_code == 204
        assert len(control.get("/state").json["workers"]) == 1
        make_worker()
        assert len(control.get("/state").json["workers"]) == 2
    assert count(other_program) == 2
    other_program.rollback()
    assert restore(control).status_code == 204
    assert (count(other_program), other_program.execute("PRAGMA integrity_check").fetchone()) == (1, ("ok",))
    other_program.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.with_name(path.name + "-wal").stat().st_size == 0


def test_the_keys_of_the_start_are_valid_after_a_restore(control, api, one):
    changed(one, "DELETE FROM api_key")
    assert restore(control).status_code == 204
    assert len(api.get("/workers").json) == 1
