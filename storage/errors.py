"""What a rule says when it is broken. `blueprints/errors.py` gives each its HTTP status."""

from __future__ import annotations

import errno
import sqlite3


class DomainError(Exception):
    """A broken rule. The message is a sentence for the caller that names the record and the reason."""


class NotFound(DomainError):
    """No such record in the team. `field` is the member that named it when it was a reference in a body."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Conflict(DomainError):
    """The record's or the team's state forbids it."""


class Invalid(DomainError):
    """A value that breaks a rule between members. `field` is the member, in snake_case, dotted where nested."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class Busy(DomainError):
    """Nothing is wrong, but there is no room for it now."""


class Unauthorized(DomainError):
    """No key, or one that no team has."""


class Forbidden(DomainError):
    """Known, but not allowed: an expired or altered link, the control plane from elsewhere."""


class NotReady(DomainError):
    """What is asked for will be there in a moment."""


class BadDocument(DomainError):
    """A state document that breaks its rules. `faults` are pairs of path (`flows[2].workerId`) and message."""

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        path, message = faults[0]
        super().__init__(f"{path}: {message}" if path else message)
        self.faults = faults


def disk_is_full(error: BaseException | None) -> bool:
    """Whether that is what began it: SQLite's own rollback makes the later ones fail, too."""
    while error is not None:
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return True
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return True
        error = error.__cause__ or error.__context__
    return False
