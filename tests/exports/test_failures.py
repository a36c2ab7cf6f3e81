"""Errors and changes while an export is written."""

import errno
import os
import sqlite3
from pathlib import Path
from unittest.mock import Mock

import peewee
import pytest

from dryline.jobs import export_files
from dryline.jobs.exports import write_and_complete
from dryline.models.exports import Export
from dryline.tests.exports.conftest import REQUEST, files


@pytest.mark.parametrize(("owner", "name"), [(export_files, "_write_csv"), (Path, "replace")])
def test_a_full_disk_fails_the_export_and_leaves_no_file(app, export, monkeypatch, owner, name):
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
        made = export()
    assert made["errorMessage"] == "The file could not be written: No space left on device."
    assert files(app) == []
    assert export()["status"] == "COMPLETED"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (sqlite3.DatabaseError("database disk image is malformed"), "The logs could not be read: database disk image"),
        (peewee.DatabaseError("database disk image is malformed"), "The logs could not be read: database disk image"),
        (KeyError("id"), "Internal error."),
    ],
)
def test_an_export_whose_logs_cannot_be_read_fails_with_the_reason(export, monkeypatch, error, reason):
    monkeypatch.setattr(export_files, "_write_csv", Mock(side_effect=error))
    failed = export()
    assert failed["status"] == "FAILED" and failed["errorMessage"].startswith(reason)


@pytest.fixture
def meanwhile(monkeypatch):
    """Return a function that has a callback called once, after a file is written and before its row is COMPLETED."""

    def arrange(callback):
        write = export_files.write

        def write_and_call(*args):
            result = write(*args)
            monkeypatch.setattr(export_files, "write", write)
            callback()
            return result

        monkeypatch.setattr(export_files, "write", write_and_call)

    return arrange


def test_an_export_that_is_failed_while_it_is_written_stays_failed(app, api, control, export, advance, meanwhile):
    made = api.post("/team/exports", REQUEST).json

    def fail_by_hand():
        control.put("/settings", {"exportMode": "manual"})
        assert control.post(f"/exports/{made['id']}/transition", {"status": "FAILED"}).status_code == 200

    meanwhile(fail_by_hand)
    advance()
    assert api.get(f"/team/exports/{made['id']}").json["status"] == "FAILED"
    assert files(app) == []


def test_an_export_waits_if_the_mode_becomes_manual_while_it_is_found(api, control, advance, monkeypatch):
    made = api.post("/team/exports", REQUEST).json
    due = Export.due

    def find_and_change_mode(*args):
        rows = due(*args)
        control.put("/settings", {"exportMode": "manual"})
        return rows

    monkeypatch.setattr(Export, "due", find_and_change_mode)
    advance()
    assert api.get(f"/team/exports/{made['id']}").json["status"] == "PENDING"


def test_a_shutdown_makes_an_interrupted_export_pending_again(app, api, make_log):
    make_log()
    made = api.post("/team/exports", REQUEST).json
    with app.world.active():
        with app.world.transaction():
            (claimed,) = Export.due(app.world.clock.stamp(), 1)
            claimed.transition("PROCESSING")
        app.world.ending.set()
        write_and_complete(app.world, claimed)
    assert api.get(f"/team/exports/{made['id']}").json == made
    assert files(app) == []


def test_an_export_whose_failure_could_not_be_stored_fails_in_the_next_round(app, api, export, advance, monkeypatch):
    full = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    with monkeypatch.context() as patch:
        patch.setattr(export_files, "_write_csv", full)
        patch.setattr(Export, "fail", full)
        made = export()
    assert made["status"] == "PROCESSING"
    advance()
    failed = api.get(f"/team/exports/{made['id']}").json
    assert (failed["status"], failed["errorMessage"]) == (
        "FAILED",
        "The file could not be written: No space left on device.",
    )
    assert export()["status"] == "COMPLETED"
