"""The cost of an installed dryline for a project that does not use it: pytest's start with its plugin and without."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from load import ROUNDS

# As in a user's environment: with bytecode, and every plugin that is installed.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
}


def run(*arguments: str, folder: Path) -> str:
    """Return the standard error of a run of this Python."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True).stderr


def processor_ms(*arguments: str, folder: Path) -> float:
    """Return the processor time of a run of this Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments, folder=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def import_ms(folder: Path) -> float:
    """Return the time of the plugin's import after pytest was imported, in milliseconds."""
    code = "import pytest, dryline.pytest_plugin"
    said = run("-X", "importtime", "-c", code, folder=folder)
    lines = [[part.strip() for part in line.split("|")] for line in said.splitlines()]
    return next(int(taken) for _, taken, name in lines if name == "dryline.pytest_plugin") / 1000


def starts(directory: Path, row: Callable[[str, str], None]) -> None:
    """Print the start of pytest with the plugin and without, and the modules that the plugin imports."""
    folder = directory / "project"
    folder.mkdir()
    (folder / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    start = ("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider")
    kinds: dict[str, tuple[str, ...]] = {"without": ("-p", "no:dryline"), "with": ()}
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS + 1):  # the first of each writes bytecode
        for name, flags in kinds.items():
            taken[name].append(processor_ms(*start, *flags, folder=folder))
    for name, times in taken.items():
        row(f"start of pytest, {name} the plugin", f"{statistics.median(times[1:]):9.0f} ms of processor time")
    row("import of the plugin", f"{statistics.median(import_ms(folder) for _ in range(ROUNDS)):9.1f} ms")
