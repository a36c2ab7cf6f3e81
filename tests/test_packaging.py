"""The distributions: the wheel, the source distribution, and the image's steps without a container."""

import contextlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from docker.utils.build import PatternMatcher
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dryline.version import BASE

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = PROJECT["tool"]["setuptools"]["packages"]
SMOKE = str(ROOT / ".ci" / "smoke.py")
# Of the checkout, but not of the program.
APART = (".ci", "deploy", "docs", "tests", "tools")


def instructions():
    """Return the Dockerfile's instructions as (word, rest)."""
    text = re.sub(r"(?m)^\s*#.*\n", "", DOCKERFILE).replace("\\\n", "")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def tracked():
    """Return the project's files."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name in names if (ROOT / name).is_file()}


def program():
    """Those of them that make the program: modules and `py.typed` of the root, the packages, the guides it serves."""
    folders = {package.split(".")[1] for package in PACKAGES if "." in package}
    beside = r"\w+\.py|py\.typed|docs/[\w-]+\.md"
    return {name for name in tracked() if name.split("/")[0] in folders or re.fullmatch(beside, name)}


def build_context(folder):
    """Return the files that are sent to Docker, as its Python client reads .dockerignore."""
    lines = [line.strip() for line in (folder / ".dockerignore").read_text().splitlines()]
    patterns = [line for line in lines if line and not line.startswith("#")]
    # Without this first line the client lets more through than Docker does.
    assert patterns[0] == "*"
    return {name for name in PatternMatcher([*patterns, "!Dockerfile"]).walk(str(folder)) if (folder / name).is_file()}


def copied(names, folder):
    """Files of the project, at another place."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def built(kind, source, target):
    """Build a distribution of a folder with the installed tools, and return it."""
    command = [sys.executable, "-m", "build", "-n", "-x", f"--{kind}", "--outdir", target, source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(target.iterdir())


def contents(wheel):
    """Return the program's files in a wheel, by their names in the project."""
    with zipfile.ZipFile(wheel) as file:
        return {name.removeprefix("dryline/") for name in file.namelist() if name.startswith("dryline/")}


def distributions(*names):
    """Return these distributions and all that they depend on."""
    needs, seen = [Requirement(each) for each in names], {}
    while needs:
        need = needs.pop()
        name = canonicalize_name(need.name)
        if name not in seen and (need.marker is None or need.marker.evaluate({"extra": ""})):
            seen[name] = importlib.metadata.distribution(name)
            needs += map(Requirement, seen[name].requires or ())
    return seen.values()


def environment(folder, *needed):
    """Create an environment with links to installed packages. Return its interpreter and its package folder."""
    venv.create(folder, with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}, scheme="venv"))
    for distribution in distributions(*needed):
        for name in {path.parts[0] for path in distribution.files} - {"..", "__pycache__"}:
            (site / name).symlink_to(distribution.locate_file(name))
        for path in distribution.files:
            if path.parts[-2:-1] == ("bin",):  # the interpreter of flows is a program of its own
                (folder / "bin" / path.name).symlink_to(distribution.locate_file(path).resolve())
    return folder / "bin" / "python", site


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """Return a scratch environment with the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    python = environment(folder, *PROJECT["project"]["dependencies"])[0]
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "bin"


# The image


def test_the_image_is_made_of_the_whole_program():
    assert program() - build_context(ROOT) == set()


def test_docker_is_sent_little_beside_the_program():
    beside = {"pyproject.toml", "README.md", "LICENSE", "Dockerfile", ".dockerignore", "tools/build_backend.py"}
    assert build_context(ROOT) - program() == beside


@contextlib.contextmanager
def image_running(folder, *flags, **variables):
    """Run the image's command with its variables and these; yield a function that returns the health check's code."""
    rest = dict(instructions())
    check = json.loads(rest["HEALTHCHECK"].split("CMD", 1)[1])
    own = {name: value for name, _, value in (word.partition("=") for word in rest["ENV"].split())}
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as scratch:
        places = {"PATH": path, "DRYLINE_DATA_DIR": f"{scratch}/data", "TMPDIR": scratch}
        proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY"), "http://127.0.0.1:1")
        environment = {**own, **places, **variables, **proxies}
        command = [*json.loads(rest["ENTRYPOINT"]), *json.loads(rest["CMD"]), *flags]

        def healthy():
            return subprocess.run(check, env=environment, cwd=scratch, capture_output=True).returncode == 0

        with subprocess.Popen(command, cwd=scratch, env=environment, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert "answers on" in server.stdout.readline()
                yield healthy
            finally:
                server.terminate()
        assert not healthy()


@pytest.mark.parametrize(
    ("flags", "variables"),
    [
        ((), {"DRYLINE_PORT": "0", "DRYLINE_HOST": "::1", "DRYLINE_EPHEMERAL": "1"}),
        (
            ("--port", "0", "--host", "::", "--public-url", "https://dryline.example/x"),
            {"DRYLINE_PORT": "", "DRYLINE_ADMIN_TOKEN": "secret"},
        ),
    ],
)
def test_the_images_health_check_asks_the_address_that_the_server_wrote(installed, flags, variables):
    with image_running(installed, "--scenario", "empty", *flags, **variables) as healthy:
        assert healthy()


def test_any_user_may_write_into_the_images_volume(tmp_path):
    """A user without a name has group 0, in the image and in its volume."""
    (install,) = re.findall(r"install (-d -o dryline -g root -m \d+) /data", DOCKERFILE)
    made = tmp_path / "data"
    subprocess.run(["install", "-d", *install.split()[-2:], made], check=True)
    mode = made.stat().st_mode
    assert (mode >> 3) & 0o7 == (mode >> 6) & 0o7 == 0o7
    assert "--gid 0 " in DOCKERFILE
    assert dict(instructions())["USER"].isdigit()  # of a name Kubernetes cannot tell that it is not root's


# The distributions


def test_the_wheel_holds_the_whole_program_and_nothing_else_nor_of_an_earlier_build(wheel):
    assert contents(wheel) == program()


def test_the_source_distribution_is_the_checkout_and_makes_the_same_wheel(wheel, tmp_path):
    source = built("sdist", copied(tracked(), tmp_path / "checkout"), tmp_path / "dist")
    with tarfile.open(source) as file:
        file.extractall(tmp_path / "unpacked", filter="data")
    folder = next((tmp_path / "unpacked").iterdir())
    assert tracked() <= {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert contents(built("wheel", folder, tmp_path / "again")) == contents(wheel)


def test_with_nothing_but_its_dependencies(installed):
    done = subprocess.run([installed / "python", SMOKE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_changelog_has_a_section_for_each_version_and_the_present_one_is_first():
    headings = re.findall(r"(?m)^## (.*)$", (ROOT / "CHANGELOG.md").read_text())
    dated = [re.fullmatch(r"(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d|unreleased)\)", heading) for heading in headings]
    assert all(dated), f"a section is headed like 0.1.0 (2026-11-21), not {headings}"
    versions = [Version(heading[1]) for heading in dated]
    assert versions == sorted(set(versions), reverse=True)
    assert str(versions[0]) == BASE
    assert [heading[2] for heading in dated[1:]].count("unreleased") == 0


def test_the_newest_section_of_the_changelog_is_grouped_and_short():
    """Somebody who upgrades reads it: in an order that is always the same, and within a few minutes."""
    section = re.search(r"(?ms)^## .*?(?=^## )", (ROOT / "CHANGELOG.md").read_text())[0]
    groups = re.findall(r"(?m)^### (.*)$", section)
    assert groups == [name for name in ("Added", "Changed", "Fixed", "Removed") if name in groups]
    assert len(section.splitlines()) <= 120
    assert "\n- " not in section.partition("\n### ")[0], "an entry stands in no group"


# The Makefile


def make(*arguments):
    """Run make without the variables of a make that started the tests."""
    environment = {"PATH": os.environ["PATH"]}
    command = ["make", "--no-print-directory", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_an_old_python_is_refused_with_one_line_before_anything_is_made(tmp_path):
    old = tmp_path / "python3.9"
    pretend = "import sys; sys.version_info = (3, 9, 18); sys.version = '3.9.18 (main)'; exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{pretend}" "$2"\n')
    old.chmod(0o755)
    status, said = make(f"PYTHON={old}", "run")
    assert status != 0
    assert said.splitlines()[0].startswith(f"dryline needs Python 3.11 or newer; {old} is 3.9.18.")
    assert not (ROOT / ".venv-3.9").exists()
