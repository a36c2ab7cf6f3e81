"""The version of a build is that of its release, or names its commit, and rises from commit to commit."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest
from packaging.version import Version

from dryline.tests.test_packaging import built, copied, environment, tracked
from dryline.version import BASE

GIT = {
    **{f"GIT_{who}_{what}": "tests@example.test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder, *arguments, at="2026-01-05T10:00:00Z"):
    environment = {**os.environ, **GIT, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def version_of(folder, target):
    """Return the version of the wheel that is built from a folder."""
    return built("wheel", folder, target).name.split("-")[1]


def sources():
    """Return the project's modules, and the files beside them: a wheel of all takes seconds to compress."""
    is_apart = ("docs/", "tests/")
    return {name for name in tracked() if "/" not in name or (name.endswith(".py") and not name.startswith(is_apart))}


def with_heading(folder, heading):
    """Write a heading over the changelog's newest one."""
    changelog = folder / "CHANGELOG.md"
    changelog.write_text(re.sub(r"(?m)^## .*$", f"## {heading}", changelog.read_text(), count=1))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Return a clone of the project with two commits, and the version that its newest should have."""
    folder = copied(sources(), tmp_path_factory.mktemp("checkout"))
    with_heading(folder, f"{BASE} (unreleased)")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "two", at="2026-01-05T11:30:15Z")
    return folder, f"{BASE}.dev20260105113015+g{git(folder, 'log', '-1', '--abbrev=12', '--format=%h')}"


@pytest.mark.parametrize("how", ["clone", "shallow clone", "archive", "source distribution"])
def test_a_wheel_has_the_commits_time_and_hash(checkout, how, tmp_path):
    source, version = checkout
    folder = tmp_path / "copy"
    if how == "clone":
        git(tmp_path, "clone", "--quiet", str(source), str(folder))
    elif how == "shallow clone":
        git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{source}", str(folder))
    else:
        if how == "archive":
            folder.mkdir()
            packed = tmp_path / "archive.tar"
            git(source, "archive", "--output", str(packed), "HEAD")
        else:
            packed = built("sdist", source, tmp_path / "dist")
        with tarfile.open(packed) as file:
            file.extractall(folder, filter="data")
        folder = folder if how == "archive" else next(folder.iterdir())
    assert version_of(folder, tmp_path / "wheel") == version


def test_a_newer_commit_is_installed_over_an_older_one(checkout, tmp_path):
    source, newest = checkout
    git(tmp_path, "clone", "--quiet", str(source), "old")
    git(tmp_path / "old", "reset", "--quiet", "--hard", "HEAD~1")
    python, site = environment(tmp_path / "environment")
    with zipfile.ZipFile(built("wheel", tmp_path / "old", tmp_path / "of-old")) as packed:
        packed.extractall(site)
    wheel = built("wheel", source, tmp_path / "of-newest")
    flags = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--upgrade", "--pre"]
    # The name with a folder to find it in: a wheel's path would be installed whatever is there.
    pip = [sys.executable, "-m", "pip", "--python", python, "install", *flags, "--find-links", wheel.parent, "dryline"]
    subprocess.run(pip, check=True)
    answer = subprocess.run(
        [python, "-c", "import dryline; print(dryline.__version__)"], capture_output=True, text=True
    )
    assert answer.stdout.strip() == newest
    assert Version(newest) < Version(BASE)


@pytest.mark.parametrize("argument", [None, "1.2.3"])
def test_without_git_a_build_has_the_version_that_it_is_passed_or_says_unknown(argument, tmp_path, monkeypatch):
    if argument:
        monkeypatch.setenv("DRYLINE_BUILD_VERSION", argument)
    folder = copied(("pyproject.toml", "version.py", "tools/build_backend.py"), tmp_path / "copy")
    code = "import sys; sys.path.append('tools'); import build_backend; print(build_backend.VERSION)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert answer.stdout.strip() == (argument or f"{BASE}+unknown")


def test_an_editable_installation_has_the_version_of_the_present_commit(checkout):
    source, newest = checkout
    code = "import runpy; print(runpy.run_path('version.py')['find_version']())"
    answer = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True)
    assert answer.stdout.strip() == newest


def test_the_commit_whose_heading_has_a_date_is_exactly_the_release(checkout, tmp_path):
    git(tmp_path, "clone", "--quiet", str(checkout[0]), "copy")
    folder = tmp_path / "copy"
    with_heading(folder, f"{BASE} (2026-01-06)")
    git(folder, "commit", "--quiet", "--all", "--message", "release")
    assert version_of(folder, tmp_path / "wheel") == BASE


def test_the_commit_after_a_release_is_on_the_way_to_the_next(checkout, tmp_path):
    git(tmp_path, "clone", "--quiet", str(checkout[0]), "copy")
    folder = tmp_path / "copy"
    with_heading(folder, f"9.8.0 (unreleased)\n\n## {BASE} (2026-01-06)")
    version = folder / "version.py"
    version.write_text(version.read_text().replace(f'BASE = "{BASE}"', 'BASE = "9.8.0"'))
    git(folder, "commit", "--quiet", "--all", "--message", "next", at="2026-01-07T08:00:00Z")
    built_version = version_of(folder, tmp_path / "wheel")
    assert built_version.startswith("9.8.0.dev20260107080000+g")
    assert Version(BASE) < Version(built_version)
