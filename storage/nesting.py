"""How deeply JSON may be nested: so that any answer, export or state document around a value can still be written."""

from __future__ import annotations

from typing import Any

import orjson

LEVELS = 254  # orjson writes no more
# What is left around a value: of a body, more than the history, a log's metadata and an answer put around it together;
# of a row in a state document, where the first two have done so already, more than an answer does.
AROUND_BODIES = 50
AROUND_ROWS = 25


def too_deep(text: str | bytes, value: Any, room: int = AROUND_BODIES) -> bool:
    """Whether `value`, whose JSON is `text`, is nested so deeply that less than `room` levels are left around it."""
    opened = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if opened <= LEVELS - room:
        return False
    for _ in range(room):
        value = [value]
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False
