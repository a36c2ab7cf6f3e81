"""What was called, and checks of it."""

import pytest
from waitress.channel import ClientDisconnected

from dryline.traffic import request_log, request_search

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


@pytest.mark.parametrize(
    "header", ["x-api-key", "team-secret", "x-dryline-token", "authorization", "proxy-authorization"]
)
def test_a_header_that_lets_in_is_masked(api, control, header):
    api.get("/workers", headers={header: "s3cret"})
    assert control.get("/requests").json[0]["headers"][header] == "***"


@pytest.mark.parametrize("name", ["x-api-key", "api_key", "apiKey", "key", "token", "access_token", "X-Dryline-Token"])
def test_a_key_in_the_query_is_masked(api, control, name):
    api.get(f"/workers?limit=2&{name}=s3cret&monkey=1")
    assert control.get("/requests").json[0]["query"] == {"limit": ["2"], name: ["***"], "monkey": ["1"]}


def test_the_token_of_an_integration_is_masked(api, control, make_integration):
    make_integration(authToken='s3"cret\\')
    entry = control.get("/requests").json[0]
    assert entry["body"] == {"accountSid": "AC0123456789abcdef0123456789abcdef", "authToken": "***"}


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


def test_verify_shows_the_calls_that_are_too_many(api, control):
    api.get("/team/tags")
    for name in "abc":
        api.post("/workers", WORKER | {"name": name})
    answer = control.post("/requests/verify", {"method": "POST", "path": "/api/workers", "times": {"max": 1}})
    assert (answer.status_code, answer.json["count"], answer.json["nearest"]) == (409, 3, [])
    assert [entry["body"]["name"] for entry in answer.json["surplus"]] == ["c", "b"]


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(x+x+)+y"])
def test_a_pattern_that_searches_for_ever_is_ended(api, control, monkeypatch, pattern):
    monkeypatch.setattr(request_search, "MAX_SEARCH_S", 0.01)
    api.post("/workers", WORKER | {"name": ("a" if "a" in pattern else "x") * 3_000})
    answer = control.post("/requests/verify", {"bodyMatches": pattern})
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, ["bodyMatches"])


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


@pytest.mark.parametrize("pattern", ["(", "(" * 400 + ")" * 400, "x" * 1_001])
def test_a_bad_pattern_is_refused(control, pattern):
    answer = control.post("/requests/verify", {"bodyMatches": pattern})
    assert [detail["path"] for detail in answer.json["details"]] == ["bodyMatches"]


def test_bounds_that_no_number_is_within_are_refused(control):
    answer = control.post("/requests/verify", {"times": {"min": 3, "max": 1}})
    assert [detail["path"] for detail in answer.json["details"]] == ["times.max"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/requests"), ("DELETE", "/requests"), ("GET", "/requests/count"), ("POST", "/requests/verify")],
)
def test_a_team_that_there_is_not_is_not_found(control, method, path):
    assert control.client.open(f"/_dryline{path}?team=nope", method=method).status_code == 404


@pytest.mark.alone
def test_the_record_is_bounded_in_number(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_ENTRIES", 3)
    for _ in range(5):
        api.get("/workers")
    assert [entry["number"] for entry in control.get("/requests").json] == [5, 4, 3]


@pytest.mark.alone
def test_the_record_is_bounded_in_size(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_BYTES", 1_500)
    for _ in range(3):
        api.post("/workers", WORKER | {"name": "x" * 3_000})
    assert [entry["number"] for entry in control.get("/requests").json] == [3]


# The answer to an unknown path tells it.
@pytest.mark.alone
@pytest.mark.parametrize(("part", "most"), [("path", 9_000), ("headers", 5_000)])
def test_the_bound_counts_path_and_headers(api, control, monkeypatch, part, most):
    monkeypatch.setattr(request_log, "MAX_BYTES", most)
    for _ in range(3):
        if part == "path":
            api.get("/workers/" + "x" * 3_000)
        else:
            api.get("/workers", headers={"x-long": "x" * 3_000})
    assert [entry["number"] for entry in control.get("/requests").json] == [3]


def test_methods_that_are_made_up_are_one_series(app, control):
    for method in ("ABC", "XYZ"):
        app.test_client().open("/api/workers", method=method)
    assert 'count{method="OTHER",route="unknown",status="405"} 2.0' in control.get("/metrics").text


@pytest.mark.alone
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


def test_the_answer_is_kept(api, control):
    worker = api.post("/workers", WORKER).json
    (entry,) = control.get("/requests").json
    assert entry["answer"] == worker
    assert entry["answerHeaders"]["content-type"] == "application/json"
    assert entry["touched"] == [worker["id"]]


def test_a_spoiled_answer_is_kept_as_it_was_sent(api, control):
    control.post("/faults", {"malformed": "garbage"})
    sent = api.get("/workers")
    assert control.get("/requests").json[0]["answer"] == sent.data.decode(errors="replace")


def test_a_dropped_request_has_no_answer(api, control):
    control.post("/faults", {"drop": True})
    with pytest.raises(ClientDisconnected):
        api.get("/workers")
    assert control.get("/requests").json[0]["answer"] is None


def test_of_a_large_answer_the_beginning_is_kept(api, control):
    for _ in range(3):
        api.post("/workers", WORKER | {"description": "x" * 40_000})
    api.get("/workers")
    assert len(control.get("/requests").json[0]["answer"]) == request_log.ANSWER_BYTES


def test_of_older_requests_only_the_beginning_of_a_long_body_is_kept(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_LONG_BYTES", 100_000)
    for _ in range(3):
        api.post("/workers", WORKER | {"description": "x" * 40_000})
    newest, _, oldest = control.get("/requests").json
    assert newest["body"] == WORKER | {"description": "x" * 40_000}
    assert newest["answer"]["description"] == "x" * 40_000
    assert len(oldest["body"]) == len(oldest["answer"]) == request_log.SHORT_BYTES
    sizes = {entry["response"]["bodySize"] for entry in control.get("/requests.har").json["log"]["entries"]}
    assert len(sizes) == 1


def test_the_newest_request_is_kept_whole(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_LONG_BYTES", 1_000)
    api.post("/workers", WORKER | {"description": "x" * 40_000})
    assert control.get("/requests").json[0]["body"]["description"] == "x" * 40_000


def test_wide_characters_count_as_they_are_stored(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_BYTES", 20_000)
    for _ in range(2):
        api.get("/workers/" + "\N{GRINNING FACE}" * 2_000)
    assert len(control.get("/requests").json) == 1


def test_one_long_body_pushes_out_no_other_request(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_BYTES", 20_000)
    monkeypatch.setattr(request_log, "MAX_LONG_BYTES", 5_000)
    api.get("/workers")
    api.post("/workers", WORKER | {"description": "x" * 40_000})
    api.get("/team")
    assert len(control.get("/requests").json) == 3


def test_answers_count_for_the_bound(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_BYTES", 100_000)
    api.post("/workers", WORKER | {"description": "x" * 9_000})
    for _ in range(20):
        api.get("/workers")
    assert 5 <= len(control.get("/requests").json) <= 10


def test_a_token_in_an_answer_is_masked(api, control, make_integration):
    make_integration(authToken="s3cret")
    api.get("/team?includeIntegrations=true")
    assert "s3cret" not in control.get("/requests").text


def test_the_rows_that_a_request_was_about_are_named(api, control):
    worker = api.post("/workers", WORKER).json["id"]
    flow = api.post(f"/workers/{worker}/flows", {"name": "One", "code": "say('Hi')"}).json["id"]
    api.patch(f"/workers/{worker}", {"name": "Another"})
    touched = [entry["touched"] for entry in control.get("/requests").json]
    assert touched == [[worker], [worker, flow], [worker]]


def test_verify_shows_requests_in_the_form_of_the_list(api, control):
    api.get("/team/tags")
    (listed,) = control.get("/requests").json
    unmet = control.post("/requests/verify", {"path": "/api/workers"}).json
    surplus = control.post("/requests/verify", {"path": "/api/team/tags", "times": {"max": 0}}).json
    assert unmet["nearest"][0]["request"] == surplus["surplus"][0] == listed
