"""A million voice logs in one worker, `make bench ARGS=--million`: what each filter takes, deep and shallow.

The world is simulated, over 89 days and four deployments; it needs 7 GB of disk and four minutes. Requests are made
in-process, so that what is measured is the answer and not the socket; each has a `fields` of five members. Cold is what
the system's file cache does not hold: after `restart(cold=True)` nothing of the database, and in a list the logs of a
page that nobody has asked for yet. Linux only.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from dryline.testing import DrylineInProcess

LOGS = 1_000_000
DAYS = 89
ROUNDS = 500
FIELDS = "id,startTime,status,duration,direction"


class Bench:
    """A world with many logs of one worker, and a client."""

    def __init__(self, directory: Path, logs: int = LOGS) -> None:
        self.logs = logs
        self.directory = directory
        self._start()

    def _start(self) -> None:
        self.world = DrylineInProcess(data_dir=self.directory).start()
        self._client = self.world.app.test_client()
        self._headers = {"x-api-key": self.world.api_key}

    def restart(self, *, cold: bool = False) -> None:
        """Stop and start; `cold` lets the system forget what it holds of the database."""
        self.world.stop()
        for path in self.directory.glob("dryline.sqlite3*") if cold else ():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        self._start()

    def settle(self) -> None:
        """Wait until a thread has read the logs for their bitmaps."""
        self.world.app.world.memory["voice log bitmaps"].reader.submit(int).result()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """One request; the answer's JSON."""
        answer = self._client.open(path, method=method, json=body, headers=self._headers, query_string=query)
        if answer.status_code >= 400:
            raise SystemExit(f"{method} {path}: {answer.text}")
        return answer.json

    def fill(self) -> float:
        """Simulate the calls. Gives how many a second."""
        self.worker = self.call("POST", "/api/workers", {"name": "Bench", "description": None, "status": None})["id"]
        lines = [self._line(number) for number in range(4)]
        self.deployments = [line["id"] for line in lines]
        self.flow = lines[0]["flowId"]
        end, span = self.world.now(), timedelta(days=DAYS)
        began = time.perf_counter()
        for number, at in enumerate(range(0, self.logs, 10_000)):
            body = {
                "workerId": self.worker,
                "deploymentId": self.deployments[number % 4],
                "count": min(10_000, self.logs - at),
                "seed": at,
                "startTime": (end - span + span * at / self.logs).isoformat(),
                "endTime": (end - span + span * min(at + 10_000, self.logs) / self.logs).isoformat(),
            }
            self.call("POST", "/_dryline/simulate/calls", body)
        return self.logs / (time.perf_counter() - began)

    def _line(self, number: int) -> Any:
        flow = {"name": f"Flow {number}", "label": None, "code": "loop:\n    talk()\n"}
        line = {"name": f"Line {number}", "phoneNumber": f"+1415555010{number}"}
        line["flowId"] = self.call("POST", f"/api/workers/{self.worker}/flows", flow)["id"]
        return self.call("POST", f"/api/workers/{self.worker}/deployments/voice", line)

    def page(self, **query: Any) -> Any:
        """A page of the list."""
        return self.call("GET", f"/api/workers/{self.worker}/deploymentLogs/voice", fields=FIELDS, **query)


def filters(bench: Bench) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What the rows of the table ask: a name, and the same filter with several values, which take turns."""
    some = bench.page(limit=1, page=bench.logs // 2)["data"][0]
    log = bench.call("GET", f"/api/workers/{bench.worker}/deploymentLogs/voice/{some['id']}")
    end = bench.world.now()
    times = [(end - timedelta(days=day, seconds=77)).isoformat() for day in range(5, DAYS, 10)]
    yield "no filter", [{}]
    yield "deploymentId", [{"deploymentId": id} for id in bench.deployments]
    yield "flowId", [{"flowId": bench.flow}]
    yield "direction", [{"direction": direction} for direction in ("inbound", "outbound")]
    yield "status", [{"status": status} for status in ("completed", "failed", "busy", "unheard of")]
    yield "fromNumber", [{"fromNumber": part} for part in ("415", "5550123", "+1", "no number")]
    yield "toNumber", [{"toNumber": part} for part in ("415", "5550123", "+1", "no number")]
    yield "externalCallId", [{"externalCallId": log["externalCallId"]}]
    yield "callSid", [{"callSid": log["call_sid"]}]
    for name in ("startTimeAfter", "startTimeBefore", "endTimeAfter", "endTimeBefore", "startDate", "endDate"):
        yield name, [{name: moment} for moment in times]
    yield "minDuration", [{"minDuration": seconds} for seconds in (1, 30, 60, 120, 300)]
    yield "maxDuration", [{"maxDuration": seconds} for seconds in (1, 30, 60, 120, 300)]
    week = {"startTimeAfter": times[3], "startTimeBefore": times[2]}
    yield "status, direction, minDuration", [{"status": "completed", "direction": "inbound", "minDuration": 60}]
    yield (
        "deploymentId, ten days, status",
        [{"deploymentId": id, "status": "failed"} | week for id in bench.deployments],
    )
    yield "fromNumber, endTimeAfter, maxDuration", [{"fromNumber": "415", "endTimeAfter": times[5], "maxDuration": 90}]


def timed(work: Callable[[], Any]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def list_times(bench: Bench, values: list[dict[str, Any]]) -> str:
    """In milliseconds: a value's first page when it is new, and a page deeper in whose logs may be cold; then, of pages
    that were asked for before, median and 99th percentile, of the first ones and of those by cursor.
    """
    pages = [partial(bench.page, limit=100, **query) for query in values]
    new = [timed(page) for page in pages]
    totals = [page()["pagination"]["total"] for page in pages]
    cold, figures = [], []
    for share in (0, 0.1, 0.5, 0.9):
        asked = [_at(bench, query, total, share) for query, total in zip(values, totals, strict=True)]
        pages = [partial(bench.page, limit=100, **query) for query in asked]
        first = [timed(page) for page in pages]
        cold += first if share else []
        times = sorted(timed(pages[round % len(pages)]) for round in range(ROUNDS))
        figures.append(f"{share:4.0%} {statistics.median(times):5.1f} {times[ROUNDS * 99 // 100 - 1]:5.1f}")
    return f"new {statistics.mean(new):5.1f}   cold {statistics.mean(cold):5.1f}   {'   '.join(figures)}"


def _at(bench: Bench, query: dict[str, Any], total: int, share: float) -> dict[str, Any]:
    """The query of a page so deep in the list, by cursor."""
    if not int(total * share) // 100:
        return query
    before = bench.page(limit=100, page=int(total * share) // 100, **query)
    return query | {"cursor": before["nextCursor"]} if before["nextCursor"] else query


def million(directory: Path, row: Any) -> None:
    """The whole table; `row` prints a line of it."""
    bench = Bench(directory)
    row(f"simulate {bench.logs:,} calls", f"{bench.fill():9,.0f} /s")
    bench.world.app.world.db.pragma("wal_checkpoint(TRUNCATE)")
    measure(bench, row)
    bench.world.stop()


def measure(bench: Bench, row: Any) -> None:
    """The table without its first line."""
    size = sum(path.stat().st_size for path in bench.directory.glob("dryline.sqlite3*"))
    row("size of the database, a call", f"{size / bench.logs:9,.0f} bytes")
    for state in ("cold", "warm"):
        bench.restart(cold=state == "cold")
        first, settled = timed(partial(bench.page, limit=100)), timed(bench.settle)
        row(f"first list after a start, {state}", f"{first:9,.0f} ms   {settled:,.0f} more until the bitmaps are there")
    for name, values in filters(bench):
        row(name, list_times(bench, values))
    bench.restart(cold=True)
    for text, state in (("no call says this", "cold"), ("nor that", "warm"), ("goodbye", "warm")):
        row(f"searchQuery {text}, {state}", f"{timed(partial(bench.page, searchQuery=text)) / 1000:9.1f} s")
    bench.restart(cold=True)
    for name, state in (("daily", "cold"), ("daily", "warm"), ("monthly", "warm")):
        analyze = partial(bench.call, "POST", "/api/voice-analysis", {"granularity": name})
        row(f"voice analysis, {name}, {state}", f"{timed(analyze) / 1000:9.2f} s")
    row("memory, resident", f"{_resident_mb():9,.0f} MB")
    row("export of all, all fields", export(bench))


def export(bench: Bench) -> str:
    """Rows a second, and what others wait meanwhile, in milliseconds."""
    end = bench.world.now() + timedelta(days=1)
    window = {"startDate": (end - timedelta(days=90)).isoformat(), "endDate": end.isoformat()}
    began = time.perf_counter()
    made = bench.call("POST", "/api/team/exports", {"format": "CSV", "logType": "voice", **window})
    times = []
    while made["status"] in ("PENDING", "PROCESSING"):
        time.sleep(0.01)
        asked = time.perf_counter()
        made = bench.call("GET", f"/api/team/exports/{made['id']}")
        times.append((time.perf_counter() - asked) * 1000)
    speed = made["rowCount"] / (time.perf_counter() - began)
    waits = f"a GET meanwhile {statistics.median(times):.1f}, 99 % {sorted(times)[len(times) * 99 // 100]:.1f} ms"
    return f"{speed:9,.0f} rows/s   {waits}   {_resident_mb():,.0f} MB"


def _resident_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def kept(directory: Path) -> Bench:
    """The bench over a world that an earlier run has filled; for work on this file."""
    bench = Bench(directory)
    known = json.loads((directory / "bench.json").read_text())
    bench.worker, bench.deployments = known["worker"], known["deps"]
    bench.flow = bench.call("GET", f"/api/workers/{bench.worker}/deployments/voice")[0]["flowId"]
    return bench
