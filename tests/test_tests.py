"""Tests of a worker's flows, and their runs."""

import pytest

from dryline.tests.conftest import created

CHECKPOINT = {"name": "Greets", "description": "Says hello", "runs": 3, "tolerance": 1}


@pytest.fixture
def flow(make_flow):
    return make_flow(
        code='say("Hello.")\nloop:\n    talk("Ask what it is about.")\nuntil "caller is done":\n    pass\n'
    )


@pytest.fixture
def body(flow):
    return {
        **{"name": "Smoke", "description": "Basics", "checkpoints": [CHECKPOINT], "testMode": "voice"},
        **{"systemPrompt": "You are a caller.", "flowId": flow["id"]},
    }


@pytest.fixture
def path(flow):
    return f"/workers/{flow['workerId']}/tests"


@pytest.fixture
def make_test(api, path, body):
    def make(**changes):
        return created(api.post(path, body | changes))

    return make


@pytest.fixture
def frozen(control):
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})


def test_a_run_moves_over_api_time(api, frozen, advance, path, make_test):
    base = f"{path}/{make_test()['id']}"
    run = api.post(f"{base}/run")
    assert run.status_code == 200
    assert (run.json["status"], run.json["results"]) == ("PENDING", None)
    advance(1)
    assert api.get(f"{base}/runs").json == [run.json | {"status": "RUNNING", "updatedAt": "2026-01-01T00:00:01.000Z"}]
    advance(5)
    assert api.get(f"{base}/runs").json[0]["status"] == "RUNNING"
    advance(1)  # three conversations of two seconds
    [done] = api.get(f"{base}/runs").json
    assert done["status"] == "PASSED"
    assert done["updatedAt"] == "2026-01-01T00:00:07.000Z"


def test_results_count_each_checkpoint_and_obey_its_tolerance(api, frozen, advance, path, make_test, flow):
    code = """
say("Hello.")
loop:
    talk("Ask what it is about.")
until "caller is done":
    pass
until "caller wants a refund":
    raise ValueError("There are no refunds.")
"""
    api.patch(f"/workers/{flow['workerId']}/flows/{flow['id']}", {"code": code})
    done, refund = {"description": "caller is done"}, {"description": "caller wants a refund"}
    checkpoints = [
        {"name": "Ends", "runs": 5, "tolerance": 0} | done,
        {"name": "Refunds that may fail", "runs": 3, "tolerance": 3} | refund,
        {"name": "Refunds", "runs": 3, "tolerance": 2} | refund,
    ]
    results = {}
    for count in (2, 3):
        base = f"{path}/{make_test(checkpoints=checkpoints[:count])['id']}"
        api.post(f"{base}/run")
        advance(3600)
        (run,) = api.get(f"{base}/runs").json
        results[run["status"]] = [
            (each["name"], each["passed"], each["failed"], each["tolerance"], each["status"]) for each in run["results"]
        ]
    passed = [("Ends", 5, 0, 0, "PASSED"), ("Refunds that may fail", 0, 3, 3, "PASSED")]
    assert results == {"PASSED": passed, "FAILED": [*passed, ("Refunds", 0, 3, 2, "FAILED")]}


def test_a_test_outlives_its_flow_and_goes_with_its_worker(api, path, make_test, flow):
    base = f"{path}/{make_test()['id']}"
    api.post(f"{base}/run")
    assert api.delete(f"/workers/{flow['workerId']}/flows/{flow['id']}").status_code == 204
    assert api.put(base, {"name": "Still"}).json["flowId"] == flow["id"]
    assert api.delete(f"/workers/{flow['workerId']}").status_code == 204
    assert api.get(f"{base}/runs").status_code == 404
