"""Echo suites, agents and scorecards."""

import pytest


@pytest.fixture
def make_suite(api):
    return lambda api=api, **body: api.post("/echo/suites", {"name": "Smoke"} | body).json


@pytest.fixture
def make_scorecard(api):
    return lambda api=api, **body: api.post("/echo/scorecards", {"name": "Manners"} | body).json


@pytest.fixture
def make_agent(api):
    new = {"name": "Ann", "type": "caller", "purpose": "Book a table", "goals": ["Say hello", "Get a table"]}
    return lambda api=api, **body: api.post("/echo/agents", new | body).json


def only(api, collection):
    [record] = api.get(f"/echo/{collection}").json
    return record


def test_a_suite_of_a_name_alone_has_every_member(api, make_suite):
    suite = make_suite()
    assert suite == {
        **{"id": suite["id"], "createdAt": suite["createdAt"], "updatedAt": suite["updatedAt"]},
        **{"teamId": api.get("/team").json["id"], "name": "Smoke", "description": None, "deploymentId": None},
        **{"scorecardIds": [], "echoScorecardIds": []},
    }
    assert only(api, "suites") == suite


def test_scorecard_items_keep_what_was_sent(api, make_scorecard):
    items = [{"title": "Greets", "type": "BINARY", "threshold": 1, "weight": 0.5}, {}]
    card = make_scorecard(items=items, description="How it speaks")
    assert (card["items"], card["description"]) == (items, "How it speaks")
    assert api.get(f"/echo/scorecards/{card['id']}").json == card


@pytest.mark.parametrize("goals", [["Say hello"], "Say hello", []])
def test_goals_are_texts_or_one_text(make_agent, goals):
    assert make_agent(goals=goals)["goals"] == goals


@pytest.mark.parametrize(
    ("collection", "body", "path"),
    [
        ("suites", {}, "name"),
        ("suites", {"name": 5}, "name"),
        ("suites", {"name": "S", "echoScorecardIds": [1]}, "echoScorecardIds.0"),
        ("scorecards", {"name": "S", "items": [1]}, "items.0"),
        ("scorecards", {"name": "S", "items": {}}, "items"),
        ("agents", {"name": "A", "type": "t", "purpose": "p"}, "goals"),
        ("agents", {"name": "A", "type": "t", "purpose": "p", "goals": {"a": 1}}, "goals"),
        ("agents", {"name": "A", "type": "t", "purpose": "p", "goals": None}, "goals"),
    ],
)
def test_a_bad_body_names_the_member(api, collection, body, path):
    answer = api.post(f"/echo/{collection}", body)
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [path])


def test_a_deleted_scorecard_leaves_suites_and_agents(api, make_suite, make_scorecard, make_agent):
    gone, other = make_scorecard()["id"], make_scorecard()["id"]
    make_suite(echoScorecardIds=[gone, other], scorecardIds=[gone])
    make_agent(scorecardIds=[other, gone])
    assert api.delete(f"/echo/scorecards/{gone}").status_code == 204
    assert api.get(f"/echo/scorecards/{gone}").status_code == 404
    assert (only(api, "suites")["echoScorecardIds"], only(api, "suites")["scorecardIds"]) == ([other], [])
    assert only(api, "agents")["scorecardIds"] == [other]


def test_the_key_in_the_secrets_header_opens_the_run_alone(app, make_agent):
    client, headers = app.test_client(), {"team-secret": "dryline-local-key"}
    assert client.get("/api/echo/suites", headers=headers).status_code == 401
    assert client.post("/api/echo/run", json={}).status_code == 401
    body = {"type": "agent", "agent_data": {"agentId": make_agent()["id"]}}
    assert client.post("/api/echo/run", json=body, headers={"team-secret": "wrong"}).status_code == 401
    assert client.post("/api/echo/run", json=body, headers=headers).status_code == 200


def test_a_teams_fault_strikes_by_that_header_where_it_opens_something(app, api, control):
    client, headers = app.test_client(), {"team-secret": "dryline-local-key"}
    team = api.get("/team").json["id"]
    assert control.post(f"/faults?team={team}", {"status": 503}).status_code == 201
    assert client.get("/api/echo/suites", headers=headers).status_code == 401
    assert client.post("/api/echo/run", json={}, headers=headers).status_code == 503
