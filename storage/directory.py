"""The data directory of a world: created, locked and unlocked, and removed if it is temporary."""

import contextlib
import os
import secrets
import shutil
import sqlite3
import tempfile
from pathlib import Path

from dryline.settings import BadSetting
from dryline.storage.files import remove_folder, write_whole

_PREFIX = "dryline-"
_LOCK, _ADDRESS, _SECRET = "dryline.lock", "address", "secret"
# A file in each temporary directory. If the directory has it and is not locked, its server was killed.
_TEMPORARY = "temporary"
_SECRET_BYTES = 32


class InUse(BadSetting):
    """Another process has locked the directory."""


class NoWorld(BadSetting):
    """The directory has no world."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no world in {path.absolute()}. Name another directory with --data-dir, or create a world there "
            "with dryline serve."
        )


class Directory:
    """A data directory, created if necessary, and locked until `close`. Without a path it is a temporary one.

    Raises InUse, OSError and sqlite3.Error.
    """

    def __init__(self, path: Path | None) -> None:
        self.temporary = path is None
        if path is None:
            self.path, self._is_new = Path(tempfile.mkdtemp(prefix=_PREFIX)), True
        else:
            self.path = path.absolute()
            self._is_new = not self.path.exists()
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_empty = not any(self.path.iterdir())
        self._lock: sqlite3.Connection | None = None
        try:
            self._lock = _lock(self.path)
            # A killed server may have left the file. The one that has the lock writes another.
            address_in(self.path).unlink(missing_ok=True)
            if self.temporary:
                (self.path / _TEMPORARY).touch()
                _sweep(self.path)
            else:
                (self.path / _TEMPORARY).unlink(missing_ok=True)
                if is_empty:
                    (self.path / ".gitignore").write_text("# Written by dryline.\n*\n")
        except BaseException:
            self.abandon()
            raise

    def require_database(self) -> None:
        """Raise BadSetting if the database has lost its content: a secret beside it shows that it had some."""
        database = database_in(self.path)
        if (self.path / _SECRET).exists() and database.exists() and not database.stat().st_size:
            raise BadSetting(
                f"The database {database} is empty: its content may have been lost in a power cut. "
                "Put a copy in its place, or remove the directory to start with a new one."
            )

    def secret(self) -> str:
        """Return the key that signs links. It stays the same, so that links are valid after a restart."""
        path = self.path / _SECRET
        secret = path.read_text() if path.exists() else ""
        if len(secret) != 2 * _SECRET_BYTES:
            secret = secrets.token_hex(_SECRET_BYTES)
            write_whole(path, secret.encode(), mode=0o600)
        return secret

    def close(self) -> None:
        """Unlock the directory. A temporary one is removed."""
        if self.temporary:
            remove_folder(self.path)
        if self._lock is not None:
            self._lock.close()

    def abandon(self) -> None:
        """Unlock the directory after a start that failed, and remove it if the start has created it."""
        if self._lock is not None and self._is_new:  # without the lock it is another process's by now
            remove_folder(self.path)
        self.close()


def database_in(directory: Path) -> Path:
    """Return the path of a data directory's database."""
    return directory / "dryline.sqlite3"


def address_in(directory: Path) -> Path:
    """Return the path of the file with the URL of a data directory's server."""
    return directory / _ADDRESS


def is_in_use(directory: Path) -> bool:
    """Return whether a process has locked a data directory. Nothing is created."""
    try:
        if (directory / _LOCK).exists():
            _lock(directory).close()
    except InUse:
        return True
    except (OSError, sqlite3.Error):  # the user may not read it
        return False
    return False


def find_temporary_directories(parent: Path) -> list[Path]:
    """Return the data directories in `parent` of this user's `--ephemeral` servers, running or killed."""
    return [marker.parent for marker in parent.glob(f"{_PREFIX}*/{_TEMPORARY}") if _is_own(marker.parent)]


def _is_own(path: Path) -> bool:
    return not path.is_symlink() and (not hasattr(os, "getuid") or path.stat().st_uid == os.getuid())


def _lock(path: Path) -> sqlite3.Connection:
    """Lock a data directory for this process. SQLite's file lock ends with the process, even if that is killed."""
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


def _sweep(running: Path) -> None:
    """Remove the temporary directories of this user's killed servers. `running` is that of the running server."""
    for directory in find_temporary_directories(running.parent):
        with contextlib.suppress(OSError, sqlite3.Error, InUse):
            if directory != running:
                with contextlib.closing(_lock(directory)):
                    shutil.rmtree(directory)
