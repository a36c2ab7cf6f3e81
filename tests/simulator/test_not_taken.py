"""Calls that the flow's code led elsewhere are kept, and the answer says so. Flows without a loop are followed."""

import pytest

from dryline.tests.simulator.conftest import said

LEADS_ELSEWHERE = """\
loop:
    res = talk("How can I help you?", True)
until "caller wants to book an appointment":
    say("We are full.")
    if False:
        loop:
            talk("Which day?", True)
        until "caller names a day":
            say("Booked.")
until "caller wants a human":
    if state.get("never"):
        transfer("+15550100")
    say("Nobody is here.")
"""
NAMES_DAY = "caller names a day"
BOOKS = "caller wants to book an appointment"


@pytest.fixture
def answer(control):
    """Simulate conversations, and return the answer."""

    def answer(line, **body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "seed": 7} | body
        answer = control.post("/simulate/calls", body)
        assert answer.status_code == 201, answer.text
        return answer.json

    return answer


def test_calls_that_took_what_was_wanted_have_no_member_for_others(line, answer):
    assert set(answer(line, count=3, branch="caller asks for a human", outcome="transferred")) == {"ids"}
    assert set(answer(line, count=3)) == set(answer(line, count=3, outcome="no-answer")) == {"ids"}


def test_a_branch_that_was_not_taken_is_named_with_the_condition_taken_instead(make_line, answer, api):
    line = make_line(LEADS_ELSEWHERE)
    made = answer(line, count=2, branch=NAMES_DAY)
    assert made["notTaken"] == [{"id": id, "branch": NAMES_DAY, "outcome": None, "taken": BOOKS} for id in made["ids"]]
    for id in made["ids"]:
        assert api.get(f"/workers/{line['workerId']}/deploymentLogs/voice/{id}").json["status"] == "completed"


def test_an_outcome_that_the_call_does_not_have_is_named(make_line, answer):
    (one,) = answer(make_line(LEADS_ELSEWHERE), outcome="transferred")["notTaken"]
    assert (one["branch"], one["outcome"], one["taken"]) == (None, "transferred", "caller wants a human")


def test_an_outcome_beside_a_branch_is_compared_too(line, answer):
    (one,) = answer(line, outcome="completed", branch="caller asks for a human")["notTaken"]
    assert (one["branch"], one["outcome"]) == (None, "completed")


# Flows without a loop


def test_the_agent_of_a_flow_without_a_loop_says_what_the_code_says(make_line, simulate, steps_of):
    line = make_line('say("Our office is closed today. Goodbye.")\nextract("closed", True)\n')
    for log in simulate(line, 3, outcome="completed"):
        assert said(log) == ["Our office is closed today. Goodbye."] and said(log, "user") == []
        assert log["extractionsData"] == {"closed": True}
        assert not steps_of(log, "script")


def test_a_flow_without_a_loop_transfers(make_line, answer, api):
    line = make_line('say("One moment.")\ntransfer("+15035550177")\n')
    made = answer(line, count=2, outcome="transferred", follow="flow")
    assert "notTaken" not in made
    for id in made["ids"]:
        log = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice/{id}").json
        assert (log["status"], said(log)) == ("transferred", ["One moment."])


def test_a_chat_of_a_flow_without_a_loop_follows_it(api, make_flow, control):
    flow = make_flow(code='say("We are closed.")\n')
    deployment = api.post(f"/workers/{flow['workerId']}/deployments/chat", {"name": "Chat", "flowId": flow["id"]}).json
    body = {"workerId": flow["workerId"], "deploymentId": deployment["id"]}
    (id,) = control.post("/simulate/chats", body).json["ids"]
    log = api.get(f"/workers/{flow['workerId']}/deploymentLogs/chat/{id}").json
    assert said(log) == ["We are closed."]
