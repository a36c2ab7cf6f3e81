"""The version: the base below, with the commit that it was built from or runs from.

`0.2.0.dev20261127154500+g1a2b3c4d5e6f` is the commit 1a2b3c4d5e6f of that time, on the way to 0.2.0. It rises from
commit to commit, in a shallow clone too. Where the changelog's newest heading has a date, as in
`## 0.2.0 (2026-12-01)`, this is the release, and its version is the base alone.

tools/build_backend.py runs this file, so it uses the standard library alone.
"""

import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

BASE = "0.3.0"
BUILT: str | None = None  # in a wheel: its version, which the build writes here
# `git archive` writes the commit here: its time and hash.
ARCHIVED = "$Format:%ct %H$"


def find_version(folder: Path = Path(__file__).parent) -> str:
    """Return the version that a build wrote here, else that of the source distribution or the commit in `folder`."""
    if BUILT is not None:
        return BUILT
    metadata = folder / "PKG-INFO"
    if metadata.is_file() and (match := re.search(r"(?m)^Version: (\S+)", metadata.read_text(encoding="utf-8"))):
        return match[1]
    if _is_released(folder):
        return BASE
    commit = re.fullmatch(r"(\d+) (\w{12})\w*", _commit(folder) or ARCHIVED)
    if commit is None:
        return f"{BASE}+unknown"
    return f"{BASE}.dev{datetime.fromtimestamp(int(commit[1]), UTC):%Y%m%d%H%M%S}+g{commit[2]}"


def _is_released(folder: Path) -> bool:
    """Return whether the newest heading of the changelog has a date."""
    changelog = folder / "CHANGELOG.md"
    if not changelog.is_file():
        return False
    heading = re.search(r"(?m)^## .*$", changelog.read_text(encoding="utf-8"))
    return heading is not None and re.fullmatch(r"## \S+ \(\d{4}-\d\d-\d\d\)", heading[0]) is not None


def _commit(folder: Path) -> str | None:
    """Return time and hash of the checkout's commit, or None."""
    if not (folder / ".git").exists():
        return None
    command = ["git", "-C", str(folder), "log", "-1", "--format=%ct %H"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
