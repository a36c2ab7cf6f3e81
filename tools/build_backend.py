"""The build backend: setuptools on a copy of the sources.

setuptools writes into the folder that it builds, and takes old files from there. Thus `pip install PATH` would need a
writable checkout, and install modules that an upgrade removed. The version has the commit in it (version.py); where
there is no git, as in the image, the variable DRYLINE_BUILD_VERSION can say it.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# pip checks `requires-python` only after it has run this file.
if sys.version_info < (3, 11):  # noqa: UP036  # the check is for older ones
    raise SystemExit(f"dryline needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.")

import tomllib

from setuptools import build_meta

# These work in the checkout: an editable installation uses it, and a source distribution is all of it.
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

# pyproject.toml takes the version from here.
VERSION = os.environ.get("DRYLINE_BUILD_VERSION") or runpy.run_path("version.py")["find_version"](Path.cwd())
_BESIDE_PACKAGES = ("*.py", "py.typed", "pyproject.toml", "README.md", "LICENSE", "docs/*.md")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what a build needs besides setuptools: nothing."""
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Write the wheel's metadata."""
    with _copied_sources():
        return build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Write the wheel."""
    with _copied_sources():
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


@contextmanager
def _copied_sources() -> Iterator[None]:
    """Work in a temporary copy of the wheel's sources."""
    checkout = Path.cwd()
    project = tomllib.loads((checkout / "pyproject.toml").read_text())
    packages = project["tool"]["setuptools"]["packages"]
    with tempfile.TemporaryDirectory(prefix="dryline-build-") as name:
        copy = Path(name)
        for folder in {package.split(".")[1] for package in packages if "." in package}:
            shutil.copytree(checkout / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
        for pattern in _BESIDE_PACKAGES:
            for path in checkout.glob(pattern):
                target = copy / path.relative_to(checkout)
                target.parent.mkdir(exist_ok=True)
                shutil.copy(path, target)
        version = copy / "version.py"
        version.write_text(version.read_text().replace("BUILT: str | None = None", f'BUILT: str | None = "{VERSION}"'))
        os.chdir(copy)
        try:
            yield
        finally:
            os.chdir(checkout)
