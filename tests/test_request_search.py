"""Searches in the request log: filters, checks, and waiting for requests."""

import threading
from urllib.parse import urlencode

import pytest

from dryline.tests.conftest import NEW_WORKER, Api
from dryline.world import request_log, request_search

# Filters


def test_the_list_is_newest_first_and_has_a_limit(api, control):
    for name in "abc":
        api.post("/workers", NEW_WORKER | {"name": name})
    assert [entry["body"]["name"] for entry in control.get("/requests?limit=2").json] == ["c", "b"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("method=post", 1),
        ("path=/api/workers/*", 1),
        ("path=/api/workers", 2),
        ("status=404", 1),
        ("bodyContains=Front", 1),
        ("since=2000-01-01T00:00:00Z", 3),
        ("since=2999-01-01T00:00:00Z", 0),
    ],
)
def test_filters(api, control, query, count):
    api.post("/workers", NEW_WORKER)
    api.get("/workers")
    api.get("/workers/none")
    assert len(control.get(f"/requests?{query}").json) == count
    assert control.get(f"/requests/count?{query}").json == {"count": count}


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/requests"), ("DELETE", "/requests"), ("GET", "/requests/count"), ("POST", "/requests/verify")],
)
def test_an_unknown_team_is_not_found(control, method, path):
    assert control.client.open(f"/_dryline{path}?team=nope", method=method).status_code == 404


@pytest.mark.parametrize(
    ("criteria", "says"),
    [
        ({"path": "/api/wrokers"}, "did you mean /api/workers?"),
        ({"path": "/api/workers?limit=3"}, "Must not have a query"),
        ({"method": "PSOT", "path": "/api/workers"}, "Must be one of: GET"),
        ({"method": "PUT", "path": "/api/workers"}, "/api/workers has GET"),
        ({"status": 2000}, "Must be 100 to 599."),
    ],
)
def test_a_search_for_a_request_that_cannot_be_made_is_refused(control, criteria, says):
    never = {**criteria, "times": {"max": 0}}
    for answer in (
        control.post("/requests/verify", never),
        control.post("/requests/wait", {**criteria, "timeoutMs": 0}),
        control.get(f"/requests?{urlencode(criteria)}"),
        control.get(f"/requests/count?{urlencode(criteria)}"),
    ):
        assert answer.status_code == 400, answer.text
        assert says in answer.json["error"]


# Texts in the place of an id: wildcards of other tools, and variables without a value.
NO_IDS = [
    *(":id", ":workerId", "<id>", "<int:id>", "{{id}}", "[id]", "(id)", "$ID", "${ID}", "#{id}", "%", "%s", "…", "-"),
    *(".*", ".+", "(.*)", "(.+)", "\\w+", "\\d+", "[^/]+", "[0-9a-f-]+", "^.*$", "{id:[0-9]+", "worker_.+", "a|b"),
    *("None", "undefined", "null", "NULL", "nil", "NaN", "[object Object]", "<nil>"),
    *("%3Aid", "%7Bid%7D", "%7bid%7d", "%3Cid%3E", "%5Bobject%20Object%5D", "%24%7Bid%7D"),
]


@pytest.mark.parametrize("text", NO_IDS)
def test_a_search_with_a_text_that_no_id_can_be_is_refused_with_a_proposal(control, text):
    never = {"path": f"/api/workers/{text}/flows", "times": 0}
    answers = [
        control.post("/requests/verify", never),
        control.post("/requests/wait", {"path": never["path"], "timeoutMs": 0}),
        control.get(f"/requests?{urlencode({'path': never['path']})}"),
        control.get(f"/requests/count?{urlencode({'path': never['path']})}"),
        control.post("/faults", {"path": never["path"], "status": 503}),
    ]
    assert [answer.status_code for answer in answers] == [400] * 5
    if "/" not in text:
        proposal = "did you mean /api/workers/{workerId}/flows?"
        assert [proposal in answer.json["error"] for answer in answers] == [True] * 5


@pytest.mark.parametrize(
    "path", ["/api/workers//flows", "/_dryline/reset", "/_{plane}/reset", "/docs", "{base}/api/workers"]
)
def test_a_check_of_a_path_that_no_request_has_is_refused(control, path):
    answer = control.post("/requests/verify", {"path": path, "times": 0})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "path")


@pytest.mark.parametrize(
    "id",
    [
        "worker_1",
        "a.b-c~d",
        "a b",
        "é",
        "+14155550100",
        "a%3A42",
        "%4Eone",
        "42",
        "w{any}",
        "{id:.+}",
        "*",
        "w*",
        "{a}*",
    ],
)
def test_a_check_of_a_path_that_a_request_can_have_is_not_refused(control, id):
    assert control.post("/requests/verify", {"path": f"/api/workers/{id}", "times": 0}).json == {"count": 0}


def test_a_path_without_an_operation_can_be_checked_once_it_was_requested_or_an_override_answers_it(api, control):
    assert control.post("/requests/verify", {"path": "/api/workers/:id", "times": 0}).status_code == 400
    api.get("/workers/:id")
    assert control.post("/requests/verify", {"path": "/api/workers/:id", "times": 1}).status_code == 200
    control.post("/faults", {"path": "/api/new/*", "override": {}})
    control.post("/faults", {"path": "/api/*", "status": 503})
    assert control.post("/requests/verify", {"path": "/api/new/:id", "times": 0}).status_code == 200
    assert control.post("/requests/verify", {"path": "/api/old/:id", "times": 0}).status_code == 400


def test_a_name_in_braces_is_one_segment(api, control):
    for path in ("", "/w_1", "/w_2", "/w_1/flows", "/a%2Fb", "/a%2Fb/flows"):
        api.get(f"/workers{path}")
    counts = {
        "/api/workers/{workerId}": 3,
        "/api/workers/w_{n}": 2,
        "/api/workers/{workerId}/flows": 2,
        "/api/workers/a%2fb": 1,
        "/{a}/{b}": 1,
        "*/{id}/flows": 2,
        "/api/workers/*": 5,
    }
    counted = {path: control.get(f"/requests/count?{urlencode({'path': path})}").json["count"] for path in counts}
    assert counted == counts


LOGS = "/api/workers/{workerId}/deploymentLogs"
SPELLINGS = ["/api/workers/", "//api//workers//"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_each_spelling_of_a_path_is_one_request_of_it(app, control, spelling):
    answer = app.test_client().post(
        environ_overrides={"PATH_INFO": spelling}, json=NEW_WORKER, headers={"x-api-key": "dryline-local-key"}
    )
    assert answer.status_code == (404 if "//" in spelling.lstrip("/") else 201)
    once = {"method": "POST", "path": "/api/workers", "times": {"min": 1, "max": 1}}
    assert control.post("/requests/verify", once).json == {"count": 1}


@pytest.mark.parametrize("spelling", [*SPELLINGS, "/api/{collection}/", "/{any}/work*"])
def test_a_search_may_spell_its_path_in_any_way(api, control, spelling):
    api.get("/workers")
    assert control.get(f"/requests/count?{urlencode({'path': spelling})}").json == {"count": 1}
    assert control.post("/requests/verify", {"path": spelling, "times": {"max": 0}}).json["count"] == 1
    assert control.post("/requests/wait", {"path": spelling, "timeoutMs": 0}).json["count"] == 1


@pytest.mark.parametrize("path", ["/api/workers/a%20b%2Fc", "/api/*/a%20b*"])
def test_a_path_may_be_percent_encoded(app, control, path):
    app.test_client().get("/api/workers/a%20b%2Fc")
    assert control.get(f"/requests/count?{urlencode({'path': path})}").json == {"count": 1}
    control.post("/faults", {"path": path, "status": 503})
    assert app.test_client().get("/api/workers/a%20b%2Fc").status_code == 503


# Checks


def test_verify_that_fails_shows_the_nearest_requests_and_what_they_miss(api, control):
    api.get("/team/tags")
    api.post("/workers", NEW_WORKER)
    answer = control.post("/requests/verify", {"method": "POST", "path": "/api/workers", "bodyMatches": "Back.*desk"})
    assert answer.status_code == 409
    assert answer.json["count"] == 0
    nearest = answer.json["nearest"][0]
    assert nearest["misses"] == ["bodyMatches"]
    assert nearest["request"]["body"] == NEW_WORKER


def test_verify_that_fails_shows_surplus_requests(api, control):
    api.get("/team/tags")
    for name in "abc":
        api.post("/workers", NEW_WORKER | {"name": name})
    answer = control.post("/requests/verify", {"method": "POST", "path": "/api/workers", "times": {"max": 1}})
    assert (answer.status_code, answer.json["count"], answer.json["nearest"]) == (409, 3, [])
    assert [entry["body"]["name"] for entry in answer.json["surplus"]] == ["c", "b"]


@pytest.mark.parametrize(
    ("criteria", "misses"),
    [
        ({"json": {"name": "Front desk"}}, []),
        ({"json": {"config": {"levels": [1, 2]}}}, []),
        ({"json": {"name": "Back desk", "active": True}}, ["json.name"]),
        ({"json": {"active": 1}}, ["json.active"]),
        ({"json": {"nothing": None, "name": "Front desk"}}, ["json.nothing"]),
        ({"json": {"config": {"levels": [1]}}}, ["json.config"]),
        ({"json": [1]}, ["json"]),
        ({"query": {"trace": 1, "deep": True}}, []),
        ({"query": {"trace": "2", "cursor": None}}, ["query.trace"]),
        ({"query": {"tag": ["a", "b"]}}, []),
        ({"query": {"tag": "a"}}, ["query.tag"]),
        ({"headers": {"x-trace": "7", "Content-Type": "application/json"}}, []),
        ({"headers": {"X-Trace": "8", "x-none": None}}, ["headers.X-Trace"]),
    ],
)
def test_verify_compares_members_parameters_and_headers(app, control, criteria, misses):
    body = {"name": "Front desk", "active": True, "config": {"levels": [1, 2], "more": "x"}}
    app.test_client().post("/inbox/a?trace=1&deep=true&tag=a&tag=b", json=body, headers={"X-Trace": "7"})
    answer = control.post("/requests/verify", criteria)
    assert (answer.status_code, [each["misses"] for each in answer.json.get("nearest", [])]) == (
        (409, [misses]) if misses else (200, [])
    )


@pytest.mark.parametrize(
    "criteria", [{"json": {"a": [{"token": 1}]}}, {"query": {"key": "1"}}, {"headers": {"X-Api-Key": "1"}}]
)
def test_a_check_of_a_masked_secret_is_refused(control, criteria):
    answer = control.post("/requests/verify", criteria | {"times": {"max": 0}})
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [*criteria])


NO_LONGER_ALL = [{"method": "GET", "times": 3}, {"path": "/api/workers", "times": {"max": 5}}, {"times": {"max": 5}}]
STILL_ALL = [
    {"method": "POST", "times": 0},
    {"path": "/api/workers/*", "times": 0},
    {"path": "/api/team/tags", "times": 2},
    {"after": 3, "times": 2},
    {"since": "2999-01-01T00:00:00Z", "times": 0},
    {"method": "GET", "times": {"min": 2}},
]


@pytest.mark.alone
@pytest.mark.parametrize(
    ("check", "status"), [(each, 400) for each in NO_LONGER_ALL] + [(each, 200) for each in STILL_ALL]
)
def test_a_check_with_a_maximum_needs_all_requests_that_may_match(api, control, monkeypatch, check, status):
    monkeypatch.setattr(request_log, "MAX_ENTRIES", 2)
    for path in ("/workers", "/workers", "/workers", "/team/tags", "/team/tags"):
        api.get(path)
    answer = control.post("/requests/verify", check)
    assert answer.status_code == status, answer.text
    assert ("The log no longer holds all requests: 3 that may match" in answer.text) is (status == 400)


@pytest.mark.alone
def test_requests_that_were_cleared_need_not_be_in_the_log(api, other_api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_ENTRIES", 1)
    teams = [each.get("/team").json["id"] for each in (api, other_api, api)][:2]
    never = {"method": "GET", "path": "/api/team", "times": {"max": 9}}
    assert [control.post(f"/requests/verify?team={team}", never).status_code for team in teams] == [400, 400]
    control.delete(f"/requests?team={teams[0]}")
    assert [control.post(f"/requests/verify?team={team}", never).status_code for team in teams] == [200, 400]


@pytest.mark.parametrize(
    ("check", "says"),
    [
        ({"path": "/api/workers", "json": {"naem": "x"}, "times": 0}, "naem (did you mean name?)"),
        ({"json": {"naem": "x"}, "times": {"max": 2}}, "naem (did you mean "),
        ({"path": f"{LOGS}/voice", "query": {"limt": None}}, "limt (did you mean limit?)"),
        ({"path": "/api/workers", "query": {"page": 5}, "times": 0}, "page"),
    ],
)
def test_a_check_that_passes_by_a_misspelt_name_is_refused(api, control, check, says):
    api.get("/workers/w/deploymentLogs/voice")
    answer = control.post("/requests/verify", check)
    assert (answer.status_code, f"No such request has {says}" in answer.json["error"]) == (400, True), answer.text


@pytest.mark.parametrize(
    "check",
    [
        {"path": "/api/workers", "json": {"name": "x"}, "times": 0},
        {"path": "/inbox/a", "json": {"naem": "x"}, "times": 0},
        {"path": f"{LOGS}/*", "query": {"limit": 5}, "times": 0},
        {"path": f"{LOGS}/voice", "query": {"debug": None, "cursor": None}, "times": {"max": 1}},
    ],
)
def test_a_check_that_passes_by_a_known_name_is_not_refused(control, check):
    assert control.post("/requests/verify", check).status_code == 200


def test_a_regular_expression_that_takes_too_long_is_refused(api, control, monkeypatch):
    monkeypatch.setattr(request_search, "MAX_SEARCH_S", 0.01)
    api.post("/workers", NEW_WORKER | {"name": "a" * 3_000})
    answer = control.post("/requests/verify", {"bodyMatches": "(a|aa)+$"})
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, ["bodyMatches"])


@pytest.mark.parametrize("pattern", ["(", "(" * 400 + ")" * 400, "x" * 1_001])
def test_an_invalid_regular_expression_is_refused(control, pattern):
    answer = control.post("/requests/verify", {"bodyMatches": pattern})
    assert [detail["path"] for detail in answer.json["details"]] == ["bodyMatches"]


@pytest.mark.parametrize("times", [-1, True, "2", 1.5, [1], {"min": 3, "max": 1}])
def test_a_number_of_times_that_no_count_can_be_is_refused(control, times):
    answer = control.post("/requests/verify", {"times": times})
    assert (answer.status_code, answer.json["details"][0]["path"][:5]) == (400, "times")


# Waiting


def test_a_wait_ends_with_the_last_request_that_it_needs(app, api, control):
    answers = []
    waiting = threading.Thread(
        target=lambda: answers.append(
            Api(app.test_client(), "", "/_dryline").post(
                "/requests/wait", {"path": "/api/workers", "count": 3, "timeoutMs": 60_000}
            )
        )
    )
    waiting.start()
    api.get("/team/tags")
    for _ in range(3):
        assert waiting.is_alive()
        api.post("/workers", NEW_WORKER)
    waiting.join(20)
    assert (answers[0].status_code, answers[0].json["count"]) == (200, 3)


def test_a_wait_without_success_is_a_409_with_the_nearest_requests(api, control):
    api.post("/workers", NEW_WORKER)
    answer = control.post("/requests/wait", {"path": "/api/workers", "bodyContains": "Back", "timeoutMs": 0})
    assert answer.status_code == 409
    assert answer.json["error"] == "Expected 1 within 0 ms, found 0."
    assert answer.json["nearest"][0]["misses"] == ["bodyContains"]


def test_a_wait_can_leave_out_earlier_requests(api, control):
    api.post("/workers", NEW_WORKER)
    (newest,) = control.get("/requests").json
    criteria_after = {"path": "/api/workers", "after": newest["number"], "timeoutMs": 0}
    assert control.post("/requests/wait", criteria_after).status_code == 409
    api.post("/workers", NEW_WORKER)
    assert control.post("/requests/wait", criteria_after).json["count"] == 1
    assert len(control.get(f"/requests?after={newest['number']}").json) == 1


def test_the_servers_end_ends_a_wait(app):
    app.world.ending.set()
    answer = app.test_client().post("/_dryline/requests/wait", json={"timeoutMs": 60_000})
    assert (answer.status_code, answer.json["error"]) == (409, "Expected 1 until the server ended, found 0.")
