"""A committed write survives a kill. Only a power cut can take the commits of the last seconds."""

import contextlib
import random
import sqlite3
import subprocess
import sys

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.world.directory import database_in

ROUNDS = 6
NORMAL, OFF = 1, 0  # https://www.sqlite.org/pragma.html#pragma_synchronous


@pytest.mark.parametrize(("ephemeral", "level"), [(False, NORMAL), (True, OFF)])
def test_no_commit_waits_for_the_disk(tmp_path, ephemeral, level):
    settings = Settings(data_dir=tmp_path, ephemeral=ephemeral, scenario="empty")
    with contextlib.closing(create_app(settings)) as app, app.world.active():
        assert app.world.db.execute_sql("PRAGMA synchronous").fetchone() == (level,)
        assert app.world.db.execute_sql("PRAGMA journal_mode").fetchone() == ("wal",)


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
