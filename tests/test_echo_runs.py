"""Echo runs: started through the API, moved by the clock, read on the control plane."""

import pytest

from dryline.app import create_app
from dryline.settings import Settings

ITEMS = [{"title": "Greets", "type": "BINARY"}, {"title": "Tone", "type": "SCORE", "threshold": 7, "weight": 2}]


@pytest.fixture(autouse=True)
def frozen(control):
    control.put("/clock", {"frozen": True})


@pytest.fixture
def agent(api):
    body = {"name": "Ann", "type": "caller", "purpose": "Book", "goals": ["Say hello", "Get a table"]}
    return api.post("/echo/agents", body).json


@pytest.fixture
def make_scorecard(api):
    return lambda **body: api.post("/echo/scorecards", {"name": "Manners", "items": ITEMS} | body).json


@pytest.fixture
def start(api):
    def start(type="agent", **agent_data):
        answer = api.post("/echo/run", {"type": type, "agent_data": agent_data})
        assert answer.status_code == 200, answer.text
        return answer.json

    return start


def runs(control):
    return control.get("/echo-runs").json


def test_a_started_run_is_queued(control, start, agent):
    run = start(agentId=agent["id"])
    assert run == {"id": run["id"], "type": "agent", "status": "QUEUED", "createdAt": run["createdAt"]}
    [listed] = runs(control)
    assert (listed["id"], listed["status"], listed["results"]) == (run["id"], "QUEUED", None)
    assert listed["agentData"] == {"agentId": agent["id"]}


def test_a_run_moves_over_api_time_and_ends_with_results(control, advance, start, agent):
    start(agentId=agent["id"])
    advance(0.999)
    assert runs(control)[0]["status"] == "QUEUED"
    advance(0.001)
    assert runs(control)[0]["status"] == "RUNNING"
    advance(1.999)
    assert runs(control)[0]["status"] == "RUNNING"
    advance(0.001)
    run = runs(control)[0]
    assert run["status"] in ("PASSED", "FAILED")
    assert len(run["results"]) == 1


def test_an_agent_without_scorecards_is_judged_by_its_goals(control, advance, start, agent):
    start(id=agent["id"])
    advance(10)
    [result] = runs(control)[0]["results"]
    assert (result["agentId"], result["scorecardId"]) == (agent["id"], None)
    assert [item["title"] for item in result["items"]] == ["Say hello", "Get a table"]


def test_an_agent_is_judged_by_the_scorecards_it_names_and_those_that_name_it(
    api, control, advance, start, agent, make_scorecard
):
    listed, linked = make_scorecard(), make_scorecard(agentId=agent["id"])
    make_scorecard()
    api.put(f"/echo/agents/{agent['id']}", {"scorecardIds": [listed["id"]]})
    start(agentId=agent["id"])
    advance(10)
    results = runs(control)[0]["results"]
    assert [result["scorecardId"] for result in results] == [listed["id"], linked["id"]]


def test_a_suite_runs_each_of_its_agents_on_each_of_its_scorecards(api, control, advance, start, agent, make_scorecard):
    listed = make_scorecard()
    suite = api.post("/echo/suites", {"name": "Smoke", "echoScorecardIds": [listed["id"]]}).json
    linked = make_scorecard(suiteId=suite["id"])
    other = api.post("/echo/agents", {k: agent[k] for k in ("name", "type", "purpose", "goals")}).json
    for one in (agent, other):
        api.put(f"/echo/agents/{one['id']}", {"suiteId": suite["id"]})
    start("test_suite", suiteId=suite["id"])
    advance(60)
    pairs = {(result["agentId"], result["scorecardId"]) for result in runs(control)[0]["results"]}
    assert pairs == {(a["id"], c["id"]) for a in (agent, other) for c in (listed, linked)}


@pytest.mark.parametrize(
    ("item", "threshold"),
    [
        ({"type": "SCORE", "threshold": True}, 0.5),
        ({"type": "SCORE", "threshold": "high"}, 0.5),
        ({"type": "SCORE"}, 0.5),
        ({"type": "BINARY", "threshold": False}, 1),
        ({"type": "SCORE", "threshold": 0.25}, 0.25),
    ],
)
def test_a_threshold_that_is_no_number_is_that_of_the_items_type(
    advance, control, start, agent, make_scorecard, item, threshold
):
    make_scorecard(agentId=agent["id"], items=[{"title": "Tone", **item}])
    start(agentId=agent["id"])
    advance(10)
    [judged] = runs(control)[0]["results"][0]["items"]
    assert judged["threshold"] == threshold


def test_a_run_passes_when_every_item_is_met(control, advance, start, agent, make_scorecard):
    make_scorecard(agentId=agent["id"])
    for _ in range(40):
        start(agentId=agent["id"])
    advance(60)
    statuses = set()
    for run in runs(control):
        for result in run["results"]:
            binary, score = result["items"]
            assert binary["score"] == int(binary["passed"])
            assert score["passed"] == (score["score"] >= score["threshold"] == 7)
            assert score["score"] <= 10
            assert score["weight"] == 2
            assert (result["status"] == "PASSED") == (binary["passed"] and score["passed"])
        assert (run["status"] == "PASSED") == all(r["status"] == "PASSED" for r in run["results"])
        statuses.add(run["status"])
    assert statuses == {"PASSED", "FAILED"}


@pytest.mark.parametrize(
    ("type", "data", "member"),
    [
        *(("agent", {"agentId": "gone"}, "agentId"), ("agent", {"id": "gone"}, "id"), ("agent", {"id": 5}, "id")),
        *(("test_suite", {"suiteId": "gone"}, "suiteId"), ("test_suite", {"id": "gone"}, "id")),
        *(("agent", {"deploymentId": "gone"}, "deploymentId"), ("agent", {"scorecardIds": ["gone"]}, "scorecardIds.0")),
    ],
)
def test_records_that_the_data_names_must_exist(api, control, type, data, member):
    answer = api.post("/echo/run", {"type": type, "agent_data": data})
    assert answer.status_code == 404
    assert f"agent_data.{member}" in answer.json["error"]
    assert runs(control) == []


def test_a_seed_gives_the_same_results_again():
    def results():
        app = create_app(Settings(ephemeral=True, scenario="empty", seed=7))
        client = app.test_client()
        client.put("/_dryline/clock", json={"now": "2026-01-01T00:00:00Z", "frozen": True})
        for _ in range(5):
            body = {"type": "agent", "agent_data": {"goals": ["a", "b", "c"]}}
            client.post("/api/echo/run", json=body, headers={"x-api-key": "dryline-local-key"})
        client.post("/_dryline/clock/advance", json={"seconds": 60})
        runs = client.get("/_dryline/echo-runs").json
        app.close()
        return [{**run, "teamId": None} for run in runs]

    assert results() == results()
