"""Counts of requests and their times, by operation and status. Prometheus' text is made when it is asked for."""

from __future__ import annotations

import bisect
import threading

# Upper bounds of the latency buckets, in seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)

# Others are made up by the caller: each would be a series of its own, kept for ever.
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Metrics:
    """What one server has answered since it began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # (method, route, status) -> [count in each bucket…, beyond the last, seconds in sum]
        self.requests: dict[tuple[str, str, int], list[float]] = {}
        self.faults: dict[str, int] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        if method not in METHODS:
            method = "OTHER"
        with self._lock:
            counts = self.requests.setdefault((method, route, status), [0.0] * (len(BUCKETS) + 2))
            counts[bisect.bisect_left(BUCKETS, seconds)] += 1
            counts[-1] += seconds

    def faulted(self, effect: str) -> None:
        """Count one fault by what it did."""
        with self._lock:
            self.faults[effect] = self.faults.get(effect, 0) + 1
