"""What is shipped: the wheel, and the container's steps run without a container."""

import fnmatch
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def instructions():
    """The Dockerfile's instructions as (word, rest)."""
    text = re.sub(r"(?m)^\s*#.*\n", "", DOCKERFILE).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def build_context(target):
    """The files that .dockerignore lets through, copied."""
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in tracked.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and any(fnmatch.fnmatch(name, k) or name.startswith(k + "/") for k in kept):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / name)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A scratch environment in which the build context is installed as the Dockerfile does it.

    The dependencies are those of the running tests, so that nothing is downloaded.
    """
    folder = tmp_path_factory.mktemp("container")
    build_context(folder / "src")
    venv.create(folder / "venv", with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "venv")}, scheme="venv"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "venv" / "bin" / "python"
    flags = ["--quiet", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    command = [python, "-m", "pip", "install", *flags, "."]
    done = subprocess.run(command, cwd=folder / "src", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "venv" / "bin"


def test_the_shipped_program_starts_from_any_folder(installed, tmp_path):
    done = subprocess.run([installed / "dryline", "openapi"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["info"]["version"] == "1.0.3"


def test_the_scenarios_and_migrations_are_shipped(installed, tmp_path):
    code = "import dryline.data, dryline.world.migrations as m, pathlib; print(dryline.data.__path__[0]); print(m.HERE)"
    done = subprocess.run([installed / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    data, migrations = map(Path, done.stdout.split())
    assert str(data).startswith(str(installed.parent))
    assert (data / "demo.json").exists()
    assert (migrations / "0001_initial.py").exists()


def test_every_folder_of_code_is_a_package_of_the_wheel():
    import tomllib

    named = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    tracked = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    folders = {str(Path(name).parent) for name in tracked}
    code = {folder for folder in folders if folder.split("/")[0] not in ("tests", "bench", "tools", ".")}
    assert {f"dryline.{folder.replace('/', '.')}" for folder in code} | {"dryline"} == named


def test_the_image_runs_without_root_with_a_volume_and_a_health_check():
    words = [word for word, _ in instructions()]
    rest = dict(instructions())
    assert rest["USER"] not in ("root", "0")
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert rest["VOLUME"] == "/data"
    assert "DRYLINE_DATA_DIR=/data" in rest["ENV"]
    assert set(words) <= {"FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "ENV", "EXPOSE", "HEALTHCHECK"} | {
        "ENTRYPOINT",
        "CMD",
    }


def test_the_images_health_check_and_entry_point_work(installed, tmp_path):
    rest = dict(instructions())
    check = json.loads(rest["HEALTHCHECK"].split("CMD", 1)[1])
    ready = tmp_path / "ready.json"
    command = [*json.loads(rest["ENTRYPOINT"]), *json.loads(rest["CMD"])]
    server = subprocess.Popen(
        [installed / command[0], *command[1:], "--port", "0", "--ephemeral", "--ready-file", str(ready)],
        stdout=subprocess.DEVNULL,
    )
    try:
        while not ready.exists():
            assert server.poll() is None
        url = json.loads(ready.read_text())["url"]
        check[-1] = check[-1].replace("http://127.0.0.1:4010", url)
        assert subprocess.run([sys.executable, *check[1:]]).returncode == 0
    finally:
        server.terminate()
        server.wait()
    assert subprocess.run([sys.executable, *check[1:]], stderr=subprocess.DEVNULL).returncode != 0
