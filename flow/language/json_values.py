"""Conversion of values from the sandbox into plain JSON values."""

import json
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


def plain(value: Any) -> Any:
    """Return the value as JSON values. Objects become their members, other values their text. Raises TooLarge."""
    return _Conversion().convert(value, 0)


class _Conversion:
    """The conversion of one value. Shared references are small in the sandbox, and expand exponentially as JSON."""

    def __init__(self) -> None:
        self._left = LARGEST

    def convert(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return self._convert_scalar(value)
        if depth >= _DEEPEST:
            return type(value).__name__
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            self._spend(16 * len(value))
        if isinstance(value, dict):
            return {str(self.convert(key, depth + 1)): self.convert(member, depth + 1) for key, member in value.items()}
        if isinstance(value, (set, frozenset)):  # sorted, because Python's order of texts differs from run to run
            return sorted([self.convert(member, depth + 1) for member in value], key=str)
        if isinstance(value, (list, tuple)):
            return [self.convert(member, depth + 1) for member in value]
        if isinstance(value, (date, time)):
            return value.isoformat()
        attributes = getattr(value, "attributes", None)  # pydantic_monty.MontyClassProxy, an object of the sandbox
        if isinstance(attributes, dict):
            is_talk = getattr(value, "name", None) == "_based_Talk"
            plain_attributes = attributes["text"] if is_talk else attributes
            return self.convert(plain_attributes, depth + 1)
        if isinstance(value, timedelta):
            return str(value.total_seconds())
        return str(value)

    def _convert_scalar(self, value: Any) -> Any:
        if isinstance(value, str):
            self._spend(len(value))
            return value if value.isascii() else value.encode(errors="replace").decode()
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, int) and not -(2**63) <= value < 2**63:  # more than a JSON number holds safely
            self._spend(value.bit_length() // 4)
            return str(value) if value.bit_length() <= _LONGEST_INT else f"{value:#x}"
        return value

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise TooLarge


def size_of(value: Any) -> int:
    """Return the size of a value in characters, as `plain` counts it. The count ends where it exceeds LARGEST."""
    size = 0
    waiting = [value]
    while waiting and size <= LARGEST:
        part = waiting.pop()
        if isinstance(part, str):
            size += len(part)
        elif isinstance(part, int):
            size += part.bit_length() // 4
        elif isinstance(part, dict):
            size += 16 * len(part)
            waiting += [*part, *part.values()]
        elif isinstance(part, (list, tuple, set, frozenset)):
            size += 16 * len(part)
            waiting += part
        elif isinstance(attributes := getattr(part, "attributes", None), dict):  # an object of the sandbox
            size += 16 * len(attributes)
            waiting += attributes.values()
    return size


def text(value: Any) -> str:
    """Return the value as Python prints it. Raises TooLarge."""
    made = plain(value)
    if isinstance(value, tuple):
        return str(tuple(made))
    if isinstance(value, (set, frozenset)) and made:
        return f"{{{str(made)[1:-1]}}}"
    is_printable = isinstance(value, int) and value.bit_length() <= _LONGEST_INT
    if is_printable or isinstance(value, (date, timedelta)):  # their JSON differs from what Python prints
        return str(value)
    return str(made)


def json_error(value: Any) -> str | None:
    """Return the message of Python's json for a value that it cannot write; None for one that it can."""
    try:
        json.dumps(value, default=_refuse)
    except TypeError as fault:
        return str(fault)
    except (ValueError, RecursionError):  # a value that holds itself, or is too deep: `plain` cuts it off
        pass
    return None


def _refuse(value: Any) -> None:
    raise TypeError(f"Object of type {getattr(value, 'name', type(value).__name__)} is not JSON serializable")
