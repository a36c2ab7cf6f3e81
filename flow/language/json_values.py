"""Conversion of values from the sandbox into plain JSON values."""

import math
from datetime import date, time, timedelta
from typing import Any

_DEEPEST = 60
_LONGEST_INT = 14_000  # bits of a whole number that Python writes out: it stops at 4,300 digits
LARGEST = 4_000_000  # characters of a value; a member counts as 16 of them


class TooLarge(ValueError):
    """A value that is too large to leave the sandbox. The message is a sentence."""

    def __init__(self) -> None:
        super().__init__(f"The value has more than {LARGEST:,} characters, or {LARGEST // 16:,} members.")


class _SizeBudget:
    """The remaining size of one value. Shared references are small in the sandbox, and expand exponentially as JSON."""

    def __init__(self) -> None:
        self._left = LARGEST

    def spend(self, size: int) -> None:
        """Subtract the size of a part of the value. Raises TooLarge when nothing is left."""
        self._left -= size
        if self._left < 0:
            raise TooLarge


def plain(value: Any) -> Any:
    """Return the value as JSON values. Objects become their members, other values their text. Raises TooLarge."""
    return _plain(value, 0, _SizeBudget())


def _plain(value: Any, depth: int, budget: _SizeBudget) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:  # more than a JSON number holds safely
        budget.spend(value.bit_length() // 4)
        return str(value) if value.bit_length() <= _LONGEST_INT else f"{value:#x}"
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        budget.spend(len(value))
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= _DEEPEST:
        return str(type(value).__name__)
    if isinstance(value, (dict, list, tuple, set, frozenset)):
        budget.spend(16 * len(value))
    if isinstance(value, dict):
        return {_key(key, depth, budget): _plain(member, depth + 1, budget) for key, member in value.items()}
    if isinstance(value, (set, frozenset)):  # sorted, because Python's order of texts differs from run to run
        return sorted(
            (_plain(member, depth + 1, budget) for member in value), key=lambda member: (str(type(member)), str(member))
        )
    if isinstance(value, (list, tuple)):
        return [_plain(member, depth + 1, budget) for member in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    if is_talk(value):
        return _plain(value.attributes["text"], depth + 1, budget)
    attributes = getattr(value, "attributes", None)  # pydantic_monty.MontyClassProxy, an object of the sandbox
    if isinstance(attributes, dict):
        return _plain(attributes, depth + 1, budget)
    return str(value.total_seconds()) if isinstance(value, timedelta) else str(value)


def _key(key: Any, depth: int, budget: _SizeBudget) -> str:
    made = _plain(key, depth + 1, budget)
    return made if isinstance(made, str) else str(made)


def is_talk(value: Any) -> bool:
    return getattr(value, "name", None) == "_based_Talk"


def text(value: Any) -> str:
    """Return the value as Python prints it. Raises TooLarge."""
    made = plain(value)
    if isinstance(value, tuple):
        return str(tuple(made))
    if isinstance(value, (set, frozenset)) and made:
        return f"{{{str(made)[1:-1]}}}"
    printable = isinstance(value, int) and value.bit_length() <= _LONGEST_INT
    if printable or isinstance(value, (date, timedelta)):  # their JSON differs from what Python prints
        return str(value)
    return made if isinstance(made, str) else str(made)


def json_lacks(value: Any) -> str | None:
    """Return the message of Python's json for a value that it cannot write; None for one that it can."""
    return _json_lacks(value, 0)


def _json_lacks(value: Any, depth: int) -> str | None:
    if value is None or isinstance(value, (str, int, float)) or depth >= _DEEPEST:
        return None
    if isinstance(value, dict):
        strange = next((key for key in value if key is not None and not isinstance(key, (str, int, float))), None)
        if strange is not None:
            return f"keys must be str, int, float, bool or None, not {type(strange).__name__}"
    elif not isinstance(value, (list, tuple)):
        return f"Object of type {getattr(value, 'name', type(value).__name__)} is not JSON serializable"
    members = value.values() if isinstance(value, dict) else value
    return next(filter(None, (_json_lacks(member, depth + 1) for member in members)), None)
