"""Acknowledged writes survive a kill. Snapshots and exports are written whole, or not at all."""

import contextlib
import csv
import io
import random
import sqlite3
import subprocess
import sys

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.storage.directory import database_in

ROUNDS = 6
# Acts on copies of a directory. In each it is killed one step later: at the n-th commit, or the n-th rename, link or
# removal of a file. At last it is not.
KILLED = """
import itertools, os, shutil, signal, sys
from dryline.app import create_app
from dryline.settings import Settings
from dryline.storage.database import WorldDatabase

ACTIONS = {
    "save": ("/snapshots", {"name": "one"}),
    "restore": ("/snapshots/one/restore", None),
    "export": ("/clock/advance", {"seconds": 0}),
}
left = 0

def counted(call):
    def counting(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return counting

def act(directory, path, body, step):
    global left
    app = create_app(Settings(data_dir=directory, scenario="empty"))
    for name in ("rename", "replace", "link", "unlink", "mkdir", "rmdir"):
        setattr(os, name, counted(getattr(os, name)))
    WorldDatabase.commit = counted(WorldDatabase.commit)
    left = step
    assert app.test_client().post("/_dryline" + path, json=body).status_code < 300

world, action = sys.argv[1:]
create_app(Settings(ephemeral=True, scenario="empty")).close()  # what a first start loads, once for all
for step in itertools.count(1):
    copy = f"{world} {step}"
    shutil.copytree(world, copy)
    child = os.fork()
    if child == 0:
        act(copy, *ACTIONS[action], step)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        break
    assert status == signal.SIGKILL, status
"""
KEY = {"x-api-key": "dryline-local-key"}


def opened(directory):
    return contextlib.closing(create_app(Settings(data_dir=directory, scenario="empty")))


@pytest.fixture(autouse=True)
def world(tmp_path):
    """Make a world with a snapshot `one` that has a worker and an upload which the world has lost since."""
    with opened(tmp_path / "world") as app:
        client = app.test_client()
        worker = {"name": "One", "description": None, "status": None}
        worker = client.post("/api/workers", json=worker, headers=KEY).json
        query = {"fileName": "a.txt", "contentType": "text/plain"}
        url = f"/api/upload/{worker['id']}/resource-upload-url"
        address = client.get(url, query_string=query, headers=KEY).json["uploadUrl"]
        assert client.put(address, data=b"one").status_code == 200
        client.post("/_dryline/snapshots", json={"name": "one"})
        client.post("/_dryline/reset")
        client.post("/_dryline/clock/advance", json={"seconds": 0})
        assert list((tmp_path / "world" / "uploads").iterdir()) == []


def broken_off(tmp_path, action):
    """Run the action on copies of the world, kill each one step later, and return the copies."""
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "world", action], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    copies = list(tmp_path.glob("world *"))
    assert len(copies) > 5
    return copies


def test_a_snapshot_whose_replacement_was_killed_is_there(tmp_path):
    for copy in broken_off(tmp_path, "save"):
        with opened(copy) as app:
            client = app.test_client()
            assert [row["name"] for row in client.get("/_dryline/snapshots").json] == ["one"]
            assert client.post("/_dryline/snapshots/one/restore").status_code == 204
            assert client.delete("/_dryline/snapshots/one").status_code == 204
        assert {path.name for path in (copy / "snapshots").iterdir()} == {"before reset 1", ".part"}


def test_a_restore_that_was_killed_leaves_no_row_without_its_file(tmp_path):
    counts = set()
    for copy in broken_off(tmp_path, "restore"):
        with opened(copy) as app, app.world.active():
            rows = {id for (id,) in app.world.db.execute_sql("SELECT id FROM upload")}
            assert rows <= {path.name for path in (copy / "uploads").iterdir()}
            counts.add(len(rows))
    assert counts == {0, 1}


def test_an_export_is_written_again_after_a_kill_at_any_moment(tmp_path):
    times = [f"2026-01-02T10:{n // 60:02}:{n % 60:02}.000Z" for n in range(200)]
    logs = [{"id": f"log_{n}", "workerId": "w", "startTime": time} for n, time in enumerate(times)]
    window = {"format": "CSV", "startDate": times[0], "endDate": times[-1]}
    with opened(tmp_path / "world") as app:
        document = {"version": 1, "workers": [{"id": "w", "name": "W"}], "voiceLogs": logs}
        assert app.test_client().put("/_dryline/state", json=document).status_code == 204
        assert app.test_client().post("/api/team/exports", json=window, headers=KEY).status_code == 201
    left = set()
    for copy in broken_off(tmp_path, "export"):
        with contextlib.closing(sqlite3.connect(copy / "dryline.sqlite3")) as database:
            (status,) = database.execute("SELECT status FROM export").fetchone()
        left.add((status, *(path.suffix for path in (copy / "exports").iterdir())))
        with opened(copy) as app:
            client = app.test_client()
            client.post("/_dryline/clock/advance", json={"seconds": 0})
            (export,) = client.get("/api/team/exports", headers=KEY).json
            content = client.get(export["downloadUrl"], buffered=True).data
            assert (export["status"], export["fileSizeBytes"]) == ("COMPLETED", len(content))
            rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
            assert [row["id"] for row in rows] == [log["id"] for log in logs]
            assert [path.suffix for path in app.world.exports.iterdir()] == [".csv"]
    assert left == {("PENDING",), ("PROCESSING", ".part"), ("PROCESSING", ".csv"), ("COMPLETED", ".csv")}


# Writes to a world until a signal ends the process at once, and prints each step before it begins and after its answer.
WRITING = """
import itertools, os, signal, sys
from dryline.app import create_app
from dryline.settings import Settings

client = create_app(Settings(data_dir=sys.argv[1], scenario="empty")).test_client()
key = {"x-api-key": "dryline-local-key"}
steps = {
    "create": lambda name: client.post("/api/workers", json={"name": name}, headers=key),
    "reset": lambda name: client.post("/_dryline/reset"),
    "restore": lambda name: client.post("/_dryline/snapshots/base/restore"),
    "import": lambda name: client.put("/_dryline/state", json={"version": 1, "workers": [{"id": name, "name": name}]}),
}
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]))  # SIGALRM has no handler, so it kills
for number in itertools.count():
    for step, run in steps.items():
        os.write(1, f"begin {step} {step} {number}\n".encode())
        assert run(f"{step} {number}").status_code in (201, 204)
        os.write(1, f"done {step} {step} {number}\n".encode())
"""


def names_after(names, line):
    """Return the names of all workers after a step."""
    _, step, name = line.split(" ", 2)
    return {"create": names | {name}, "reset": set(), "restore": {"Base"}, "import": {name}}[step]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interval timer")
def test_acknowledged_writes_survive_a_kill_also_during_reset_restore_and_import(tmp_path, restart):
    api, control = restart()
    api.post("/workers", {"name": "Base"})
    control.post("/snapshots", {"name": "base"})
    names, moments = {"Base"}, random.Random(4)
    for _ in range(ROUNDS):
        restart(data_dir=tmp_path / "another")  # ends the server of the world
        command = [sys.executable, "-c", WRITING, tmp_path / "world", str(moments.uniform(0.01, 0.12))]
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        for line in lines:
            if line.startswith("done"):
                names = names_after(names, line)
        possible = [names]
        if lines and lines[-1].startswith("begin"):
            possible.append(names_after(names, lines[-1]))
        api, _ = restart()
        names = {row["name"] for row in api.get("/workers").json}
        assert names in possible, lines[-3:]
        with contextlib.closing(sqlite3.connect(database_in(tmp_path / "world"))) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
