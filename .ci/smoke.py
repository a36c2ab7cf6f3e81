"""Checks of an installed dryline that has nothing but its dependencies, run from another folder.

Run with that environment's interpreter.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

DRYLINE = str(Path(sys.executable).parent / "dryline")


def run(*arguments: str) -> str:
    """Return a command's output."""
    return subprocess.run([DRYLINE, *arguments], check=True, capture_output=True, text=True).stdout


@contextmanager
def serving(*flags: str) -> Iterator[str]:
    """Start a server and yield its address. It must end cleanly."""
    command = [DRYLINE, "serve", "--port", "0", "--ephemeral", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address, "no address in the first line"
            yield address[0]
        finally:
            server.send_signal(signal.SIGTERM)
            server.stdout.read()
        assert server.wait() == 0


def get(url: str) -> bytes:
    """Return an answer's body, with the default key and without a proxy."""
    request = urllib.request.Request(url, headers={"x-api-key": "dryline-local-key"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return answer.read()


def pytest_is_not_needed() -> None:
    """Check that pytest is missing here, so that the other checks run without it."""
    assert importlib.util.find_spec("pytest") is None


def the_document_is_printed() -> None:
    """`dryline openapi`."""
    assert json.loads(run("openapi"))["info"]["version"] == "1.0.3"


def a_new_world_holds_the_demo(url: str) -> None:
    """Check that scenarios and migrations are installed."""
    assert len(json.loads(get(f"{url}/api/workers"))) == 4


def the_documentation_is_served(url: str) -> None:
    """Check that the interactive documentation and the guides are installed."""
    assert b"swagger" in get(f"{url}/docs")
    assert url.encode() in get(f"{url}/llms.txt")
    assert get(f"{url}/docs/recipes.md").startswith(b"# Recipes")


def a_call_is_heard(url: str) -> None:
    """Check that a recording is made."""
    workers = json.loads(get(f"{url}/api/workers"))
    lists = [json.loads(get(f"{url}/api/workers/{each['id']}/deploymentLogs/voice"))["data"] for each in workers]
    call = next(call for calls in lists for call in calls if call["recordingUrl"])
    with wave.open(io.BytesIO(get(call["recordingUrl"]))) as file:
        assert file.getnframes() == call["duration"] * file.getframerate()


def drift_compares_a_service(url: str) -> None:
    """`dryline drift`, of dryline with itself."""
    said = run("drift", "--against", url, "--api-key", "dryline-local-key", "--rate", "0")
    assert f"{url}: " in said and " 0 deviations" in said, said


def the_console_shows_a_flow(url: str) -> None:
    """Check a page with code."""
    worker = json.loads(get(f"{url}/api/workers"))[0]["id"]
    flow = json.loads(get(f"{url}/api/workers/{worker}/flows"))[0]["id"]
    assert b"<i class=k>until</i>" in get(f"{url}/console/workers/{worker}/flows/{flow}")


def a_program_starts_a_server_of_its_own() -> None:
    """`DrylineServer`."""
    from dryline.testing import DrylineServer

    with DrylineServer() as dryline:
        assert json.loads(get(f"{dryline.url}/api/workers")) == []


CHECKS: tuple[Callable[[], None], ...] = (
    pytest_is_not_needed,
    the_document_is_printed,
    a_program_starts_a_server_of_its_own,
)
CHECKS_OF_A_SERVER: tuple[Callable[[str], None], ...] = (
    a_new_world_holds_the_demo,
    the_documentation_is_served,
    a_call_is_heard,
    drift_compares_a_service,
    the_console_shows_a_flow,
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)
        for check in CHECKS:
            check()
            print(f"  {check.__name__.replace('_', ' ')}")
        with serving("--speech", "tones") as url:
            for check_of_a_server in CHECKS_OF_A_SERVER:
                check_of_a_server(url)
                print(f"  {check_of_a_server.__name__.replace('_', ' ')}")
        os.chdir("/")
