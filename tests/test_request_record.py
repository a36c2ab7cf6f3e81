"""What was called, and checks of it."""

import pytest

from dryline.world import request_record

WORKER = {"name": "Front desk", "description": None, "status": None}


def test_a_request_is_recorded_with_all_that_was_sent_and_how_it_ended(api, control):
    api.post("/workers?trace=1", WORKER)
    (entry,) = control.get("/requests").json
    assert (entry["method"], entry["path"], entry["status"]) == ("POST", "/api/workers", 201)
    assert entry["query"] == {"trace": ["1"]}
    assert entry["body"] == WORKER
    assert entry["headers"]["content-type"] == "application/json"
    assert entry["durationMs"] > 0
    assert entry["faultId"] is None


def test_the_key_is_masked(api, control):
    api.get("/workers")
    answer = control.get("/requests")
    assert answer.json[0]["headers"]["x-api-key"] == "***"
    assert "dryline-local-key" not in answer.text


def test_the_fault_that_hit_is_named_and_a_dropped_request_has_no_status(api, control):
    fault = control.post("/faults", {"status": 503}).json
    api.get("/workers")
    assert control.get("/requests").json[0]["faultId"] == fault["id"]


def test_the_control_plane_is_not_recorded(control):
    control.get("/clock")
    assert control.get("/requests").json == []


def test_the_newest_comes_first_and_limit_cuts(api, control):
    for name in "abc":
        api.post("/workers", WORKER | {"name": name})
    assert [entry["body"]["name"] for entry in control.get("/requests?limit=2").json] == ["c", "b"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("method=POST", 1),
        ("method=post", 1),
        ("path=/api/workers/*", 1),
        ("path=/api/workers", 2),
        ("status=404", 1),
        ("status=500", 0),
        ("bodyContains=Front", 1),
        ("since=2000-01-01T00:00:00Z", 3),
        ("since=2999-01-01T00:00:00Z", 0),
    ],
)
def test_filters(api, control, query, count):
    api.post("/workers", WORKER)
    api.get("/workers")
    api.get("/workers/none")
    assert len(control.get(f"/requests?{query}").json) == count
    assert control.get(f"/requests/count?{query}").json == {"count": count}


def test_a_teams_requests_can_be_told_apart_and_forgotten(api, other_api, control, make_worker):
    team = make_worker()["teamId"]
    other_api.get("/workers")
    assert control.get(f"/requests/count?team={team}").json == {"count": 1}
    control.delete(f"/requests?team={team}")
    assert [entry["method"] for entry in control.get("/requests").json] == ["GET"]
    control.delete("/requests")
    assert control.get("/requests").json == []


def test_verify_says_yes_with_the_count(api, control):
    api.post("/workers", WORKER)
    answer = control.post("/requests/verify", {"method": "POST", "path": "/api/workers", "bodyContains": "Front"})
    assert (answer.status_code, answer.json) == (200, {"count": 1})


def test_verify_says_no_with_the_nearest_misses(api, control):
    api.get("/team/tags")
    api.post("/workers", WORKER)
    answer = control.post("/requests/verify", {"method": "POST", "path": "/api/workers", "bodyMatches": "Back.*desk"})
    assert answer.status_code == 409
    assert answer.json["count"] == 0
    nearest = answer.json["nearest"][0]
    assert nearest["misses"] == ["bodyMatches"]
    assert nearest["request"]["body"] == WORKER


@pytest.mark.parametrize(
    ("times", "status"),
    [
        ({"min": 2}, 200),
        ({"min": 3}, 409),
        ({"max": 2}, 200),
        ({"max": 1}, 409),
        ({"min": 2, "max": 2}, 200),
        (None, 200),
    ],
)
def test_verify_counts(api, control, times, status):
    api.get("/workers")
    api.get("/workers")
    assert control.post("/requests/verify", {"path": "/api/workers", "times": times}).status_code == status


def test_at_most_none_is_met_by_nothing(control):
    assert control.post("/requests/verify", {"path": "/api/workers", "times": {"max": 0}}).json == {"count": 0}


def test_a_bad_pattern_is_refused(control):
    answer = control.post("/requests/verify", {"bodyMatches": "("})
    assert [detail["path"] for detail in answer.json["details"]] == ["bodyMatches"]


def test_the_record_is_bounded_in_number(api, control, monkeypatch):
    monkeypatch.setattr(request_record, "MOST_ENTRIES", 3)
    for _ in range(5):
        api.get("/workers")
    assert [entry["number"] for entry in control.get("/requests").json] == [5, 4, 3]


def test_the_record_is_bounded_in_size(api, control, monkeypatch):
    monkeypatch.setattr(request_record, "MOST_BYTES", 5_000)
    for _ in range(3):
        api.post("/workers", WORKER | {"name": "x" * 3_000})
    assert [entry["number"] for entry in control.get("/requests").json] == [3]


def test_metrics_count_requests_by_operation_and_status_and_faults(api, control):
    api.get("/workers")
    api.get("/workers/none")
    control.post("/faults", {"status": 503, "times": 1})
    api.get("/workers")
    text = control.get("/metrics").text
    count = "dryline_request_duration_seconds_count"
    assert f'{count}{{method="GET",route="/api/workers",status="200"}} 1.0' in text
    assert f'{count}{{method="GET",route="/api/workers/<id>",status="404"}} 1.0' in text
    assert 'dryline_faults_total{effect="status 503"} 1.0' in text
