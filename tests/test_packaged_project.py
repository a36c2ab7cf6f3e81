"""A project outside of the repository, with an environment of its own in which the wheel is installed."""

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

[tool.mypy]
strict = true
"""
CLIENT_OF_ITS_CONFTEST = """
from brainbase_labs import BrainbaseLabs

client = BrainbaseLabs()
"""
PROGRAM = """
import asyncio

from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs

client = BrainbaseLabs()


def add(name):
    return client.workers.create(name=name, description=None, status=None)


async def names():
    async with AsyncBrainbaseLabs() as own:
        lists = await asyncio.gather(*[own.workers.list() for _ in range(3)])
        await asyncio.sleep(0.01)
        return [[worker.name for worker in workers] for workers in lists]
"""
TESTS_OF_THE_PROGRAM = """
import asyncio

import conftest
import freezegun
import program
import pytest


@pytest.mark.parametrize("number", range(4))
def test_it(dryline, number):
    print(f"at {dryline.url}")
    with freezegun.freeze_time("2024-01-15", real_asyncio=True):
        dryline.fault(path="/api/workers", delay_ms=20)
        assert program.add("A").created_at.startswith("2024-01-15")
        assert asyncio.run(program.names()) == [["A"]] * 3
        assert [worker.name for worker in conftest.client.workers.list()] == ["A"]
    dryline.verify(path="/api/workers", times=5)


def test_without_a_fixture():
    with pytest.raises(Exception, match="Add the fixture dryline to the test"):
        program.add("B")
"""


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    needed = (*PROJECT["project"]["dependencies"], "brainbase-labs", "freezegun", "httpx", "pytest", "pytest-xdist")
    python, site = environment(tmp_path_factory.mktemp("environment"), *needed)
    with zipfile.ZipFile(wheel) as packed:  # what an installer does, but for the program's script
        packed.extractall(site)
    return python


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(CONFIGURATION)
    return folder


def run(folder, *command):
    """Return a command's output. It gets no variables of pytest or of the vendor's client."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "BRAINBASE"))}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_clients_at_import_frozen_time_xdist_and_asyncio_need_no_configuration(python, tmp_path):
    folder = tmp_path / "bare"
    folder.mkdir()
    files = {"conftest.py": CLIENT_OF_ITS_CONFTEST, "program.py": PROGRAM, "test_program.py": TESTS_OF_THE_PROGRAM}
    for name, code in files.items():
        (folder / name).write_text(code)
    out = run(folder, python, "-m", "pytest", "-n", "2", "-rA")
    assert re.search(r"^=+ 5 passed in", out, re.MULTILINE), out
    assert "dryline: the vendor's client uses http://127.0.0.1:" in out
    assert len(set(re.findall(r"^at (http://\S+)$", out, re.MULTILINE))) == 2


def test_its_types_and_the_guides_are_strict(project, python):
    guide = {title: code for title, code in TESTING.items() if title.endswith(".py")}
    for title, code in guide.items():
        (project / title).write_text(code)
    out = run(project, sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "--python-executable", python, ".")
    assert out == f"Success: no issues found in {len(guide)} source files\n"
