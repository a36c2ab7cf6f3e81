"""The check of a server to which nobody sends requests any more."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from dryline.tools.attack.client import Client
from dryline.tools.attack.findings import Findings

PATIENCE_S = 60
# Collections with statuses that end by themselves, and the statuses that have not ended.
_OPEN = {
    "exports": ("PENDING", "PROCESSING"),
    "testRuns": ("QUEUED", "RUNNING"),
    "echoRuns": ("QUEUED", "RUNNING"),
    "webhookDeliveries": ("PENDING",),
    "resources": ("STARTED", "PROCESSING"),
    "whatsappSenders": ("PENDING",),
}


def check_nothing_is_stuck(client: Client, findings: Findings) -> None:
    """End what goes on by itself, let API time pass, and report what is due and does not happen."""
    client.send("DELETE", "/_dryline/faults")
    client.send("PUT", "/_dryline/settings", {"callsPerMinute": 0, "exportMode": "auto", "exportDelayMs": 0})
    client.send("PUT", "/_dryline/clock", {"frozen": True})
    due, moved_at = _due(client), time.monotonic()
    while due and time.monotonic() < moved_at + PATIENCE_S:
        # Two days: campaigns call on, exports expire, and each webhook has its retries.
        client.send("POST", "/_dryline/clock/advance", {"seconds": 2 * 86_400})
        time.sleep(1)
        before, due = due, _due(client)
        if due != before:
            moved_at = time.monotonic()
    for what, count in due.items():
        findings.add("stuck", what, f"{count}, unchanged for {PATIENCE_S} s")


def _due(client: Client) -> Counter[str]:
    """Count what is due by the present API time and has not happened."""
    state = client.send("GET", "/_dryline/state")
    if not state.is_good:
        return Counter(["the state cannot be read"])
    now = client.send("GET", "/_dryline/clock").json["now"]
    document: dict[str, Any] = state.json
    due = Counter(
        f"{name}: {row['status']}"
        for name, statuses in _OPEN.items()
        for row in document.get(name, ())
        if row.get("status") in statuses and _time_of(row) <= now
    )
    due.update("queuedCalls" for row in document["queuedCalls"] if _time_of(row) <= now)
    due.update("callsInProgress" for row in document["callsInProgress"] if row["call"]["log"]["end_time"] <= now)
    return due


def _time_of(row: dict[str, Any]) -> str:
    """Return when a row is due, or when it was made: it may be of a time that the clock has left."""
    return str(row.get("dueAt") or row.get("createdAt") or row.get("uploadedAt") or "")
