"""Files that are written whole or not at all."""

import contextlib
import fnmatch
import os
from pathlib import Path
from typing import Any

import orjson


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that no reader ever sees a part of it. Raises OSError.

    `mode` is that of a new file, less the umask.
    """
    part = part_of(path)
    part.unlink(missing_ok=True)  # left by a killed process
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read(path: Path) -> bytes:
    """Return the content of a file. Raises OSError.

    In a test with pyfakefs, `Path.read_bytes` and `Path.glob` see the fake files: it tells dryline's calls by the
    nearest frames of the stack, and these have too many of their own. So do `read_text` and `write_bytes`.
    """
    with open(path, "rb") as file:
        return file.read()


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file of dryline's own."""
    content: dict[str, Any] = orjson.loads(read(path))
    return content


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder whose names match, sorted. A folder that does not exist has none; see `read`."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return [folder / name for name in sorted(fnmatch.filter(os.listdir(folder), pattern))]
    return []


def part_of(path: Path) -> Path:
    """Return the path of a file while it is being written."""
    return path.with_name(path.name + ".part")


def remove_folder(folder: Path) -> None:
    """Delete a folder as far as it can be deleted. `shutil.rmtree` fails beside pyfakefs from Python 3.13 on."""
    with contextlib.suppress(OSError):
        for root, folders, files in os.walk(folder, topdown=False):
            for name in files:
                os.unlink(os.path.join(root, name))
            for name in folders:
                os.rmdir(os.path.join(root, name))
        os.rmdir(folder)
