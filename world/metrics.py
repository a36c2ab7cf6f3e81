"""Counts and durations of requests, by operation and status. The control plane writes them as Prometheus' text."""

import bisect
import threading
import time

# Upper bounds of the histogram's buckets, in seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)

# Other methods are counted as one: clients could invent any number of them, and each would take memory for ever.
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Metrics:
    """The counts of one server since its start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # (method, route, status) -> [count of each bucket…, count above the last, sum of seconds]
        self.requests: dict[tuple[str, str, int], list[float]] = {}
        self.faults: dict[str, int] = {}
        self.lost_log_lines = 0
        self.started_at = time.time()

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        if method not in METHODS:
            method = "OTHER"
        with self._lock:
            counts = self.requests.setdefault((method, route, status), [0.0] * (len(BUCKETS) + 2))
            counts[bisect.bisect_left(BUCKETS, seconds)] += 1
            counts[-1] += seconds

    def count_fault(self, effect: str) -> None:
        """Count a fault by its effect, such as `drop` or `status 503`."""
        with self._lock:
            self.faults[effect] = self.faults.get(effect, 0) + 1
