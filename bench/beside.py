"""The time that quick requests take beside a slow one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from load import Load, connect, request_bytes
from servers import KEY, Dryline

# Between one quick request and the next, in seconds: what asks without a pause slows the slow one itself.
PAUSE_S = 0.001
# Connections on which a fault delays a request.
STALLED = 32
# Each look at an export takes a millisecond from who writes it, as the two take turns under the interpreter lock.
ASKED_EVERY_S = 0.05


class Beside:
    """A large world, and how long a GET of one worker takes in it while something else runs."""

    def __init__(self, directory: Path, logs: int) -> None:
        self.server = Dryline(directory, "--ephemeral", "--scenario", "empty", "--max-body-mb", "100")
        self.worker, self.deployment, _ = fill(self.server, logs)
        self.quick = request_bytes("GET", f"/api/workers/{self.worker}", x_api_key=KEY)

    def measure(self, slow: Callable[[], object]) -> str:
        """Return a line: how long quick requests took until the slow one was over."""
        over, began = threading.Event(), time.perf_counter()

        def run() -> None:
            slow()
            over.set()

        thread = threading.Thread(target=run)
        thread.start()
        client, taken = connect(self.server.url), []
        while not over.is_set():
            client.send(self.quick)
            while (seconds := client.receive()) is None:
                pass
            taken.append(seconds)
            time.sleep(PAUSE_S)
        thread.join()
        client.connection.close()
        elapsed = time.perf_counter() - began
        each = Load.of(taken, elapsed)
        return (
            f"p50 {each.p50_ms:7.2f} ms   p99 {each.p99_ms:7.2f} ms   longest {max(taken) * 1000:6.1f} ms"
            f"   of {len(taken):,} in {elapsed:.1f} s"
        )

    def figures(self) -> dict[str, str]:
        """Beside each slow kind."""
        call, simulation = self.server.call, {"workerId": self.worker, "deploymentId": self.deployment, "count": 10_000}
        state = self.server.fetch("GET", "/_dryline/state")
        return {
            "nothing": self.measure(lambda: time.sleep(2)),
            "faults of 60 s on 8 connections": self._beside_stalled(),
            "10,000 simulated calls": self.measure(lambda: call("POST", "/_dryline/simulate/calls", simulation)),
            "an export of all of them": self.measure(lambda: export(self.server, self.worker, None)),
            f"PUT of a state of {len(state) / 1e6:.0f} MB": self.measure(
                lambda: self.server.fetch("PUT", "/_dryline/state", state)
            ),
        }

    def _beside_stalled(self) -> str:
        fault = self.server.call("POST", "/_dryline/faults", {"path": "/api/team", "delayMs": 60_000})
        stalled = [connect(self.server.url) for _ in range(STALLED)]
        for client in stalled:
            client.send(request_bytes("GET", "/api/team", x_api_key=KEY))
        figure = self.measure(lambda: time.sleep(2))
        self.server.call("DELETE", f"/_dryline/faults/{fault['id']}")
        for client in stalled:
            client.connection.close()
        return figure


def fill(server: Dryline, logs: int) -> tuple[str, str, float]:
    """Create a worker, a deployment and `logs` calls. Return them and the calls a second."""
    worker = server.call("POST", "/api/workers", {"name": "Bench", "description": None, "status": None})["id"]
    flow = server.call(
        "POST", f"/api/workers/{worker}/flows", {"name": "Main", "label": None, "code": "loop:\n    talk()\n"}
    )["id"]
    deployment = server.call(
        "POST",
        f"/api/workers/{worker}/deployments/voice",
        {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow},
    )["id"]
    began = time.perf_counter()
    for at in range(0, logs, 10_000):
        body = {"workerId": worker, "deploymentId": deployment, "count": min(10_000, logs - at), "seed": at}
        server.call("POST", "/_dryline/simulate/calls", body)
    return worker, deployment, logs / (time.perf_counter() - began)


def export(server: Dryline, worker: str, fields: list[str] | None) -> tuple[float, int, float]:
    """Export a worker's logs as CSV: rows a second, rows, megabytes."""
    now = server.call("GET", "/_dryline/clock")["now"]
    body = {"format": "CSV", "logType": "voice", "workerId": worker}
    body |= {"startDate": _days_before(now, 89), "endDate": _days_before(now, -1)}
    if fields:
        body["fields"] = fields
    began = time.perf_counter()
    made = server.call("POST", "/api/team/exports", body)
    while made["status"] in ("PENDING", "PROCESSING"):
        time.sleep(ASKED_EVERY_S)
        made = server.call("GET", f"/api/team/exports/{made['id']}")
    if made["status"] != "COMPLETED":
        raise SystemExit(f"The export failed: {made}")
    return made["rowCount"] / (time.perf_counter() - began), made["rowCount"], made["fileSizeBytes"] / 1e6


def _days_before(stamp: str, days: int) -> str:
    from datetime import datetime, timedelta

    return (datetime.fromisoformat(stamp) - timedelta(days=days)).isoformat()
