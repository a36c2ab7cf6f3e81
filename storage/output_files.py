"""Files that the user names for output, which may be links, devices, pipes or mount points."""

import os
from pathlib import Path
from stat import S_IMODE
from tempfile import NamedTemporaryFile


def write_output(path: Path, content: bytes) -> None:
    """Write the file at `path`, with links followed. Raises OSError.

    A new or regular file is replaced as a whole and keeps its mode, so that a failure leaves the old one. A device, a
    pipe, a mount point and every other file that cannot be replaced are written in place.
    """
    target = find_regular(path)
    if target is not None and _replace(target, content):
        return
    with open(path, "wb", opener=_open_in_place) as file:
        file.write(content)


def find_regular(path: Path) -> Path | None:
    """Return the new or regular file that `path` leads to; None for all else, such as a device."""
    target = Path(os.path.realpath(path))
    if path.exists():
        return target if target.is_file() else None
    return target


def _replace(target: Path, content: bytes) -> bool:
    """Write a new file and rename it to `target`. Return False if that cannot be done here; nothing is left then."""
    try:
        file = NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:100]}.", delete=False)  # noqa: SIM115  # closed below
    except OSError:  # such as a folder that may not be written to
        return False
    part = Path(file.name)
    try:
        with file:
            if target.exists():
                part.chmod(S_IMODE(target.stat().st_mode))
            file.write(content)
        try:
            part.replace(target)
        except OSError:  # such as a mount point
            return False
        return True
    finally:
        part.unlink(missing_ok=True)


def _open_in_place(path: str, flags: int) -> int:
    """Open a file that exists without O_CREAT, which Linux refuses for another user's pipe in a shared folder."""
    if Path(path).exists():
        return os.open(path, flags & ~os.O_CREAT)
    return os.open(path, flags, 0o666)
