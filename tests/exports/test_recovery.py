"""Exports outlive the process that writes them, however it ends."""

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
PAUSE = threading.Event()  # is never set: what is waited for needs the processor more than who asks
ASK = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-02-01T00:00:00.000Z"}

# Serves, but an export waits before its first line until the server ends, so that no test has to be quicker than it.
HELD = """
import sys
from dryline.commands import cli
from dryline.jobs import export_files
from dryline.storage.current_world import current

def hold(names, header=export_files.csv_header):
    current().ending.wait()
    return header(names)

export_files.csv_header = hold
del sys.argv[1]
cli()
"""
# Writes the one export that waits, and is killed at a moment of our choice.
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
elif sys.argv[2] == "before the rename":
    export_files.move_into_place = die
elif sys.argv[2] == "between the rename and the mark":
    export_files.move_into_place = rename_and_die
elif sys.argv[2] == "after the mark":
    Path.unlink = die
with app.world.active():
    app.world.run_due()
"""
MOMENTS = {  # and the state that is left then
    "before anything is written": ("PROCESSING", []),
    "before all is on the disk": ("PROCESSING", [".part"]),
    "before the rename": ("PROCESSING", [".part"]),
    "between the rename and the mark": ("PROCESSING", [".csv"]),
    "after the mark": ("COMPLETED", [".csv"]),
}


@pytest.fixture
def data_dir(tmp_path):
    """A data directory with many logs."""
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
    """Start a server on that directory; `held`: one that does not get ahead with an export."""
    running = []

    def start(held=False):
        before = (sys.executable, "-c", HELD) if held else ()
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


def until(found):
    """Ask until there is something. Fails after 30 seconds."""
    deadline = time.monotonic() + 30
    while not (answer := found()):
        assert time.monotonic() < deadline, "it did not come about"
        PAUSE.wait(0.005)
    return answer


def completed(server, id):
    """The export, once it is finished."""

    def ask():
        export = server.call("GET", f"/api/team/exports/{id}")
        return export if export["status"] not in ("PENDING", "PROCESSING") else None

    return until(ask)


def assert_whole(server, id, data_dir):
    """The export is there once, completed, with every log once in its one file."""
    export = completed(server, id)
    assert (export["status"], export["rowCount"]) == ("COMPLETED", LOGS)
    assert [one["id"] for one in server.call("GET", "/api/team/exports")] == [id]
    with urllib.request.urlopen(export["downloadUrl"]) as answer:
        content = answer.read()
    assert len(content) == export["fileSizeBytes"]
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [row["id"] for row in rows] == [f"log_{i}" for i in range(1, LOGS + 1)]
    assert [path.suffix for path in files(data_dir)] == [".csv"]


def test_an_export_survives_a_server_killed_in_the_middle_of_it(start, data_dir):
    server = start(held=True)
    id = server.call("POST", "/api/team/exports", ASK)["id"]
    until(lambda: files(data_dir))
    server.end(signal.SIGKILL)
    assert status(data_dir) == "PROCESSING"
    assert [path.suffix for path in files(data_dir)] == [".part"]
    assert_whole(start(), id, data_dir)


def test_a_server_told_to_end_gives_a_running_export_back(start, data_dir):
    server = start(held=True)
    id = server.call("POST", "/api/team/exports", ASK)["id"]
    until(lambda: files(data_dir))
    assert server.end(signal.SIGTERM)[0] == 0
    assert (status(data_dir), files(data_dir)) == ("PENDING", [])
    assert_whole(start(), id, data_dir)


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_export_survives_a_kill(start, data_dir, moment):
    app = create_app(Settings(data_dir=data_dir, scenario="empty"))
    made = app.test_client().post("/api/team/exports", json=ASK, headers={"x-api-key": "dryline-local-key"}).json
    app.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(data_dir), moment])
    assert killed.returncode == -signal.SIGKILL
    assert (status(data_dir), [path.suffix for path in files(data_dir)]) == MOMENTS[moment]
    assert_whole(start(), made["id"], data_dir)


def test_a_completed_export_whose_file_is_gone_or_short_gets_it_again(start, data_dir):
    server = start()
    id = server.call("POST", "/api/team/exports", ASK)["id"]
    completed(server, id)
    for damage in (lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-1])):
        server.end()
        damage(files(data_dir)[0])
        server = start()
        assert_whole(server, id, data_dir)
