"""Metrics in Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from flask import Response
from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea
from dryline.storage.current_world import current
from dryline.storage.record import connection
from dryline.world.metrics import BUCKETS
from dryline.world.world import World

blp = ControlArea("Control: metrics", description="Metrics for Prometheus.")

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


@blp.route("/metrics", get="getMetrics")
class MetricsView(MethodView):
    @blp.response(200, {"type": "string"}, content_type="text/plain")
    def get(self):
        """Read metrics in Prometheus' text format.

        Requests by operation and status with their latency, exports by status, applied faults.
        """
        lines = [*_requests(current()), *_faults(current()), *_exports(current())]
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


def _exports(world: World) -> Iterator[str]:
    yield from _head("dryline_exports", "gauge", "Exports by status.")
    sql = "SELECT status, COUNT(*) FROM export GROUP BY status ORDER BY status"
    for status, count in connection().execute(sql):
        yield _sample(world, "dryline_exports", {"status": status}, count)


def _head(name: str, kind: str, description: str) -> Iterator[str]:
    yield f"# HELP {name} {description}"
    yield f"# TYPE {name} {kind}"


def _sample(world: World, name: str, labels: dict[str, str], value: float) -> str:
    """Return the line of one value. The server's node name, if it has one, is a label."""
    if world.settings.node:
        labels = {"node": world.settings.node, **labels}
    text = ",".join(f'{key}="{label.translate(_ESCAPES)}"' for key, label in labels.items())
    return f"{name}{{{text}}} {float(value)}"
