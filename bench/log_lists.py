"""The first page of a list of voice logs, by each filter and order."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from load import ROUNDS
from servers import NEW_WORKER, Dryline


def first_pages(server: Dryline, worker: str) -> Iterator[tuple[str, str]]:
    """Measure each filter: its name, and the milliseconds of a page whose total has to be counted."""
    path = f"/api/workers/{worker}/deploymentLogs/voice"
    total = server.call("GET", f"{path}?limit=1")["pagination"]["total"]
    (log,) = server.call("GET", f"{path}?limit=1&page={total // 2}")["data"]
    for query in _queries(log):
        times = []
        for _ in range(ROUNDS):
            server.call("POST", "/api/workers", NEW_WORKER)  # totals are remembered until something is written
            began = time.perf_counter()
            server.fetch("GET", f"{path}?{urlencode(query)}")
            times.append((time.perf_counter() - began) * 1000)
        name = ", ".join(f"{name}={str(value)[:20]}" for name, value in query.items()) or "all"
        yield name, f"{statistics.median(times):9.1f} ms"


def _queries(log: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {}
    for name in ("status", "direction", "deploymentId", "flowId", "externalCallId"):
        yield {name: log[name]}
    yield {"callSid": log["call_sid"]}
    yield {"status": "unheard of"}
    for name in ("startTimeAfter", "startTimeBefore", "endTimeAfter", "endTimeBefore"):
        yield {name: log["startTime"]}
    yield {"minDuration": 60}
    yield {"fromNumber": "5550123"}
    yield {"toNumber": "415"}
    yield {"status": "completed", "direction": "inbound", "minDuration": 60}
    yield {"searchQuery": "goodbye"}
    yield {"searchQuery": "no call says this"}
    for name in ("endTime", "status", "fromNumber", "createdAt"):
        yield {"sortBy": name}
