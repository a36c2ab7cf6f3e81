"""Rate limits of fault rules: a number of requests for each key and window, counted in API time."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

# The callers whose windows are remembered. A client may send any text as its key.
_MAX_CALLERS = 10_000


class Allowance(NamedTuple):
    """The result for one request: whether it passes, how many more may, and the seconds until the window ends."""

    limit: int
    passes: bool
    remaining: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset_s),
        }
        if not self.passes:
            headers["Retry-After"] = str(self.reset_s)
        return headers


@dataclass(slots=True)
class _Window:
    """The requests that one caller was allowed from a moment on."""

    began: datetime
    count: int = 0


@dataclass
class RateLimit:
    """`requests` in `window_seconds` of API time; a caller's window begins with its first request."""

    requests: int
    window_seconds: float
    _windows: dict[str, _Window] = field(default_factory=dict, repr=False)  # by caller

    def take(self, caller: str, now: datetime) -> Allowance:
        """Count a request. A clock that was set back begins anew."""
        window = self._windows.get(caller)
        length = timedelta(seconds=self.window_seconds)
        if window is None or not window.began <= now < window.began + length:
            if len(self._windows) >= _MAX_CALLERS:
                self._windows.clear()
            window = self._windows[caller] = _Window(now)

        passes = window.count < self.requests
        if passes:
            window.count += 1
        left = (window.began + length - now).total_seconds()
        return Allowance(self.requests, passes, self.requests - window.count, math.ceil(left))

    def in_words(self) -> str:
        return f"beyond {self.requests:,} requests in {self.window_seconds:g} s by one key"

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form. `names` maps wire names to attributes."""
        return {name: getattr(self, attribute) for name, attribute in names.items()}
