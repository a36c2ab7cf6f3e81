"""Files that the user names for output, which may be links, devices, pipes or mount points."""

import contextlib
import errno
import os
import secrets
from pathlib import Path
from stat import S_IMODE, S_ISREG

_STANDARD_OUTPUTS = (1, 2)  # descriptors


def write_output(path: Path, content: bytes, *, before: os.stat_result | None = None) -> None:
    """Write the file at `path`, with links followed. Raises OSError.

    A new or regular file is replaced as a whole, and keeps its mode and owner. A device, a pipe, a mount point and
    every other file that cannot be replaced are written in place. `before` is the status of a file that was removed.
    """
    target = find_regular(path)
    if target and _can_replace(target) and _replace(target, content, before or _status(target)):
        return
    with open(path, "wb", opener=_open_in_place) as file:
        file.write(content)


def find_regular(path: Path) -> Path | None:
    """Return the new or regular file that `path` leads to; None for all else, such as a device or standard output."""
    target, status = Path(os.path.realpath(path)), _status(path)
    if status is None:
        return target
    resolved = _status(target)  # a link below /proc/self/fd can lead to a file that has another name or none
    is_regular = S_ISREG(status.st_mode) and resolved is not None and os.path.samestat(status, resolved)
    return target if is_regular and _standard_output(status) is None else None


def _can_replace(target: Path) -> bool:
    """Return whether a new file can take the place of another one: not if that has more names or an access list."""
    status = _status(target)
    return status is None or (status.st_nlink == 1 and not _attributes(target))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _attributes(path: Path) -> set[str]:
    """Return the names of a file's extended attributes; an access list is one. Each file has SELinux's label."""
    if not hasattr(os, "listxattr"):
        return set()
    with contextlib.suppress(OSError):  # a file system without them
        return set(os.listxattr(path)) - {"security.selinux"}
    return set()


def _standard_output(status: os.stat_result) -> int | None:
    """Return the descriptor of standard output or standard error if it is this file."""
    for descriptor in _STANDARD_OUTPUTS:
        with contextlib.suppress(OSError):  # closed
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
    return None


def _replace(target: Path, content: bytes, before: os.stat_result | None) -> bool:
    """Write a new file and rename it to `target`. Return False if that cannot be done here; nothing is left then."""
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        file = part.open("xb")
    except OSError:  # such as a folder that may not be written to
        return False
    try:
        with file:
            if before is not None and not _has_taken_over(part, before):
                return False
            file.write(content)
        try:
            part.replace(target)
        except OSError:  # such as a mount point
            return False
        return True
    finally:
        part.unlink(missing_ok=True)


def _has_taken_over(part: Path, status: os.stat_result) -> bool:
    """Give a file the owner and the mode of another one. Return False if this user may not."""
    own = part.stat()
    try:
        if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
            os.chown(part, status.st_uid, status.st_gid)
        part.chmod(S_IMODE(status.st_mode))
    except OSError:
        return False
    return True


def _open_in_place(path: str, flags: int) -> int:
    """Open a file that exists without O_CREAT, which Linux refuses for another user's pipe in a shared folder."""
    status = _status(Path(path))
    if status is None:
        return os.open(path, flags, 0o666)
    descriptor = _standard_output(status)
    return os.open(path, flags & ~os.O_CREAT) if descriptor is None else os.dup(descriptor)
