"""Both fixtures beside tools that replace the time or the files of the process, each in a process that must end."""

import os
import subprocess
import sys

import pytest

WAITS = """
import socket
import threading
import time

import pytest

from dryline import testing

real_s = lambda: time.clock_gettime(time.CLOCK_MONOTONIC)


@pytest.fixture(autouse=True)
def ends_in_seconds():
    began = real_s()
    yield
    assert real_s() - began < 50


@pytest.fixture(params=["dryline", "dryline_in_process"])
def world(request, patched):
    return request.getfixturevalue(request.param)


def test_wait_until_gives_up(patched):
    with pytest.raises(testing.DrylineError, match="Timed out"):
        testing.wait_until(lambda: False, timeout_s=0.2)


@pytest.mark.parametrize("rule", [{"delay_ms": 200}, {"bytes_per_second": 10}])
def test_a_delay_takes_its_time_and_ends(world, rule):
    world.fault(path="/api/workers", **rule)
    client, began = world.client(max_retries=0, timeout=7), real_s()
    assert client.workers.list() == []
    assert real_s() - began > 0.05


def test_a_reset_ends_a_delay(world):
    world.fault(path="/api/workers", delay_ms=60_000)
    client = world.client(max_retries=0)
    thread = threading.Thread(target=lambda: pytest.raises(Exception, client.workers.list), daemon=True)
    thread.start()
    testing.wait_until(lambda: world.faults()[0]["hits"], timeout_s=5)
    world.reset()
    thread.join(30)
    assert not thread.is_alive()


def test_a_wait_for_requests_ends(world):
    with pytest.raises(testing.DrylineError):
        world.plane("POST", "/requests/wait", {"path": "/api/workers", "timeoutMs": 200})
"""
PATCHES = {
    "freezegun": 'from freezegun import freeze_time\n\npatch = lambda: freeze_time("2024-01-15")',
    "time_machine": 'import time_machine\n\npatch = lambda: time_machine.travel("2024-01-15", tick=False)',
}
PATCHED = """


@pytest.fixture
def patched():
    with patch():
        yield


def test_time_of_the_api_begins_at_the_patched_time(world):
    from datetime import datetime, UTC
    assert abs((world.now() - datetime.now(UTC)).total_seconds()) < 60
"""


def pytest_in(folder, code, *flags):
    """Run pytest on a module, without other plugins, and return its output. It fails if it does not end."""
    (folder / "test_it.py").write_text(code)
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "dryline.pytest_plugin", *flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("tool", PATCHES)
def test_waits_delays_and_resets_end_with_patched_time(tmp_path, tool):
    pytest_in(tmp_path, PATCHES[tool] + WAITS + PATCHED)


FILES = """
import os
from pathlib import Path

import httpx
import pytest

from dryline import testing


def use(world, **transport):
    client = world.client()
    client.workers.create(name="A", description=None, status=None)
    world.reset()
    assert client.workers.list() == []
    world.fault(path="/api/workers", delay_ms=50)
    assert client.workers.list() == []
    world.simulate_calls(5)
    window = {"startDate": "2020-01-01T00:00:00Z", "endDate": "2020-03-01T00:00:00Z", "format": "CSV"}
    with httpx.Client(base_url=world.url, headers={"x-api-key": world.api_key}, **transport) as client:
        export = client.post("/api/team/exports", json=window).json()
        world.advance(days=0.5)
        export = client.get(f"/api/team/exports/{export['id']}").json()
        assert client.get(export["downloadUrl"]).status_code == 200
    world.snapshot("one")
    world.restore("one")
    assert world.talk(code="say('hello')\\n").said == ["hello"]
    assert not os.path.exists("/usr") and list(Path("/").glob("dryline*")) == []


def test_files_of_the_test_are_fake(fs, dryline, dryline_in_process):
    fs.create_file("/orders.csv", contents="one")
    use(dryline)
    use(dryline_in_process, transport=dryline_in_process.transport())
    assert Path("/orders.csv").read_text() == "one"


def test_without_fake_files(dryline):
    assert os.path.exists("/usr")
    dryline.reset()
"""


def test_a_stand_in_has_real_files_beside_pyfakefs(tmp_path):
    pytest_in(tmp_path, FILES, "-p", "pyfakefs.pytest_plugin")
