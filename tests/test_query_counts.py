"""Query counts: a page or list runs as many queries for ten rows as for two."""

import pytest

TEST = {
    "name": "Smoke",
    "description": "Basics",
    "checkpoints": [{"name": "Greets", "description": "Says hello", "runs": 1, "tolerance": 0}],
    "testMode": "voice",
    "systemPrompt": "You are a caller.",
}


@pytest.fixture
def queries(app, statements):
    """Count the queries that a GET of a whole path runs."""

    def queries(path):
        def get():
            answer = app.test_client().get(path)
            assert answer.status_code == 200, answer.text

        return len(statements(get))

    return queries


@pytest.fixture
def grows(queries):
    """Return whether a path takes more queries after `add` has run eight times more."""

    def grows(path, add):
        add(), add()
        before = queries(path)
        for _ in range(8):
            add()
        return queries(path) > before

    return grows


@pytest.mark.parametrize("path", ["/_dryline/teams", "/console/state"])
def test_teams_are_listed_with_their_keys_at_once(control, grows, path):
    assert not grows(path, lambda: control.post("/teams", {"name": "Of a test"}))


def test_deployments_are_listed_at_once(make_flow, make_voice_deployment, grows):
    flow = make_flow()
    path = f"/console/workers/{flow['workerId']}/deployments"
    assert not grows(path, lambda: make_voice_deployment(flow))


def test_flows_are_listed_with_their_versions_at_once(make_flow, grows):
    worker_id = make_flow()["workerId"]
    assert not grows(f"/console/workers/{worker_id}/flows", lambda: make_flow(worker_id))


def test_tests_are_listed_with_their_last_runs_at_once(api, make_flow, grows):
    flow = make_flow()
    path = f"/workers/{flow['workerId']}/tests"

    def add():
        made = api.post(path, TEST | {"flowId": flow["id"]})
        assert api.post(f"{path}/{made.json['id']}/run").status_code == 200

    assert not grows(f"/console/workers/{flow['workerId']}/tests", add)


def test_received_llm_logs_look_their_worker_up_once(api, make_worker, statements):
    record = {"metadata": {"workerId": make_worker()["id"], "callId": "CA1"}}

    def send(count):
        answer = api.client.post("/portkey-logs", json=[record] * count, headers={"x-api-key": api.key})
        assert answer.status_code == 200

    send(1)
    assert len(statements(lambda: send(10))) == len(statements(lambda: send(2)))
