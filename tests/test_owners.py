"""A server that a helper starts as a process of its own: when it ends, and what it takes from the environment."""

import os
import signal
import subprocess
import sys

import pytest

from dryline.testing import DrylineError, DrylineServer, connect, wait_until

DRYLINE = f"{sys.executable} -m dryline"
# A server that writes its address; then the process waits to be ended.
PROGRAM = """
import os, sys, time
from dryline.testing import DrylineServer

with DrylineServer(command=sys.argv[1]) as server:
    {before}
    with open("part", "w") as file:
        file.write(server.url)
    os.rename("part", "url")
    {then}
"""
SESSION = """
import os, time

def test_sleep(dryline):
    with open("part", "w") as file:
        file.write(dryline.url)
    os.rename("part", "url")
    {then}
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Return the folder for temporary files of the processes that a test starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return folder


def address(folder, process):
    wait_until(lambda: (folder / "url").exists() or process.poll() is not None, timeout_s=60)
    return (folder / "url").read_text()


def has_ended(url):
    try:
        connect(url)
    except DrylineError:
        return True
    return False


SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_server_ends_with_a_pytest_that_a_signal_ends(tmp_path, temporary, number):
    (tmp_path / "test_sleep.py").write_text(SESSION.format(then="time.sleep(120)"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "dryline.pytest_plugin", "--dryline-command", DRYLINE]
    ends(tmp_path, temporary, [*command, "test_sleep.py"], number)


@pytest.mark.parametrize("launcher", ["sh -c '{0} \"$@\"; true' sh", "sh -c '{0} \"$@\" < /dev/null & wait' sh"])
def test_a_server_behind_a_launcher_ends_with_its_owner(tmp_path, temporary, launcher):
    program = PROGRAM.format(before="pass", then="time.sleep(120)")
    ends(tmp_path, temporary, [sys.executable, "-c", program, launcher.format(DRYLINE)], signal.SIGKILL)


def ends(folder, temporary, command, number):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = address(folder, process)
        process.send_signal(number)
        # Not reaped before: the owner may stay a zombie.
        wait_until(lambda: has_ended(url), timeout_s=10)
        wait_until(lambda: not list(temporary.glob("dryline-*")), timeout_s=10)
    finally:
        process.kill()
        process.wait()


SETTINGS = {
    "DRYLINE_ADMIN_TOKEN": "secret",
    "DRYLINE_NODE": "a",
    "DRYLINE_HOST": "0.0.0.0",
    "DRYLINE_STRICT": "1",
    "DRYLINE_SEED": "no number",
    "DRYLINE_END_WITH": "1",
}


def test_a_server_takes_no_setting_of_the_shell(monkeypatch):
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    with DrylineServer(command=DRYLINE) as server:
        assert server.client(max_retries=0).workers.list() == []
        assert server.url.startswith("http://127.0.0.1:") and not server.settings()["strict"]
    assert os.environ["DRYLINE_NODE"] == "a"
