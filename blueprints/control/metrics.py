"""Metrics in Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

from flask import Response
from flask.views import MethodView

from dryline import __version__
from dryline.blueprints.control.base import ControlArea
from dryline.storage.current_world import current
from dryline.storage.files import read
from dryline.storage.record import connection
from dryline.world.clock import parse
from dryline.world.metrics import BUCKETS
from dryline.world.world import World

blp = ControlArea("Control: metrics", description="Metrics for Prometheus.")

# Kinds of background work: the table, the condition for rows that wait, and the time at which they fall due.
_WORK = {
    "calls": ("queued_call", "due_at IS NOT NULL", "due_at"),
    "exports": ("export", "status IN ('PENDING', 'PROCESSING')", "created_at"),
    "tests": ("test_run", "status IN ('PENDING', 'RUNNING')", "COALESCE(due_at, created_at)"),
    "webhooks": ("webhook_delivery", "status = 'PENDING'", "due_at"),
}
_STATM = Path("/proc/self/statm")

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


@blp.route("/metrics", get="getMetrics")
class MetricsView(MethodView):
    @blp.response(200, {"type": "string"}, content_type="text/plain")
    def get(self):
        """Read metrics in Prometheus' text format.

        Requests by operation and status with their latency, applied faults, exports and webhook deliveries by status,
        due work and its age, lost log lines, the space on the disk, the process.
        """
        world = current()
        lines = [*_requests(world), *_faults(world), *_statuses(world), *_due_work(world), *_server(world)]
        return Response("".join(f"{line}\n" for line in lines), content_type="text/plain; version=0.0.4; charset=utf-8")


def _requests(world: World) -> Iterator[str]:
    name = "dryline_request_duration_seconds"
    yield from _head(name, "histogram", "Requests answered, by their time.")
    bounds = [*map(str, BUCKETS), "+Inf"]
    for (method, route, status), (*counts, seconds) in sorted(world.metrics.requests.items()):
        labels = {"method": method, "route": route, "status": str(status or "dropped")}
        totals = list(accumulate(counts))
        for bound, total in zip(bounds, totals, strict=True):
            yield _sample(world, f"{name}_bucket", {"le": bound, **labels}, total)
        yield _sample(world, f"{name}_count", labels, totals[-1])
        yield _sample(world, f"{name}_sum", labels, seconds)


def _faults(world: World) -> Iterator[str]:
    yield from _head("dryline_faults_total", "counter", "Faults that hit, by effect.")
    for effect, count in sorted(world.metrics.faults.items()):
        yield _sample(world, "dryline_faults_total", {"effect": effect}, count)


def _statuses(world: World) -> Iterator[str]:
    for name, table, description in (
        ("dryline_exports", "export", "Exports by status."),
        ("dryline_webhook_deliveries", "webhook_delivery", "Webhook deliveries by status."),
    ):
        yield from _head(name, "gauge", description)
        for status, count in connection().execute(f"SELECT status, COUNT(*) FROM {table} GROUP BY status ORDER BY 1"):
            yield _sample(world, name, {"status": status}, count)


def _due_work(world: World) -> Iterator[str]:
    counts: Counter[str] = Counter()
    ages: Counter[str] = Counter()
    for kind, (table, condition, due_at) in _WORK.items():
        sql = (
            f"SELECT team_id, COUNT(*), MIN({due_at}) FROM {table} WHERE {condition} AND {due_at} <= ? GROUP BY team_id"
        )
        counts[kind] = ages[kind] = 0
        for team_id, count, oldest in _due_by_team(world, sql):
            counts[kind] += count
            age_s = (world.clock.of(team_id).now() - parse(oldest)).total_seconds()
            ages[kind] = max(ages[kind], int(age_s))
    yield from _head("dryline_due_work", "gauge", "Background work that is due, by kind.")
    for kind, count in counts.items():
        yield _sample(world, "dryline_due_work", {"kind": kind}, count)
    yield from _head("dryline_due_work_age_seconds", "gauge", "API time since the oldest due work fell due.")
    for kind, age in ages.items():
        yield _sample(world, "dryline_due_work_age_seconds", {"kind": kind}, age)


def _due_by_team(world: World, sql: str) -> Iterator[sqlite3.Row]:
    """Yield the rows of each team by the time that it has: its own, or the world's."""
    own = set(world.clock.teams)
    for team_id in (None, *own):
        for row in connection().execute(sql, (world.clock.of(team_id).stamp(),)):
            if row[0] == team_id or (team_id is None and row[0] not in own):
                yield row


def _server(world: World) -> Iterator[str]:
    yield from _head("dryline_info", "gauge", "The version of dryline.")
    yield _sample(world, "dryline_info", {"version": __version__}, 1)
    yield from _head("dryline_lost_log_lines_total", "counter", "Requests that the log could not write a line for.")
    yield _sample(world, "dryline_lost_log_lines_total", {}, world.metrics.lost_log_lines)
    yield from _head("dryline_storage_bytes", "gauge", "Space on the disk, by the part of the data directory.")
    for part, size in sorted(_storage(world.directory).items()):
        yield _sample(world, "dryline_storage_bytes", {"part": part}, size)
    yield from _head("process_start_time_seconds", "gauge", "Real time of the start, in seconds since 1970.")
    yield _sample(world, "process_start_time_seconds", {}, world.metrics.started_at)
    if _STATM.exists():  # Linux
        pages = int(read(_STATM).split()[1])
        yield from _head("process_resident_memory_bytes", "gauge", "Memory of the process.")
        yield _sample(world, "process_resident_memory_bytes", {}, pages * os.sysconf("SC_PAGE_SIZE"))


def _storage(directory: Path) -> Counter[str]:
    """Return the bytes of the database and of each folder."""
    sizes: Counter[str] = Counter()
    for folder, _, files in os.walk(directory):
        part = Path(folder).relative_to(directory).parts[:1]
        for file in files:
            with suppress(FileNotFoundError):  # removed meanwhile
                sizes[part[0] if part else "database"] += os.stat(os.path.join(folder, file)).st_size
    return sizes


def _head(name: str, kind: str, description: str) -> Iterator[str]:
    yield f"# HELP {name} {description}"
    yield f"# TYPE {name} {kind}"


def _sample(world: World, name: str, labels: dict[str, str], value: float) -> str:
    """Return the line of one value. The server's node name, if it has one, is a label."""
    if world.settings.node:
        labels = {"node": world.settings.node, **labels}
    text = ",".join(f'{key}="{label.translate(_ESCAPES)}"' for key, label in labels.items())
    return f"{name}{{{text}}} {float(value)}" if text else f"{name} {float(value)}"
