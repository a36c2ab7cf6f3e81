"""Metrics, read with Prometheus' own parser."""

import pytest
from prometheus_client.parser import text_string_to_metric_families


@pytest.mark.alone  # counters go on over the reset between tests
def test_prometheus_reads_the_metrics(api, control):
    api.get("/workers")
    control.post("/faults", {"status": 503, "times": 1})
    api.get("/workers")
    answer = control.get("/metrics")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert {name: family.type for name, family in families.items()} == {
        "dryline_request_duration_seconds": "histogram",
        "dryline_faults": "counter",
        "dryline_exports": "gauge",
    }
    requests = families["dryline_request_duration_seconds"].samples
    at = {"method": "GET", "route": "/api/workers", "status": "200"}
    mine = [sample for sample in requests if at.items() <= sample.labels.items()]
    buckets = [sample.value for sample in mine if sample.name.endswith("_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == 1
    assert [sample.value for sample in mine if sample.name.endswith("_count")] == [1]
    assert [sample.labels for sample in families["dryline_faults"].samples] == [{"effect": "status 503"}]


def test_invented_methods_are_one_series(app, control):
    for method in ("ABC", "XYZ"):
        app.test_client().open("/api/workers", method=method)
    assert 'count{method="OTHER",route="unknown",status="405"} 2.0' in control.get("/metrics").text


@pytest.mark.alone
def test_requests_are_counted_by_operation_and_status_and_faults_by_effect(api, control):
    api.get("/workers")
    api.get("/workers/none")
    control.post("/faults", {"status": 503, "times": 1})
    api.get("/workers")
    text = control.get("/metrics").text
    count = "dryline_request_duration_seconds_count"
    assert f'{count}{{method="GET",route="/api/workers",status="200"}} 1.0' in text
    assert f'{count}{{method="GET",route="/api/workers/<id>",status="404"}} 1.0' in text
    assert 'dryline_faults_total{effect="status 503"} 1.0' in text
