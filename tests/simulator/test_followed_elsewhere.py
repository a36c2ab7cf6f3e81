"""Calls of campaigns, of batches and of Voice V1, and chats follow their flow."""

import pytest

from dryline.tests.conftest import created
from dryline.tests.simulator.conftest import FLOW, VARIABLES, said

OUTBOUND = """\
say(f"Hello {state['first_name']}, this is {variables['clinic']}.")
loop:
    res = talk(f"Ask whether {state['day']} still suits them.", True)
until "patient confirms the visit":
    extract("confirmed_for", {"day": state["day"], "number": state["Caller"]})
    say("See you then.")
until "patient cannot come":
    extract("name", res.ask("Who cannot come?", {"name": "Jo Lee", "phone": "", "day": "Monday"}))
"""
ROWS = [
    {"phoneNumber": f"+141555501{20 + n}", "first_name": f"Ada{n}", "day": "Friday", "id": f"{n}"} for n in range(30)
]
UNTIL = {"patient confirms the visit", "patient cannot come"}


@pytest.fixture
def voice_logs(api):
    """Return a function that reads the voice logs of a deployment's worker."""
    return lambda line: api.get(f"/workers/{line['workerId']}/deploymentLogs/voice?limit=100").json["data"]


def check_reminders(logs, taken):
    """Check that the calls to ROWS follow OUTBOUND, each with its own row."""
    assert len(logs) == len(ROWS)
    followed = [log for log in logs if log["messages"] and said(log)[0].endswith("Oak Clinic.")]
    assert {condition for log in followed for condition in taken(log)} == UNTIL
    for log in followed:
        row = log["metadata"]["row"]
        assert said(log)[0] == f"Hello {row['first_name']}, this is Oak Clinic."
        assert said(log)[1] == "Does Friday still suit you?"
        extracted = log["extractionsData"]
        if "confirmed_for" in extracted:
            assert extracted["confirmed_for"] == {"day": "Friday", "number": row["phoneNumber"]}
        if "name" in extracted:
            assert extracted["name"]["name"].startswith(row["first_name"])
            assert extracted["name"]["phone"] == row["phoneNumber"]


@pytest.mark.parametrize("is_the_campaigns_own", [False, True])
def test_a_campaigns_calls_follow_its_flow_with_their_rows(
    make_line, make_flow, api, advance, voice_logs, taken, is_the_campaigns_own
):
    line = make_line() if is_the_campaigns_own else make_line(OUTBOUND)
    flow = make_flow(line["workerId"], code=OUTBOUND, variables=VARIABLES)
    base = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    own = {"flow_id": flow["id"]} if is_the_campaigns_own else {}
    campaign = created(api.post(base, {"name": "Reminders", "data": ROWS} | own))
    api.patch(f"{base}/{campaign['id']}", {"status": "RUNNING"})
    advance(3600)
    check_reminders(voice_logs(line), taken)
    assert {log["flowSnapshot"] for log in voice_logs(line)} == {OUTBOUND}


def test_a_batchs_calls_follow_the_flow_with_their_rows(make_line, api, advance, voice_logs, taken):
    line = make_line(OUTBOUND)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
    assert api.post(path, {"data": ROWS, "batch_size": 100}).status_code in (200, 201)
    advance(60)
    check_reminders(voice_logs(line), taken)


@pytest.fixture
def make_old_line(make_voicev1_deployment, make_flow):
    """Return a function that creates a Voice V1 deployment of a flow with this code."""
    return lambda code, **body: make_voicev1_deployment(make_flow(code=code, variables=VARIABLES), **body)


def test_voice_v1_calls_follow_the_flow_between_the_channels_own_sentences(make_old_line, simulate):
    line = make_old_line(FLOW, startSentence="This call is recorded.", endSentence="Bye from Oak.")
    (log,) = simulate(line, 1, branch="caller confirms the day")
    assert said(log)[:2] == ["This call is recorded.", "Welcome to Oak Clinic."]
    assert said(log)[-2:] == ["You are booked.", "Bye from Oak."]
    (log,) = simulate(line, 1, branch="caller asks for a human")
    assert (log["status"], said(log)[-1]) == ("transferred", "One moment.")


def test_a_legacy_campaigns_calls_follow_the_flow_with_their_rows(api, make_old_line, advance, voice_logs, taken):
    line = make_old_line(OUTBOUND)
    base = f"/workers/{line['workerId']}/deployments/voicev1/{line['id']}/campaigns"
    campaign = api.post(base, {"steps": []}).json
    assert api.post(f"{base}/{campaign['id']}/run", {"data": ROWS}).status_code == 200
    advance(3600)
    check_reminders(voice_logs(line), taken)


# Chats


@pytest.fixture
def make_chat_line(api, make_flow):
    """Return a function that creates a chat deployment, or one of the chat widget."""

    def make(channel="chat", code=FLOW, **body):
        flow = make_flow(code=code, variables=VARIABLES)
        body = {"name": "Chat", "flowId": flow["id"]} | body
        return created(api.post(f"/workers/{flow['workerId']}/deployments/{channel}", body))

    return make


@pytest.mark.parametrize("channel", ["chat", "chat-embed"])
def test_chats_follow_the_flow(make_chat_line, simulate, taken, channel):
    branch = "caller wants to cancel the visit"
    for log in simulate(make_chat_line(channel), 3, kind="chats", path=channel, branch=branch):
        assert said(log) == [
            "Welcome to Oak Clinic.",
            "What do you need?",
            "It is cancelled.",
            "Goodbye.",
        ]
        assert log["extractionsData"] == {"summary": "The visit was cancelled."}
        assert taken(log) == [branch]
