"""Files that are never seen half written, and survive a power cut."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def write_whole(path: Path, content: bytes, *, mode: int = 0o666, durable: bool = True) -> None:
    """Write a file beside `path`, then let it be `path`: whoever looks finds all of it or nothing. Raises OSError.

    `mode` is that of a new file, less the umask. What is not `durable` a power cut may take, whole or in part.
    """
    part = part_of(path)
    part.unlink(missing_ok=True)
    with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    rename(part, path, durable=durable)


def copy_whole(source: Path, path: Path, *, durable: bool = True) -> None:
    """As `write_whole`, with what is in `source`."""
    part = part_of(path)
    try:
        shutil.copyfile(source, part)
        if durable:
            sync(part)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    rename(part, path, durable=durable)


def part_of(path: Path) -> Path:
    """Where a file is written before it is whole."""
    return path.with_name(path.name + ".part")


def rename(source: Path, target: Path, *, durable: bool = True) -> None:
    """Give a file or folder its name, once and for all where it is `durable`. Raises OSError."""
    os.replace(source, target)
    if durable:
        sync(target.parent)


def sync(path: Path) -> None:
    """Force a file's bytes, or the names in a folder, to the disk. Raises OSError."""
    windows = os.name == "nt"
    if windows and path.is_dir():  # there is no way there
        return
    opened = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
