"""Runtime errors of the engine."""

import pytest

from dryline.tests.conftest import created

ERROR = {"error": "boom", "service": "based_engine", "type": "ValueError"}


@pytest.fixture
def path(worker):
    return f"/workers/{worker['id']}/runtime-errors"


@pytest.fixture
def record(api, path):
    def record(**members):
        return created(api.post(path, ERROR | members))

    return record


def test_a_recorded_error_can_be_read_again(api, path, worker, record):
    error = {
        "severity": "critical",
        "bbEngineSessionId": "session_1",
        "functionName": "talk",
        "lineNumber": 12,
        "traceback": "Traceback: ...",
        "metadata": {"attempt": 2},
    }
    made = record(**error)
    assert record()["severity"] == "error"
    assert made == made | ERROR | error | {"workerId": worker["id"], "teamId": worker["teamId"]}
    assert api.get(f"{path}/{made['id']}").json == made


def test_the_flow_finds_its_newest_deployment(api, make_flow, make_voice_deployment):
    flow = make_flow()
    make_voice_deployment(flow)
    newest = make_voice_deployment(flow, phoneNumber="+14155550102")
    make_voice_deployment(make_flow(flow["workerId"]), phoneNumber="+14155550103")
    made = api.post(f"/workers/{flow['workerId']}/runtime-errors", ERROR | {"flowId": flow["id"]}).json
    assert (made["deploymentId"], made["flowId"]) == (newest["id"], flow["id"])


def test_the_list_is_newest_first_and_can_be_read_in_parts(api, path, record, advance):
    made = []
    for _ in range(3):
        made.insert(0, record())
        advance(1)
    assert api.get(path).json == made
    assert api.get(path, query_string={"limit": 1, "offset": 1}).json == made[1:2]
    assert api.get(path, query_string={"limit": 0}).json == []


@pytest.mark.parametrize("narrow", [{"type": "KeyError"}, {"service": "sms"}, {"severity": "warning"}])
def test_the_list_can_be_narrowed(api, path, record, narrow):
    record()
    recorded = record(**narrow)
    assert api.get(path, query_string=narrow).json == [recorded]
