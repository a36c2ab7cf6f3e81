"""Exports after a shutdown or a kill of the process that writes them."""

import csv
import io
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.exports.conftest import REQUEST

LOGS = 200
KEY = {"x-api-key": "dryline-local-key"}
# Writes the pending export of each directory, which ends with the moment at which the process is killed.
KILLED = """
import os, signal, sys
from pathlib import Path
from dryline.app import create_app
from dryline.jobs import export_files
from dryline.settings import Settings

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def rename_and_die(part, path, rename=Path.replace):
    rename(part, path)
    die()

def write_until(directory):
    app = create_app(Settings(data_dir=directory, scenario="empty"))
    if directory.endswith("before anything is written"):
        export_files.write = die
    elif directory.endswith("before the rename"):
        Path.replace = die
    elif directory.endswith("between the rename and the commit"):
        Path.replace = rename_and_die
    elif directory.endswith("after the commit"):
        Path.unlink = die
    with app.world.active():
        app.world.run_due()

for directory in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        write_until(directory)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
"""
MOMENTS = {  # with the status and the files that the kill leaves
    "before anything is written": ("PROCESSING", []),
    "before the rename": ("PROCESSING", [".part"]),
    "between the rename and the commit": ("PROCESSING", [".csv"]),
    "after the commit": ("COMPLETED", [".csv"]),
}


def opened(data_dir):
    return closing(create_app(Settings(data_dir=data_dir, scenario="empty")))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Return a data directory with many logs and no export."""
    directory = tmp_path_factory.mktemp("exports") / "world"
    with opened(directory) as app:
        new = {"name": "W", "description": None, "status": None}
        worker = app.test_client().post("/api/workers", json=new, headers=KEY).json["id"]
        logs = [
            {"id": f"log_{n:03}", "workerId": worker, "startTime": f"2026-01-02T10:{n // 60:02}:{n % 60:02}.000Z"}
            for n in range(LOGS)
        ]
        document = {"version": 1, "voiceLogs": logs}
        assert app.test_client().post("/_dryline/state", json=document).status_code == 204
    return directory


@pytest.fixture(scope="module")
def killed(world):
    """Return copies of the world, by the moment at which the process that wrote their export was killed."""
    copies = {moment: world.with_name(f"killed {moment}") for moment in MOMENTS}
    requested = shutil.copytree(world, world.with_name("requested"))
    with opened(requested) as app:
        assert app.test_client().post("/api/team/exports", json=REQUEST, headers=KEY).status_code == 201
    for copy in copies.values():
        shutil.copytree(requested, copy)
    subprocess.run([sys.executable, "-c", KILLED, *copies.values()], check=True)
    return copies


def left_behind(data_dir):
    """Return the status of the one export, and the kinds of its files."""
    with closing(sqlite3.connect(data_dir / "dryline.sqlite3")) as db:
        ((status,),) = db.execute("SELECT status FROM export").fetchall()
    return status, [path.suffix for path in sorted((data_dir / "exports").iterdir())]


def assert_whole_after_a_start(data_dir):
    """Assert that a start completes the one export, with one file that has each log once."""
    with opened(data_dir) as app:
        client = app.test_client()
        client.post("/_dryline/clock/advance", json={"seconds": 0})
        (export,) = client.get("/api/team/exports", headers=KEY).json
        assert (export["status"], export["rowCount"]) == ("COMPLETED", LOGS)
        content = client.get(export["downloadUrl"], buffered=True).data
        assert len(content) == export["fileSizeBytes"]
        rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
        assert [row["id"] for row in rows] == [f"log_{n:03}" for n in range(LOGS)]
        assert [path.suffix for path in app.world.exports.iterdir()] == [".csv"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_export_survives_a_kill_at_any_moment(killed, moment):
    assert left_behind(killed[moment]) == MOMENTS[moment]
    assert_whole_after_a_start(killed[moment])
