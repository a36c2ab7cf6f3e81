"""Files that are written whole or not at all, and that survive a power cut."""

import contextlib
import fnmatch
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def write_whole(path: Path, content: bytes, *, mode: int = 0o666, durable: bool = True) -> None:
    """Write a file so that no reader ever sees a part of it. Raises OSError.

    `mode` is that of a new file, less the umask. A power cut may take a file that is not `durable`, whole or in part.
    """
    part_of(path).unlink(missing_ok=True)  # left by a killed process
    with (
        _replacing(path, durable) as part,
        open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file,
    ):
        file.write(content)


def read(path: Path) -> bytes:
    """Return the content of a file. Raises OSError.

    In a test with pyfakefs, `Path.read_bytes` and `Path.glob` see the fake files: it tells dryline's calls by the
    nearest frames of the stack, and these have too many of their own. So do `read_text` and `write_bytes`.
    """
    with open(path, "rb") as file:
        return file.read()


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder whose names match, sorted. A folder that does not exist has none; see `read`."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return [folder / name for name in sorted(fnmatch.filter(os.listdir(folder), pattern))]
    return []


def copy_whole(source: Path, path: Path, *, durable: bool = True) -> None:
    """Copy a file so that no reader ever sees a part of it. Raises OSError."""
    with _replacing(path, durable) as part:
        shutil.copyfile(source, part)


@contextlib.contextmanager
def _replacing(path: Path, durable: bool) -> Iterator[Path]:
    """Give a temporary path for a new file, and rename it to `path` after the block. An exception removes the file."""
    part = part_of(path)
    try:
        yield part
        if durable:
            sync(part)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    rename(part, path, durable=durable)


def part_of(path: Path) -> Path:
    """Return the path of a file while it is being written."""
    return path.with_name(path.name + ".part")


def rename(source: Path, target: Path, *, durable: bool = True) -> None:
    """Rename a file or folder. A power cut does not undo it if it is `durable`. Raises OSError."""
    os.replace(source, target)
    if durable:
        sync(target.parent)


def sync(path: Path) -> None:
    """Flush a file's content, or a folder's list of names, to the disk. Raises OSError."""
    windows = os.name == "nt"
    if windows and path.is_dir():  # Windows cannot flush a folder
        return
    descriptor = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
