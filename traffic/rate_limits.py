"""So many requests a window for each key, counted in API time: what a rule of faults does with those beyond."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

# Callers whose windows are remembered; the API's own keys are never so many, but any text may be sent as one.
_MOST_CALLERS = 10_000


class Allowance(NamedTuple):
    """What one request finds: whether it may pass, how many more may, and in how many seconds all may again."""

    limit: int
    passes: bool
    remaining: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        """As the answer tells it."""
        told = {"Limit": self.limit, "Remaining": self.remaining, "Reset": self.reset_s}
        return {f"X-RateLimit-{name}": str(value) for name, value in told.items()} | (
            {} if self.passes else {"Retry-After": str(self.reset_s)}
        )


@dataclass
class RateLimit:
    """`requests` in `window_seconds` of API time; a caller's window begins with its first request."""

    requests: int
    window_seconds: float
    _windows: dict[str, list[Any]] = field(default_factory=dict, repr=False)  # caller -> [began, count]

    def take(self, caller: str, now: datetime) -> Allowance:
        """Count a request. A clock that was set back begins anew."""
        window = self._windows.get(caller)
        length = timedelta(seconds=self.window_seconds)
        if window is None or not window[0] <= now < window[0] + length:
            if len(self._windows) >= _MOST_CALLERS:
                self._windows.clear()
            window = self._windows[caller] = [now, 0]
        passes = window[1] < self.requests
        window[1] += passes
        left = (window[0] + length - now).total_seconds()
        return Allowance(self.requests, passes, self.requests - window[1], math.ceil(left))

    def in_words(self) -> str:
        """For a person."""
        return f"beyond {self.requests:,} requests in {self.window_seconds:g} s by one key"

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """The wire form: the names there, and the attributes that they come from."""
        return {name: getattr(self, attribute) for name, attribute in names.items()}
