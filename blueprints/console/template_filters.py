"""Template filters, which format values for a person."""

from __future__ import annotations

import json
from typing import Any

from dryline.storage.current_world import current
from dryline.world.clock import parse


def duration(seconds: float | None) -> str:
    """Format 125 as `2:05`."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


def size(count: float | None) -> str:
    """Format bytes, as `12 KB`."""
    if count is None:
        return "-"
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def day(stamp: str | None) -> str:
    """Format `2026-11-21T…` as `Sat 21 Nov`."""
    return parse(stamp).strftime("%a %-d %b") if stamp else "-"


def clock(stamp: str | None) -> str:
    """Return the time of day in UTC."""
    return stamp[11:19] if stamp else "-"


def remaining(stamp: str | None) -> str:
    """Format the time until a moment, as `23:59:59`."""
    if not stamp:
        return "-"
    seconds = max(0, int((parse(stamp) - current().clock.now()).total_seconds()))
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def pretty(value: Any) -> str:
    """Format a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def count(number: int) -> str:
    """Format 12345 as `12,345`."""
    return f"{number:,}"


FILTERS = {function.__name__: function for function in (duration, size, day, clock, remaining, pretty, count)}
