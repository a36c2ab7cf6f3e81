"""A flow runs once for each call, and never before: each request that it sends belongs to a call that exists."""

from collections import Counter

import pytest

from dryline.flow.language.session import FlowSession
from dryline.storage.errors import Busy
from dryline.tests.webhooks.receiver import Receiver

CODE = """\
import requests

loop:
    res = talk("How can I help you?", True)
until "caller wants to book an appointment":
    requests.post(variables["url"], json={"number": state.get("Caller")})
    extract("booked", True)
until "caller wants to cancel an appointment":
    requests.post(variables["url"], json={"number": state.get("Caller")})
until "caller wants a human":
    transfer("+15550100")
until "caller needs nothing else":
    say("Goodbye.")
"""
POSTS = "caller wants to book an appointment"
POSTS_NOTHING = "caller wants a human"


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def posting_line(make_line, receiver):
    """Return a line of a flow that posts to the receiver on two of its branches."""
    return make_line(CODE, {"url": receiver.url})


def posts_of(log):
    return [step for step in log["sessionLogData"]["trace"] if step["step"] == "call" and step.get("method") == "POST"]


def customer(log):
    return log["fromNumber"] if log["direction"] == "inbound" else log["toNumber"]


def check(receiver, logs):
    """Check that the receiver got what stands in the traces of the calls, and nothing else."""
    expected = Counter(customer(log) for log in logs for _ in posts_of(log))
    assert Counter(body["number"] for body in receiver.bodies) == expected


def test_no_request_is_sent_for_no_call(control, posting_line, receiver):
    body = {"workerId": posting_line["workerId"], "deploymentId": posting_line["id"]}
    assert control.post("/simulate/calls", body | {"count": 0}).status_code == 400
    assert control.post("/simulate/calls", body | {"branch": "caller wants a dragon"}).status_code == 400
    assert control.post("/simulate/calls", body | {"follow": "script", "count": 5}).status_code == 201
    assert receiver.requests == []


@pytest.mark.parametrize("count", [1, 2, 50])
@pytest.mark.parametrize(("branch", "posts"), [(POSTS, 1), (POSTS_NOTHING, 0)])
def test_each_call_sends_what_its_branch_sends(posting_line, simulate, receiver, count, branch, posts):
    logs = simulate(posting_line, count, branch=branch)
    assert [len(posts_of(log)) for log in logs] == [posts] * count
    check(receiver, logs)


def test_a_mixture_sends_what_stands_in_its_traces(posting_line, simulate, receiver):
    logs = simulate(posting_line, 50)
    assert any(map(posts_of, logs))
    check(receiver, logs)


@pytest.mark.parametrize("outcome", ["completed", "transferred", "failed", "voicemail", "no-answer"])
def test_an_outcome_sends_nothing_beside_its_calls(posting_line, simulate, receiver, outcome):
    check(receiver, simulate(posting_line, 10, outcome=outcome))


def test_a_call_that_is_cut_at_the_longest_duration_sends_nothing_twice(make_line, simulate, receiver):
    line = make_line(CODE, {"url": receiver.url}, externalConfig={"maxCallDurationMs": 9_000})
    logs = simulate(line, 10, branch=POSTS)
    check(receiver, logs)


def test_a_batch_sends_what_stands_in_the_traces_of_its_calls(posting_line, api, advance, receiver):
    rows = [{"phoneNumber": f"+141555501{20 + n}", "id": f"{n}"} for n in range(20)]
    path = f"/workers/{posting_line['workerId']}/deployments/voice/{posting_line['id']}/make-batch-calls"
    assert api.post(path, {"data": rows, "batch_size": 100}).status_code == 200
    advance(3600)
    logs = api.get(f"/workers/{posting_line['workerId']}/deploymentLogs/voice?limit=100").json["data"]
    assert len(logs) == 20
    check(receiver, logs)


def test_live_calls_send_what_stands_in_their_traces(posting_line, api, control, advance, receiver):
    control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
    control.put("/settings", {"callsPerMinute": 20})
    advance(60)
    control.put("/settings", {"callsPerMinute": 0})
    advance(900)
    logs = api.get(f"/workers/{posting_line['workerId']}/deploymentLogs/voice?limit=100").json["data"]
    assert any(map(posts_of, logs))
    check(receiver, logs)


def test_calls_that_come_before_the_engine_is_busy_are_kept(posting_line, control, api, receiver, monkeypatch):
    play, runs = FlowSession.play, []

    def busy_at_the_fourth(session, speak):
        runs.append(session)
        if len(runs) > 3:
            raise Busy("No worker was free.")
        return play(session, speak)

    monkeypatch.setattr(FlowSession, "play", busy_at_the_fourth)
    body = {"workerId": posting_line["workerId"], "deploymentId": posting_line["id"], "count": 10, "branch": POSTS}
    assert control.post("/simulate/calls", body).status_code == 503
    logs = api.get(f"/workers/{posting_line['workerId']}/deploymentLogs/voice").json["data"]
    assert len(logs) == 3
    check(receiver, logs)


def test_a_test_run_sends_once_for_each_of_its_conversations(make_flow, api, advance, receiver):
    flow = make_flow(code=CODE, variables={"url": receiver.url})
    body = {
        **{"name": "Smoke", "description": "Basics", "testMode": "voice", "systemPrompt": "You call."},
        "checkpoints": [{"name": "a", "description": f'Books: "{POSTS}"', "runs": 4, "tolerance": 0}],
        "flowId": flow["id"],
    }
    tests = f"/workers/{flow['workerId']}/tests"
    path = f"{tests}/{api.post(tests, body).json['id']}"
    api.post(f"{path}/run")
    advance(3601)
    (result,) = api.get(f"{path}/runs").json[0]["results"]
    assert len(result["conversations"]) == len(receiver.requests) == 4
