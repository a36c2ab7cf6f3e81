"""Exports after a shutdown or a kill of the process that writes them."""

import csv
import io
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.test_server import Process

LOGS = 2_000
NEVER = threading.Event()  # never set: to wait for it leaves the processor to the server
REQUEST = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-02-01T00:00:00.000Z"}

# Serves. An export waits before its first line until the server ends, so that no test has to be faster than it.
PAUSED = """
import sys
from dryline.commands import cli
from dryline.jobs import export_files
from dryline.storage.current_world import current

def pause(names, header=export_files.csv_header):
    current().ending.wait()
    return header(names)

export_files.csv_header = pause
del sys.argv[1]
cli()
"""
# Writes the pending export and is killed at a moment that the second argument names.
KILLED = """
import os, signal, sys
from pathlib import Path
from dryline.app import create_app
from dryline.jobs import export_files
from dryline.settings import Settings

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def rename_and_die(part, path, rename=export_files.move_into_place):
    rename(part, path)
    die()

app = create_app(Settings(data_dir=sys.argv[1], scenario="empty"))
if sys.argv[2] == "before anything is written":
    export_files.write = die
elif sys.argv[2] == "before all is on the disk":
    os.fsync = die
elif sys.argv[2] == "between the rename and the commit":
    export_files.move_into_place = rename_and_die
elif sys.argv[2] == "after the commit":
    Path.unlink = die
with app.world.active():
    app.world.run_due()
"""
MOMENTS = {  # with the status and the files that the kill leaves
    "before anything is written": ("PROCESSING", []),
    "before all is on the disk": ("PROCESSING", [".part"]),
    "between the rename and the commit": ("PROCESSING", [".csv"]),
    "after the commit": ("COMPLETED", [".csv"]),
}


@pytest.fixture
def data_dir(tmp_path):
    """Return a data directory with many logs."""
    directory = tmp_path / "world"
    app = create_app(Settings(data_dir=directory, scenario="empty"))
    client, headers = app.test_client(), {"x-api-key": "dryline-local-key"}
    worker = client.post("/api/workers", json={"name": "W", "description": None, "status": None}, headers=headers).json
    with app.world.active():
        app.world.db.execute_sql(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " INSERT INTO voice_log (id, team_id, created_at, updated_at, worker_id, type, start_time)"
            " SELECT 'log_' || i, ?, '2026-01-02', '2026-01-02', ?, 'VoiceDeploymentLog',"
            " strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-01-02', i || ' seconds') FROM n",
            (LOGS, worker["teamId"], worker["id"]),
        )
    app.close()
    return directory


@pytest.fixture
def start(tmp_path, data_dir):
    """Start a server on that directory. With `paused` it never finishes an export."""
    running = []

    def start(paused=False):
        before = (sys.executable, "-c", PAUSED) if paused else ()
        running.append(Process(tmp_path, "--data-dir", str(data_dir), before=before))
        return running[-1]

    yield start
    for process in running:
        if process.process.poll() is None:
            process.end(signal.SIGKILL)


def files(data_dir):
    return sorted((data_dir / "exports").iterdir())


def status(data_dir):
    with sqlite3.connect(data_dir / "dryline.sqlite3") as db:
        ((status,),) = db.execute("SELECT status FROM export").fetchall()
    db.close()
    return status


def wait_for(condition):
    """Call a function until it returns something true, and return that. Fails after 30 seconds."""
    deadline = time.monotonic() + 30
    while not (result := condition()):
        assert time.monotonic() < deadline, "nothing within 30 seconds"
        NEVER.wait(0.005)
    return result


def finished(server, id):
    """Return the export once it is COMPLETED or FAILED."""

    def look_up():
        export = server.call("GET", f"/api/team/exports/{id}")
        return export if export["status"] not in ("PENDING", "PROCESSING") else None

    return wait_for(look_up)


def assert_whole(server, id, data_dir):
    """Assert that there is one export, COMPLETED, with one file that has each log once."""
    export = finished(server, id)
    assert (export["status"], export["rowCount"]) == ("COMPLETED", LOGS)
    assert [one["id"] for one in server.call("GET", "/api/team/exports")] == [id]
    with urllib.request.urlopen(export["downloadUrl"]) as answer:
        content = answer.read()
    assert len(content) == export["fileSizeBytes"]
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [row["id"] for row in rows] == [f"log_{i}" for i in range(1, LOGS + 1)]
    assert [path.suffix for path in files(data_dir)] == [".csv"]


def test_an_export_survives_a_shutdown_of_the_server(start, data_dir):
    server = start(paused=True)
    id = server.call("POST", "/api/team/exports", REQUEST)["id"]
    wait_for(lambda: files(data_dir))
    assert server.end(signal.SIGTERM)[0] == 0
    assert (status(data_dir), files(data_dir)) == ("PENDING", [])
    assert_whole(start(), id, data_dir)


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_export_survives_a_kill_at_any_moment(start, data_dir, moment):
    app = create_app(Settings(data_dir=data_dir, scenario="empty"))
    made = app.test_client().post("/api/team/exports", json=REQUEST, headers={"x-api-key": "dryline-local-key"}).json
    app.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(data_dir), moment])
    assert killed.returncode == -signal.SIGKILL
    assert (status(data_dir), [path.suffix for path in files(data_dir)]) == MOMENTS[moment]
    assert_whole(start(), made["id"], data_dir)


def test_a_missing_or_truncated_file_is_written_again_at_the_start(start, data_dir):
    server = start()
    id = server.call("POST", "/api/team/exports", REQUEST)["id"]
    finished(server, id)
    for damage in (lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-1])):
        server.end()
        damage(files(data_dir)[0])
        server = start()
        assert_whole(server, id, data_dir)
