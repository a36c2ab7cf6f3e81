"""Prometheus metrics."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from flask import Response
from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea
from dryline.storage.current_world import current
from dryline.storage.record import connection
from dryline.world.metrics import BUCKETS
from dryline.world.world import World

blp = ControlArea("Control: metrics", description="Counts for Prometheus.")


@blp.route("/metrics", get="getMetrics")
class MetricsView(MethodView):
    @blp.response(200, {"type": "string"}, content_type="text/plain")
    def get(self):
        """Read counts as Prometheus' text.

        Requests by operation and status with their latency, exports by status, faults that hit.
        """
        from prometheus_client import CollectorRegistry, generate_latest  # only who scrapes pays for the import
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

        registry = CollectorRegistry(auto_describe=False)
        registry.register(Collector(current()))
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class Collector:
    """Turns a world's counts into Prometheus' families. One of several nodes says in each which one it is."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.node = [world.settings.node] if world.settings.node else []

    def collect(self) -> Iterator[Any]:
        """The families."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        node = ["node"] if self.node else []
        labels = [*node, "method", "route", "status"]
        requests = HistogramMetricFamily(
            "dryline_request_duration_seconds", "Requests answered, by their time.", labels=labels
        )
        for (method, route, status), counts in sorted(self.world.metrics.requests.items()):
            sums = list(accumulate(counts[:-1]))
            bounds = [*map(str, BUCKETS), "+Inf"]
            shown = [*self.node, method, route, str(status or "dropped")]
            requests.add_metric(shown, list(zip(bounds, sums, strict=True)), counts[-1])
        yield requests
        faults = CounterMetricFamily("dryline_faults", "Faults that hit, by effect.", labels=[*node, "effect"])
        for effect, count in sorted(self.world.metrics.faults.items()):
            faults.add_metric([*self.node, effect], count)
        yield faults
        exports = GaugeMetricFamily("dryline_exports", "Exports by status.", labels=[*node, "status"])
        for status, count in connection().execute(
            "SELECT status, COUNT(*) FROM export GROUP BY status ORDER BY status"
        ):
            exports.add_metric([*self.node, status], count)
        yield exports
