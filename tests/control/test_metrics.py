"""Metrics, read with Prometheus' own parser."""

import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dryline import __version__

WINDOW = {"startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z", "format": "CSV"}


@pytest.mark.alone  # counters go on over the reset between tests
def test_prometheus_reads_requests_by_operation_and_status_and_faults_by_effect(api, control):
    api.get("/workers")
    api.get("/workers/none")
    control.post("/faults", {"status": 503, "times": 1})
    api.get("/workers")
    answer = control.get("/metrics")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert {name: family.type for name, family in families.items()} == {
        "dryline_request_duration_seconds": "histogram",
        "dryline_faults": "counter",
        "dryline_exports": "gauge",
        "dryline_webhook_deliveries": "gauge",
        "dryline_due_work": "gauge",
        "dryline_due_work_age_seconds": "gauge",
        "dryline_info": "gauge",
        "dryline_lost_log_lines": "counter",
        "dryline_storage_bytes": "gauge",
        "process_start_time_seconds": "gauge",
        "process_resident_memory_bytes": "gauge",
    }
    requests = families["dryline_request_duration_seconds"].samples
    count = "dryline_request_duration_seconds_count"
    for route, status in (("/api/workers", 200), ("/api/workers/<id>", 404), ("/api/workers", 503)):
        assert f'{count}{{method="GET",route="{route}",status="{status}"}} 1.0' in answer.text
    at = {"method": "GET", "route": "/api/workers", "status": "200"}
    mine = [sample for sample in requests if at.items() <= sample.labels.items()]
    buckets = [sample.value for sample in mine if sample.name.endswith("_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == 1
    assert [sample.labels for sample in families["dryline_faults"].samples] == [{"effect": "status 503"}]


def test_invented_methods_are_one_series(app, control):
    for method in ("ABC", "XYZ"):
        app.test_client().open("/api/workers", method=method)
    assert 'count{method="OTHER",route="unknown",status="405"} 2.0' in control.get("/metrics").text


def samples(control):
    """Return the values of all metrics by name and labels."""
    families = text_string_to_metric_families(control.get("/metrics").text)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_an_operator_sees_the_version_the_start_the_memory_and_the_disk(control):
    values = samples(control)
    assert values["dryline_info", __version__] == 1
    assert 0 <= time.time() - values["process_start_time_seconds",] < 3_600
    assert values["process_resident_memory_bytes",] > 10_000_000
    assert values["dryline_storage_bytes", "database"] > 100_000


def test_an_operator_sees_due_work_and_its_age(control, app, api):
    control.put("/settings", {"exportMode": "manual"})
    control.put("/clock", {"now": "2026-01-02T00:00:00Z", "frozen": True})
    assert api.post("/team/exports", WINDOW).status_code == 201
    control.put("/clock", {"now": "2026-01-02T00:01:30Z", "frozen": True})
    values = samples(control)
    assert (values["dryline_due_work", "exports"], values["dryline_due_work_age_seconds", "exports"]) == (1, 90)
    assert (values["dryline_due_work", "webhooks"], values["dryline_due_work_age_seconds", "webhooks"]) == (0, 0)


def test_work_is_due_by_the_clock_of_its_team(control, api):
    control.put("/settings", {"exportMode": "manual"})
    control.put("/clock", {"now": "2026-01-02T00:00:00Z", "frozen": True})
    api.post("/team/exports", WINDOW)
    assert samples(control)["dryline_due_work_age_seconds", "exports"] == 0
    team = api.get("/team").json["id"]
    control.put(f"/clock?team={team}", {"now": "2026-01-03T00:00:00Z", "frozen": True})
    assert samples(control)["dryline_due_work_age_seconds", "exports"] == 86_400
