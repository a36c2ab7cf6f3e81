"""A snapshot is made or restored whole, or not at all, wherever the process is killed."""

import contextlib
import subprocess
import sys

import pytest

from dryline.app import create_app
from dryline.settings import Settings

# Snapshots stay through a reset.
pytestmark = pytest.mark.alone

# Makes a snapshot or restores one, each time in another copy of a directory, and is killed one step later: at the
# n-th rename, link or removal of a file. At last it is not.
KILLED = """
import itertools, os, shutil, signal, sys
from dryline.app import create_app
from dryline.settings import Settings

left = 0

def counted(call):
    def counting(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return counting

def act(directory, action, step):
    global left
    app = create_app(Settings(data_dir=directory, scenario="empty"))
    for name in ("rename", "replace", "link", "unlink", "mkdir", "rmdir"):
        setattr(os, name, counted(getattr(os, name)))
    left = step
    path, body = {"save": ("", {"name": "one"}), "restore": ("/one/restore", None)}[action]
    assert app.test_client().post("/_dryline/snapshots" + path, json=body).status_code < 300

world, action = sys.argv[1:]
for step in itertools.count(1):
    copy = f"{world} {step}"
    shutil.copytree(world, copy)
    child = os.fork()
    if child == 0:
        act(copy, action, step)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        break
    assert status == signal.SIGKILL, status
"""
KEY = {"x-api-key": "dryline-local-key"}


@pytest.fixture
def left_world(tmp_path):
    """Open and leave a world with a snapshot `one` that has a worker and an upload which the world has lost since."""

    @contextlib.contextmanager
    def opened(directory=tmp_path / "world"):
        app = create_app(Settings(data_dir=directory, scenario="empty"))
        try:
            yield app
        finally:
            app.close()

    with opened() as app:
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
    return opened


def broken_off(tmp_path, action):
    """Run the action on copies of the world, kill each one step later, and return the copies."""
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "world", action], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    copies = list(tmp_path.glob("world *"))
    assert len(copies) > 5
    return copies


def test_a_snapshot_whose_replacement_was_killed_is_there(tmp_path, left_world):
    for copy in broken_off(tmp_path, "save"):
        with left_world(copy) as app:
            client = app.test_client()
            assert [row["name"] for row in client.get("/_dryline/snapshots").json] == ["one"]
            assert client.post("/_dryline/snapshots/one/restore").status_code == 204
            assert client.delete("/_dryline/snapshots/one").status_code == 204
        assert {path.name for path in (copy / "snapshots").iterdir()} == {"before reset 1", ".part"}


def test_a_restore_that_was_killed_leaves_no_row_without_its_file(tmp_path, left_world):
    counts = set()
    for copy in broken_off(tmp_path, "restore"):
        with left_world(copy) as app, app.world.active():
            rows = {id for (id,) in app.world.db.execute_sql("SELECT id FROM upload")}
            assert rows <= {path.name for path in (copy / "uploads").iterdir()}
            counts.add(len(rows))
    assert counts == {0, 1}
