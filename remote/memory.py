"""What a pull has read so far, kept beside its output, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import orjson

from dryline.storage.files import write_whole

ABOUT = "about.json"
# Whatever it writes, finished or not.
OWN_FILE = re.compile(r"(about|[0-9a-f]{64})\.json(\.part)?")


class NotAMemory(Exception):
    """Something else lies where the memory should be. The message says where."""


class Memory:
    """A folder of JSON values by name, bound to what it is `of`: of anything else it starts anew.

    Holds no key: of what it is `of` it has the SHA-256. `found` tells whether there was something to go on from,
    `discarded` whether there was something of another pull, `filled` whether anything was read yet. `since` is kept as
    it was when the pull began. Raises NotAMemory for a folder that it did not make, and OSError.
    """

    def __init__(self, folder: Path, of: Any, since: str | None) -> None:
        self.folder = folder
        about = {"of": hashlib.sha256(orjson.dumps(of)).hexdigest(), "since": since}
        there = folder.exists()
        if there and not (folder.is_dir() and all(OWN_FILE.fullmatch(file.name) for file in folder.iterdir())):
            raise NotAMemory(f"{folder} is in the way: it is not what an interrupted pull leaves behind.")
        before = _json(folder / ABOUT) or {}
        self.found = self.filled = before.get("of") == about["of"]
        self.discarded = bool(before) and not self.found
        if not self.found:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            write_whole(folder / ABOUT, orjson.dumps(about))
        self.since: str | None = before["since"] if self.found else about["since"]

    def recall(self, name: str) -> Any:
        """What was kept under this name, or None."""
        return _json(self._file(name))

    def keep(self, name: str, value: Any) -> None:
        """Keep a JSON value."""
        write_whole(self._file(name), orjson.dumps(value))
        self.filled = True

    def forget(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{hashlib.sha256(name.encode()).hexdigest()}.json"


def _json(file: Path) -> Any:
    """A file's JSON; None when there is none, or none that can be read."""
    try:
        return orjson.loads(file.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
