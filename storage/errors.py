"""Domain errors. `web/errors.py` gives each its HTTP status."""

import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

# The result codes of SQLite for a file that cannot be read or written.
_DIRECTORY_CODES = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


class DomainError(Exception):
    """The base class. The message is a sentence for the caller that names the record and the reason."""


class NotFound(DomainError):
    """There is no such record in the team. `field` is the member of the body that refers to it, if one does."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Conflict(DomainError):
    """The state of the record or the team forbids the operation."""


class Invalid(DomainError):
    """A value breaks a rule. `field` is the member in snake_case, with dots between nested names."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class Busy(DomainError):
    """The server has no capacity for the operation now."""


class Unavailable(Busy):
    """The database cannot be used now: another program has it locked, its file is gone, or it is damaged."""


class Unauthorized(DomainError):
    """The API key is missing or unknown."""


class Forbidden(DomainError):
    """The operation is not allowed: an expired or altered link, or the control plane from another machine."""


class NoTeam(DomainError):
    """The operation is for the whole server, and the request limits it to a team."""


class NotReady(DomainError):
    """The answer will be available in a moment."""


class BadDocument(DomainError):
    """A state document is not valid. `faults` are pairs of a path (`flows[2].workerId`) and a message.

    The sentence is the first fault with `hint`.
    """

    def __init__(self, faults: list[tuple[str, str]], hint: str = "") -> None:
        path, message = faults[0]
        super().__init__((f"{path}: {message}" if path else message) + hint)
        self.faults = faults


class MustNotWait(BaseException):
    """The event loop has a request that may wait, and a thread has to answer it. No handler of errors catches this."""


def cannot_share_memory(error: BaseException | None) -> bool:
    """Return whether an error's first cause is a file system without shared memory, as many network ones are.

    There SQLite cannot map the file through which the connections of a database in WAL mode find its pages.
    """
    return any(str(getattr(each, "sqlite_errorname", "")).startswith("SQLITE_IOERR_SHM") for each in _causes(error))


def disk_is_full(error: BaseException | None) -> bool:
    """Return whether a full disk is the first cause of an error. SQLite's rollback makes later statements fail, too."""
    return any(
        _sqlite_code(each) == sqlite3.SQLITE_FULL or (isinstance(each, OSError) and each.errno == errno.ENOSPC)
        for each in _causes(error)
    )


def database_is_locked(error: BaseException | None) -> bool:
    """Return whether an error comes from a lock on the database that another connection holds."""
    return any(_sqlite_code(each) == sqlite3.SQLITE_BUSY for each in _causes(error))


def database_is_damaged(error: BaseException | None) -> bool:
    """Return whether an error comes from a database file whose content is not what SQLite has written."""
    return any(_sqlite_code(each) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) for each in _causes(error))


def directory_fault(error: BaseException, directory: Path) -> str | None:
    """Return why a data directory cannot be used, if an error comes from that; else None.

    A folder or file may be gone, may be something else now, or may not be written.
    """
    for each in _causes(error):
        if database_is_damaged(each) or _sqlite_code(each) in _DIRECTORY_CODES:
            return str(each)
        if isinstance(each, OSError) and isinstance(each.filename, str | Path):
            path = Path(each.filename)
            if path == directory:
                return each.strerror
            if path.is_relative_to(directory):
                return f"{path.relative_to(directory)}: {each.strerror}"
    return None


def _sqlite_code(error: BaseException) -> int | None:
    """Return the primary result code of an error of SQLite. https://www.sqlite.org/rescode.html."""
    code = getattr(error, "sqlite_errorcode", None) if isinstance(error, sqlite3.Error) else None
    return None if code is None else code & 0xFF


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of that, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
