"""Files that are written whole or not at all."""

import os
from pathlib import Path


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


def part_of(path: Path) -> Path:
    """Return the path of a file while it is being written."""
    return path.with_name(path.name + ".part")
