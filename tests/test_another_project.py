"""A project outside of the repository, with an environment of its own in which the wheel is installed."""

import compileall
import os
import re
import subprocess
import sys
import zipfile

import pytest

from dryline.tests.test_guides import TESTING
from dryline.tests.test_packaging import PROJECT, environment

CONFIGURATION = """
[tool.pytest.ini_options]
addopts = "--strict-markers --strict-config"
filterwarnings = ["error"]
dryline_scenario = "world.json"

[tool.mypy]
strict = true
"""
WORLD = '{"version": 1, "workers": [{"id": "w1", "name": "One"}]}'
TESTS = """
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dryline import testing


@pytest.fixture
def clinic(dryline: testing.StandIn) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=dryline.url, headers={"x-api-key": dryline.api_key}) as client:
        client.post("/api/workers", json={"name": "Clinic", "description": None, "status": None})
        yield client


@pytest.mark.parametrize("number", range(24))
def test_a_fixture_upon_the_fixture(clinic: httpx.Client, worker_id: str, number: int) -> None:
    print(f"{worker_id} at {clinic.base_url}")
    assert [worker["name"] for worker in clinic.get("/api/workers").json()] == ["Clinic", "One"]


def test_it_is_the_wheel_that_is_imported() -> None:
    assert Path(testing.__file__).is_relative_to(Path(__file__).parents[1] / "environment")
"""


@pytest.fixture
def python(wheel, tmp_path):
    needed = (*PROJECT["project"]["dependencies"], "brainbase-labs", "httpx", "pytest", "pytest-xdist")
    python, site = environment(tmp_path / "environment", *needed)
    with zipfile.ZipFile(wheel) as packed:  # what an installer does, but for the program's script
        packed.extractall(site)
    return python


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(CONFIGURATION)
    (folder / "world.json").write_text(WORLD)
    (folder / "test_clinic.py").write_text(TESTS)
    return folder


def run(folder, *command):
    """Return a command's output. It gets no variables of pytest or of the vendor's client."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "BRAINBASE"))}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_tests_run_on_workers_that_have_a_server_each(project, python, tmp_path):
    # As an installer does it (what is linked is compiled already): each worker would do it.
    compileall.compile_dir(tmp_path / "environment", quiet=1)
    out = run(project, python, "-m", "pytest", "-n", "2", "-rA")
    assert re.search(r"^=+ 25 passed in", out, re.MULTILINE), out
    places = set(re.findall(r"^(gw\d) at (http://\S+)$", out, re.MULTILINE))
    assert len(places) == len({worker for worker, _ in places}) == len({url for _, url in places}) == 2


def test_its_types_and_the_guides_are_strict(project, python):
    guide = {title: code for title, code in TESTING.items() if title.endswith(".py")}
    for title, code in guide.items():
        (project / title).write_text(code)
    out = run(project, sys.executable, "-m", "mypy", "--python-executable", python, ".")
    assert out == f"Success: no issues found in {1 + len(guide)} source files\n"
