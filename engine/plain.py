"""Values from the sandbox as plain JSON values."""

from __future__ import annotations

import math
from datetime import date, time, timedelta
from typing import Any

_DEEPEST = 60


def plain(value: Any, depth: int = 0) -> Any:
    """The value with only what JSON has; what else there is becomes its members or its text."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:  # more than a JSON number holds safely
        return f"{value:#x}"
    if value is None or isinstance(value, (bool, int, str)):
        return value.encode(errors="replace").decode() if isinstance(value, str) and not value.isascii() else value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= _DEEPEST:
        return str(type(value).__name__)
    if isinstance(value, dict):
        return {text(key): plain(member, depth + 1) for key, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(member, depth + 1) for member in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    if is_talk(value):
        return value.attributes["text"]
    attributes = getattr(value, "attributes", None)  # pydantic_monty.MontyClassProxy: an object of the sandbox
    if isinstance(attributes, dict):
        return plain(attributes, depth + 1)
    return str(value.total_seconds()) if isinstance(value, timedelta) else str(value)


def is_talk(value: Any) -> bool:
    return getattr(value, "name", None) == "_based_Talk"


def text(value: Any) -> str:
    """The value as a text, as a flow would print it."""
    if isinstance(value, str):
        return plain(value)
    made = plain(value)
    return made if isinstance(made, str) else str(made)
