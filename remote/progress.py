"""Progress of a pull, stored beside its output, so that an interrupted pull continues."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import orjson

from dryline.storage.files import write_whole

ABOUT = "about.json"
# The files that a pull writes, finished or not.
OWN_FILE = re.compile(r"(about|[0-9a-f]{64})\.json(\.part)?")


class ForeignFolder(Exception):
    """The folder contains files of something else. The message names it."""


class PullProgress:
    """A folder of JSON values by name, for one combination of options (`of`).

    Stores only a hash of the options, never the API key. `can_resume` says whether there is progress of the same
    options, `discarded` whether that of other options was deleted, `filled` whether anything was read yet. `since`
    keeps its value from the start of the pull. Raises ForeignFolder for a folder that a pull did not make, and OSError.
    """

    def __init__(self, folder: Path, of: Any, since: str | None) -> None:
        self.folder = folder
        about = {"of": hashlib.sha256(orjson.dumps(of)).hexdigest(), "since": since}
        if folder.exists() and not (
            folder.is_dir() and all(OWN_FILE.fullmatch(file.name) for file in folder.iterdir())
        ):
            raise ForeignFolder(f"{folder} is in the way: it is not the progress of an interrupted pull.")
        before = _json(folder / ABOUT) or {}
        self.can_resume = self.filled = before.get("of") == about["of"]
        self.discarded = bool(before) and not self.can_resume
        if not self.can_resume:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            write_whole(folder / ABOUT, orjson.dumps(about))
        self.since: str | None = before["since"] if self.can_resume else about["since"]

    def load(self, name: str) -> Any:
        """Return the value with this name, or None."""
        return _json(self._file(name))

    def save(self, name: str, value: Any) -> None:
        """Store a JSON value."""
        write_whole(self._file(name), orjson.dumps(value))
        self.filled = True

    def delete(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{hashlib.sha256(name.encode()).hexdigest()}.json"


def _json(file: Path) -> Any:
    """Return a file's JSON; None if it is missing or not readable."""
    try:
        return orjson.loads(file.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
