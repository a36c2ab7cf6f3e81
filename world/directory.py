"""The directory that a world lives in: made, locked, given free, and removed where it was only a temporary one."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import tempfile
from pathlib import Path

from dryline.settings import BadSetting
from dryline.storage.files import write_whole

_PREFIX = "dryline-"
_LOCK, _ADDRESS, _SECRET = "dryline.lock", "address", "secret"
# In a temporary directory, once it is locked. Free and with this in it, its server was killed.
_TEMPORARY = "temporary"
_SECRET_BYTES = 32


class InUse(BadSetting):
    """Another process has the directory."""


class NoWorld(BadSetting):
    """There is nothing in the directory to open."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no world in {path.absolute()}. Name another directory with --data-dir, or make one there: "
            "dryline serve."
        )


class Directory:
    """A data directory, this process's own until `close`. Without a path it is a temporary one.

    Making it locks it. Raises InUse, OSError and sqlite3.Error; what was made until then is gone again.
    """

    def __init__(self, path: Path | None) -> None:
        self.temporary = path is None
        if path is None:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._made = [self.path]
        else:
            self.path = path.absolute()
            self._made = _make(self.path)
        self._lock: sqlite3.Connection | None = None
        try:
            self._lock = _locked(self.path)
            # Left by a server that was killed: whoever has the lock says anew where it answers.
            address_in(self.path).unlink(missing_ok=True)
            if self.temporary:
                (self.path / _TEMPORARY).touch()
                _sweep(self.path)
            else:
                (self.path / _TEMPORARY).unlink(missing_ok=True)
        except BaseException:
            self.abandon()
            raise

    def demand_database(self) -> None:
        """Raises BadSetting where the database lost its content: the secret beside it tells that it had some."""
        database = database_in(self.path)
        if (self.path / _SECRET).exists() and database.exists() and not database.stat().st_size:
            raise BadSetting(
                f"The database {database} is empty: a power cut may have taken it. "
                "Put a copy in its place, or remove the directory to begin anew."
            )

    def secret(self) -> str:
        """What signs links: made once a data directory, so that links outlive a restart."""
        path = self.path / _SECRET
        found = path.read_text() if path.exists() else ""
        if len(found) != 2 * _SECRET_BYTES:
            found = secrets.token_hex(_SECRET_BYTES)
            write_whole(path, found.encode(), mode=0o600, durable=not self.temporary)
        return found

    def close(self) -> None:
        """Give it free; a temporary one is removed."""
        if self.temporary:
            shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()

    def abandon(self) -> None:
        """Give it free after a start that failed: what that start has made goes."""
        if self._lock is not None and self.path in self._made:
            shutil.rmtree(self.path, ignore_errors=True)
        self.close()
        for made in reversed(self._made):
            with contextlib.suppress(OSError):  # removed already, or somebody else's by now
                made.rmdir()


def database_in(directory: Path) -> Path:
    """The database of a data directory."""
    return directory / "dryline.sqlite3"


def address_in(directory: Path) -> Path:
    """The file that says where the server of a data directory answers."""
    return directory / _ADDRESS


def is_in_use(directory: Path) -> bool:
    """Whether some process has a data directory. Nothing is made there."""
    try:
        if (directory / _LOCK).exists():
            _locked(directory).close()
    except InUse:
        return True
    except (OSError, sqlite3.Error):  # not ours to read
        return False
    return False


def temporary_ones(parent: Path) -> list[Path]:
    """The temporary directories of this user's servers there, whether they still run or were killed."""
    return [marked.parent for marked in parent.glob(f"{_PREFIX}*/{_TEMPORARY}") if _is_ours(marked.parent)]


def _is_ours(path: Path) -> bool:
    return not path.is_symlink() and (not hasattr(os, "getuid") or path.stat().st_uid == os.getuid())


def _make(path: Path) -> list[Path]:
    """Make a directory and its parents. Returns those that were not there, from the top."""
    made = []
    for missing in reversed([one for one in (path, *path.parents) if not one.exists()]):
        with contextlib.suppress(FileExistsError):  # somebody else was faster
            missing.mkdir(mode=0o700)
            made.append(missing)
    return made


def _locked(path: Path) -> sqlite3.Connection:
    """One process owns a data directory. SQLite's own lock says so: it ends with the process, however that ends."""
    lock = sqlite3.connect(path / _LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise InUse(
                f"Another dryline is using the data directory {path}. Stop it, or choose another with --data-dir."
            ) from None
        raise
    return lock


def _sweep(own: Path) -> None:
    """Remove the temporary directories of this user's servers that were killed; `own` is the running one's."""
    for marked in own.parent.glob(f"{_PREFIX}*/{_TEMPORARY}"):
        left = marked.parent
        with contextlib.suppress(OSError, sqlite3.Error, InUse):
            if left != own and not left.is_symlink() and left.stat().st_uid == own.stat().st_uid:
                with contextlib.closing(_locked(left)):
                    shutil.rmtree(left)
