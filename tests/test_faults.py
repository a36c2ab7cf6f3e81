"""Faults on demand."""

import contextlib
import http.client
import time

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.conftest import NEW_WORKER, created
from dryline.world.faults import ConnectionCut, Fault


@pytest.fixture
def fault(control):
    def add(**rule):
        return created(control.post("/faults", rule))

    return add


def test_a_status_fault_answers_in_the_apis_error_form(api, fault):
    fault(status=503)
    answer = api.get("/workers")
    assert answer.status_code == 503
    assert list(answer.json) == ["error"]


@pytest.mark.parametrize(
    ("body", "text", "mimetype"),
    [
        ({"error": "Slow down."}, '{"error":"Slow down."}', "application/json"),
        ("Slow down.", "Slow down.", "text/plain"),
    ],
)
def test_a_fault_gives_its_own_body_and_headers(api, fault, body, text, mimetype):
    fault(status=429, body=body, headers={"Retry-After": "7"})
    answer = api.get("/workers")
    assert (answer.status_code, answer.text.strip(), answer.mimetype) == (429, text, mimetype)
    assert answer.headers["Retry-After"] == "7"


@pytest.mark.parametrize(
    ("rule", "status", "count"),
    [
        ({"status": 503}, 503, 0),
        ({"status": 503, "malformed": "garbage"}, 503, 0),
        ({"drop": True}, None, 0),
        ({"malformed": "garbage"}, 201, 1),
        ({"status": 500, "phase": "after"}, 500, 1),
        ({"drop": True, "phase": "after"}, None, 1),
    ],
)
def test_a_rule_with_an_answer_runs_the_view_only_in_the_phase_after(api, fault, control, rule, status, count):
    fault(**rule, method="POST")
    if status:
        assert api.post("/workers", NEW_WORKER).status_code == status
    else:
        with pytest.raises(ConnectionCut):
            api.post("/workers", NEW_WORKER)
    control.delete("/faults")
    assert len(api.get("/workers").json) == count


def test_only_the_named_method_and_path_are_hit(api, fault, make_worker):
    worker = make_worker()
    fault(status=500, method="GET", path="/api/workers/*")
    assert api.get(f"/workers/{worker['id']}").status_code == 500
    assert api.get("/workers").status_code == 200
    assert api.patch(f"/workers/{worker['id']}", {"name": "B"}).status_code == 200


def test_skip_lets_matches_pass_and_times_ends_the_fault(api, fault, control):
    rule = fault(status=500, skip=1, times=2)
    assert [api.get("/workers").status_code for _ in range(5)] == [200, 500, 500, 200, 200]
    assert control.get("/faults").json == [rule | {"matches": 5, "hits": 2}]


def test_probability_strikes_a_share_that_the_seed_decides(api, fault, control):
    def run():
        control.delete("/faults")
        fault(status=500, probability=0.5)
        return [api.get("/workers").status_code for _ in range(40)]

    first = run()
    assert set(first) == {200, 500}
    assert run() == first


def test_without_a_seed_two_servers_strike_other_requests():
    def run():
        with contextlib.closing(create_app(Settings(ephemeral=True, scenario="empty"))) as app:
            client = app.test_client()
            client.post("/_dryline/faults", json={"status": 500, "probability": 0.5})
            return [client.get("/api/workers").status_code for _ in range(60)]

    assert run() != run()


def test_a_delay_waits_and_then_answers(api, fault, make_worker):
    make_worker()
    fault(delayMs=30)
    began = time.perf_counter()
    assert len(api.get("/workers").json) == 1
    assert time.perf_counter() - began >= 0.03


def test_the_control_plane_is_never_hit(control, fault):
    fault(status=500)
    assert control.get("/clock").status_code == 200
    assert control.delete("/faults").status_code == 204


def test_a_team_fault_leaves_other_teams_alone(api, other_api, control, fault, make_worker):
    team = make_worker()["teamId"]
    assert control.post(f"/faults?team={team}", {"status": 500}).json["teamId"] == team
    assert (api.get("/workers").status_code, other_api.get("/workers").status_code) == (500, 200)
    other = other_api.get("/team").json["id"]
    assert control.delete(f"/faults?team={other}").status_code == 204
    assert api.get("/workers").status_code == 500


def test_a_fault_can_be_taken_away(api, control, fault):
    rule = fault(status=500)
    assert control.delete(f"/faults/{rule['id']}").status_code == 204
    assert api.get("/workers").status_code == 200
    assert control.delete(f"/faults/{rule['id']}").status_code == 404


UNIFORM = {"type": "uniform", "lowerMs": 5, "upperMs": 9}


@pytest.mark.parametrize(
    ("rule", "path", "message"),
    [
        ({}, "status", ""),
        ({"status": 99}, "status", ""),
        ({"status": 503, "drop": True}, "status", "drop"),
        ({"malformed": "a bit"}, "malformed", ""),
        ({"status": 503, "probability": 0}, "probability", "greater than 0"),
        ({"status": 500, "phase": "during"}, "phase", ""),
        ({"status": 500, "times": 0}, "times", "1"),
        ({"delayMs": -1}, "delayMs", ""),
        ({"delayMs": 5, "body": "x"}, "body", "status"),
        ({"headers": {"X": "a\r\nb"}}, "headers", ""),
        ({"headers": {"Content-Length": "²"}}, "headers", "number"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "headers", "Transfer-Encoding belongs to the connection"),
        ({"status": 503, "path": "workers"}, "path", "Must begin with"),
        ({"override": {}, "path": "http://localhost/api/workers"}, "path", "leave out the scheme"),
        ({"status": 503, "path": "/api/workers/:id"}, "path", ":id is not an id"),
        ({"status": 503, "path": "/api/*s/w*a{x}b"}, "path", "in one segment"),
        ({"status": 503, "path": "/_{plane}/talk"}, "path", "do not apply"),
        ({"status": 500, "path": "/_dryline/reset"}, "path", ""),
        ({"status": 500, "path": "/docs"}, "path", "do not apply"),
        ({"status": 503, "path": "/console"}, "path", "No operation"),
        ({"status": 503, "path": "/api/workerz"}, "path", "did you mean /api/workers?"),
        ({"status": 503, "path": "/api/workers/w/flowz/*"}, "path", "did you mean"),
        ({"status": 503, "path": "/inbox"}, "path", "No operation"),
        ({"status": 503, "path": "/api/workers", "method": "DELETE"}, "method", "GET, HEAD, OPTIONS, POST"),
        ({"status": 503, "path": "*", "method": "FETCH"}, "method", "Must be one of"),
        ({"status": 500, "override": {}}, "override", ""),
        ({"delayDistribution": {"type": "uniform", "lowerMs": 5}}, "delayDistribution.upperMs", ""),
        ({"delayDistribution": UNIFORM | {"sigma": 1}}, "delayDistribution.sigma", ""),
        ({"delayDistribution": UNIFORM | {"type": "lognormal"}}, "delayDistribution.type", ""),
        ({"delayDistribution": UNIFORM, "delayMs": 5}, "delayDistribution", ""),
        ({"rateLimit": {"requests": 1, "windowSeconds": 0}}, "rateLimit.windowSeconds", ""),
        ({"bytesPerSecond": 5, "drop": True}, "bytesPerSecond", ""),
    ],
)
def test_a_rule_that_cannot_work_is_refused(control, rule, path, message):
    answer = control.post("/faults", rule)
    assert answer.status_code == 400
    messages = {detail["path"]: detail["message"] for detail in answer.json["details"]}
    assert message in messages[path]
    assert control.get("/faults").json == []


@pytest.mark.parametrize(
    "path",
    [
        *("*", "/*", "/api/workers", "/api/workers/*", "/api/workers/w_1/flows", "*/flows", "/api/w*s", "*a*b/flows*"),
        *("/inbox/any/*/box", "/downloads/*", "/v1/chat/completions", "/api/workers/a b", "/api/*/flows/f*"),
    ],
)
def test_a_rule_with_a_path_that_some_operation_has_is_accepted(fault, path):
    fault(path=path, status=503)


def test_an_override_answers_with_200_and_for_a_path_without_an_operation_too(api, fault):
    fault(path="/api/new-thing", override={"status": 207, "body": {"new": True}, "headers": {"X-Canned": "1"}})
    answer = api.post("/new-thing", {})
    assert (answer.status_code, answer.json, answer.headers["X-Canned"]) == (207, {"new": True}, "1")
    fault(path="/api/workers", override={"body": []})
    assert (api.get("/workers").status_code, api.get("/workers").json) == (200, [])


SPELLINGS = ["/api/workers/", "//api//workers//"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_rule_applies_to_each_spelling_of_its_path(app, fault, spelling):
    fault(status=503, path="/api/workers")
    assert app.test_client().get(environ_overrides={"PATH_INFO": spelling}).status_code == 503


@pytest.mark.parametrize("spelling", [*SPELLINGS, "/api/work{rest}"])
def test_a_rule_may_spell_its_path_in_any_way(api, fault, spelling):
    fault(status=503, path=spelling)
    assert api.get("/workers").status_code == 503


@pytest.mark.parametrize("path", ["/api" + "*a" * 30 + "*b", "/api/{x}/" + "{x}a" * 30 + "{y}b", "*/{x}" * 5 + "*b"])
def test_many_wildcards_in_a_path_take_no_longer_than_one(api, fault, path):
    fault(path=path, override={"status": 500})
    assert api.get("/workers/" + "a" * 2_000).status_code == 404


class TestOnASocket:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", seed=1, port=0)

    @pytest.fixture
    def connection(self, server):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
        yield connection
        connection.close()

    def get(self, connection):
        connection.request("GET", "/api/workers", headers={"x-api-key": "dryline-local-key"})
        return connection.getresponse()

    @pytest.mark.parametrize("method", ["GET", "DELETE"])  # the latter's 204 has no body
    def test_the_connection_can_be_closed_after_the_answer(self, connection, fault, make_worker, method):
        fault(headers={"Connection": "close"})
        key = {"x-api-key": "dryline-local-key"}
        connection.request(method, f"/api/workers/{make_worker()['id']}", headers=key)
        answer = connection.getresponse()
        assert (answer.status < 300, answer.headers["Connection"]) == (True, "close")
        answer.read()
        assert connection.sock is None

    def test_a_slow_body_arrives_bit_by_bit_until_its_rule_is_taken_away(
        self, connection, api, fault, control, make_worker
    ):
        make_worker(name="x" * 255)
        whole = api.get("/workers").data
        fault(bytesPerSecond=20)  # a client would give up before all of it has come
        answer = self.get(connection)
        assert answer.read(1) == whole[:1]
        control.delete("/faults")
        assert answer.read() == whole[1:]

    def test_a_slow_body_breaks_off_with_its_world(self, connection, fault, control, make_worker):
        make_worker()
        fault(bytesPerSecond=20)
        answer = self.get(connection)
        answer.read(1)
        control.post("/reset", {})
        with pytest.raises(http.client.IncompleteRead):
            answer.read()


def test_browsers_do_not_guess_the_type_of_a_faults_answer(api, fault):
    fault(status=503, body="<script>")
    assert api.get("/workers").headers["X-Content-Type-Options"] == "nosniff"


# A rate limit


@pytest.fixture
def frozen(control):
    control.put("/clock", {"now": "2030-01-01T09:00:00Z", "frozen": True})


def test_a_rate_limit_counts_each_key_in_windows_of_api_time(api, other_api, fault, frozen, control):
    fault(rateLimit={"requests": 2, "windowSeconds": 30})
    answers = [api.get("/workers") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert [answer.headers.get("Retry-After") for answer in answers] == [None, None, "30"]
    assert other_api.get("/workers").status_code == 200
    control.post("/clock/advance", {"seconds": 29.5})
    assert api.get("/workers").headers["Retry-After"] == "1"
    control.post("/clock/advance", {"seconds": 0.5})
    assert api.get("/workers").status_code == 200


def test_requests_within_a_limit_are_no_hits_and_match_other_rules(api, fault, frozen, control):
    fault(rateLimit={"requests": 1, "windowSeconds": 30}, path="/api/workers")
    fault(status=503, path="/api/workers")
    assert [api.get("/workers").status_code for _ in range(2)] == [503, 429]
    limit = control.get("/faults").json[1]
    assert (limit["matches"], limit["hits"], limit["status"]) == (2, 1, 429)


# Delays that differ


def drawn(api, control, monkeypatch, **rule):
    """Return the delays of five requests, in milliseconds. No request waits."""
    waits = []
    monkeypatch.setattr(Fault, "wait_for_delay", lambda self, world, task, delay_ms: waits.append(delay_ms) or True)
    assert control.post("/faults", rule).status_code == 201
    for _ in range(5):
        api.get("/workers")
    control.delete("/faults")
    return waits


def test_delays_differ_and_are_the_same_for_the_same_seed(api, control, monkeypatch):
    first, again = (drawn(api, control, monkeypatch, delayDistribution=UNIFORM) for _ in range(2))
    assert first == again and len(set(first)) > 1
    assert all(UNIFORM["lowerMs"] <= wait <= UNIFORM["upperMs"] for wait in first)


# Slow bodies


def test_a_slow_body_comes_whole_in_pieces_with_a_pause_before_each(api, fault, make_worker, monkeypatch):
    make_worker(name="x" * 300)
    whole = api.get("/workers").data
    pauses = []
    monkeypatch.setattr(Fault, "wait_for_delay", lambda self, world, task, delay_ms: pauses.append(delay_ms) or True)
    fault(bytesPerSecond=1_000)
    answer = api.get("/workers")
    assert (answer.data, answer.headers["Content-Length"]) == (whole, str(len(whole)))
    assert (set(pauses), len(pauses)) == ({50}, -(-len(whole) // 50))


def test_an_answer_without_a_body_is_not_slow(api, fault):
    fault(bytesPerSecond=1)
    assert api._send("HEAD", "/workers").data == b""


# Criteria as in a search of the request log


@pytest.mark.parametrize(
    ("criteria", "is_hit"),
    [
        ({"json": {"name": "B"}}, True),
        ({"json": {"name": "A"}}, False),
        ({"json": {}}, True),
        ({"query": {"dryRun": 1}}, True),
        ({"query": {"dryRun": None}}, False),
        ({"query": {"limit": None}}, True),
        ({"requestHeaders": {"x-trace": "7"}}, True),
        ({"requestHeaders": {"X-Trace": None}}, False),
        ({"bodyContains": '"B"'}, True),
        ({"bodyContains": "front"}, False),
        ({"json": {"name": "B"}, "query": {"dryRun": "2"}}, False),
    ],
)
def test_a_rule_applies_to_the_requests_that_a_search_with_its_criteria_finds(api, control, fault, criteria, is_hit):
    fault(method="POST", path="/api/workers", status=503, **criteria)
    answer = api.post("/workers?dryRun=1", NEW_WORKER | {"name": "B"}, headers={"X-Trace": "7"})
    assert (answer.status_code == 503) is is_hit
    search = {("headers" if name == "requestHeaders" else name): value for name, value in criteria.items()}
    assert (control.post("/requests/verify", search).status_code == 200) is is_hit


def test_other_requests_use_up_nothing_of_a_rule(api, control, fault):
    fault(method="POST", json={"name": "B"}, status=503, times=1, skip=1)
    names = ["A", "B", "A", "B", "B"]
    statuses = [api.post("/workers", NEW_WORKER | {"name": name}).status_code for name in names]
    assert statuses == [201, 201, 201, 503, 201]
    assert control.get("/faults").json[0]["matches"] == 3


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ({"json": {"apiKey": "x"}}, "json"),
        ({"query": {"token": "x"}}, "query"),
        ({"requestHeaders": {"x-api-key": "k"}}, "requestHeaders"),
        ({"bodyContains": "https://me:word@example.com/"}, "bodyContains"),
        ({"query": 5}, "query"),
        ({"requestHeaders": ["x"]}, "requestHeaders"),
    ],
)
def test_a_criterion_that_no_request_of_the_log_meets_is_refused(control, rule, path):
    answer = control.post("/faults", {"status": 503, **rule})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, path)


# Answers in turn


def test_each_answer_is_given_once_and_then_the_operations_own(api, control, fault):
    last = {"status": 500, "body": {"error": "Down."}, "headers": {"X-Canned": "1"}}
    rule = fault(path="/api/workers", answers=[429, 503, last], headers={"Retry-After": "2"}, skip=1)
    answers = [api.get("/workers") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 429, 503, 500, 200]
    assert (answers[3].json, answers[3].headers["X-Canned"]) == ({"error": "Down."}, "1")
    assert [answer.headers.get("Retry-After") for answer in answers] == [None, "2", "2", "2", None]
    assert rule["times"] == 3
    assert control.get("/faults").json[0]["hits"] == 3


@pytest.mark.parametrize(("times", "statuses"), [(1, [429, 200, 200, 200]), (3, [429, 503, 429, 200])])
def test_times_counts_the_requests_that_get_one_of_the_answers(api, fault, times, statuses):
    fault(path="/api/workers", answers=[429, 503], times=times)
    assert [api.get("/workers").status_code for _ in range(4)] == statuses


def test_answers_replace_the_429_of_a_rate_limit(api, fault):
    fault(path="/api/workers", answers=[503], rateLimit={"requests": 1, "windowSeconds": 30})
    assert [api.get("/workers").status_code for _ in range(3)] == [200, 503, 200]


def test_answers_after_the_write(api, fault):
    fault(method="POST", answers=[500], phase="after")
    assert api.post("/workers", NEW_WORKER).status_code == 500
    assert len(api.get("/workers").json) == 1


@pytest.mark.parametrize(
    ("rule", "path", "message"),
    [
        ({"answers": []}, "answers", "Length must be between 1 and 1000"),
        ({"answers": [500] * 1_001}, "answers", "Length must be between 1 and 1000"),
        ({"answers": [99]}, "answers.0.status", "200"),
        ({"answers": [True]}, "answers.0", "a status"),
        ({"answers": [{"status": 500, "headers": {"X": "a\r\nb"}}]}, "answers.0.headers", "Not a header"),
        ({"override": {"headers": {"X": "a\r\nb"}}}, "override.headers", "Not a header"),
        ({"answers": [{"staus": 500}]}, "answers.0.staus", ""),
        ({"answers": [500], "status": 503}, "answers", "each answer has its own"),
        ({"answers": [500], "override": {}}, "answers", "each answer has its own"),
        ({"answers": [500], "drop": True}, "answers", "a dropped connection has no answer"),
    ],
)
def test_answers_that_cannot_be_given_are_refused(control, rule, path, message):
    answer = control.post("/faults", rule)
    assert answer.status_code == 400
    messages = {detail["path"]: detail["message"] for detail in answer.json["details"]}
    assert message in messages[path]
