"""The filters of voice logs, for lists and exports."""

import re

from peewee import SQL

from dryline.models.logs import Log
from dryline.models.plain_sql import VOICE_LOG_CONDITIONS
from dryline.storage.record import Values, connection

_TELEPHONE_NUMBER = re.compile(r"[+\d\s().-]+")
_LEAST_DIGITS = 4  # of a part of a telephone number, such as its end


def filter_conditions(filters: Values, log: type[Log]) -> list[SQL]:
    """Return a condition for each filter. Contract: listVoiceLogs.

    Bounds of times and durations are inclusive. A log without the value passes no filter on it, and a channel without
    the column has no log that passes.
    """
    if "search_query" in filters:
        # On this thread's connection. SQLite itself ignores case in ASCII letters only.
        connection().create_function("contains_folded", 2, _contains_folded, deterministic=True)
    if "call_text" in filters:
        connection().create_function("is_of_call", 4, _is_of_call, deterministic=True)
    result = []
    for name, value in filters.items():
        column, condition = VOICE_LOG_CONDITIONS[name]
        has_column = column in log._meta.fields
        result.append(SQL(condition.format(column), [value]) if has_column else SQL("0"))
    return result


def _contains_folded(text: str | None, part: str) -> bool:
    return text is not None and part.casefold() in text.casefold()


def _is_of_call(transcription: str | None, numbers: str | None, ids: str | None, part: str) -> bool:
    """Return whether a text is in a call's transcript, in one of its numbers in any notation, or is one of its ids."""
    if _contains_folded(transcription, part) or part in (ids or "").split():
        return True
    digits = digits_of_number(part)
    return digits is not None and digits in (numbers or "")


def digits_of_number(text: str) -> str | None:
    """Return the digits of a telephone number, or of a part of one, in any notation; None for another text."""
    if not _TELEPHONE_NUMBER.fullmatch(text):
        return None
    digits = re.sub(r"\D", "", text)
    return digits if len(digits) >= _LEAST_DIGITS else None
