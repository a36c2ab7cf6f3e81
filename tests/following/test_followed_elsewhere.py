"""Wherever conversations are simulated, they follow the flow: campaigns, batches, Voice V1, live calls, chats."""

import pytest

from dryline.tests.following.conftest import FLOW, VARIABLES, said

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
    """All voice logs of a deployment's worker."""
    return lambda line: api.get(f"/workers/{line['workerId']}/deploymentLogs/voice?limit=100").json["data"]


def check_reminders(logs, taken):
    """The calls to ROWS are those of OUTBOUND, each with its own row."""
    assert len(logs) == len(ROWS)
    followed = [log for log in logs if log["messages"] and said(log)[0].endswith("Oak Clinic.")]
    assert {condition for log in followed for condition in taken(log)} == UNTIL
    for log in followed:
        row = log["metadata"]["row"]
        assert said(log)[0] == f"Hello {row['first_name']}, this is Oak Clinic."
        assert said(log)[1] == "Does Friday still suit you?"
        found = log["extractionsData"]
        if "confirmed_for" in found:
            assert found["confirmed_for"] == {"day": "Friday", "number": row["phoneNumber"]}
        if "name" in found:
            assert found["name"]["name"].startswith(row["first_name"])
            assert found["name"]["phone"] == row["phoneNumber"]


def test_a_campaigns_calls_follow_its_flow_with_their_rows(make_line, api, advance, voice_logs, taken):
    line = make_line(OUTBOUND)
    base = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    campaign = api.post(base, {"name": "Reminders", "data": ROWS})
    assert campaign.status_code == 201, campaign.text
    api.patch(f"{base}/{campaign.json['id']}", {"status": "RUNNING"})
    advance(3600)
    check_reminders(voice_logs(line), taken)


def test_a_campaigns_own_flow_goes_before_the_deployments(make_line, make_flow, api, advance, voice_logs, taken):
    line = make_line()
    flow = make_flow(line["workerId"], code=OUTBOUND, variables=VARIABLES)
    base = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    body = {"name": "Reminders", "data": ROWS, "flow_id": flow["id"]}
    campaign = api.post(base, body)
    assert campaign.status_code == 201, campaign.text
    api.patch(f"{base}/{campaign.json['id']}", {"status": "RUNNING"})
    advance(3600)
    logs = voice_logs(line)
    check_reminders(logs, taken)
    assert {log["flowSnapshot"] for log in logs} == {OUTBOUND}


def test_a_batchs_calls_follow_the_flow_with_their_rows(make_line, api, advance, voice_logs, taken):
    line = make_line(OUTBOUND)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
    assert api.post(path, {"data": ROWS, "batch_size": 100}).status_code in (200, 201)
    advance(60)
    check_reminders(voice_logs(line), taken)


def test_a_row_that_lacks_what_the_flow_reads_fails_its_call(make_line, api, advance, voice_logs):
    line = make_line(OUTBOUND)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
    rows = [{"phoneNumber": f"+141555502{n:02}", "day": "Friday"} for n in range(10)]
    api.post(path, {"data": rows, "batch_size": 100})
    advance(60)
    failed = [log for log in voice_logs(line) if log["data"]["disconnection_reason"] == "error"]
    errors = api.get(f"/workers/{line['workerId']}/runtime-errors?limit=100").json
    assert failed
    assert {(error["type"], error["lineNumber"]) for error in errors} == {("KeyError", 1)}
    assert {error["metadata"]["logId"] for error in errors} == {log["id"] for log in failed}


def test_a_row_whose_flow_meets_an_error_of_the_stand_in_does_not_stop_the_rows_of_others(
    make_line, api, advance, voice_logs, monkeypatch
):
    lines = [make_line(OUTBOUND), make_line(OUTBOUND + "# another\n")]

    def fail(*args, **options):
        raise IndexError("list index out of range")

    monkeypatch.setattr("dryline.simulator.outbound.FlowSchedulers.of", fail)
    for line in lines:
        path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
        api.post(path, {"data": ROWS, "batch_size": 100})
    advance(60)
    assert [len(voice_logs(line)) for line in lines] == [len(ROWS), len(ROWS)]


def test_with_a_seed_a_row_has_the_same_call_however_many_are_due(make_line, api, control, advance, voice_logs):
    def conversations(*steps):
        control.post("/reset")
        control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
        line = make_line(OUTBOUND)
        path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
        api.post(path, {"data": ROWS, "batch_size": 4, "batch_interval_minutes": 1})
        for seconds in steps:
            advance(seconds)
        return sorted((log["toNumber"], log["status"], log["transcription"] or "") for log in voice_logs(line))

    assert conversations(120) == conversations(0, 60, 60)


def test_flows_that_take_their_time_leave_the_rest_for_the_next_round(
    make_line, api, advance, voice_logs, taken, monkeypatch
):
    from dryline.simulator import outbound

    monkeypatch.setattr(outbound, "HELD_S", -1.0)
    line = make_line(OUTBOUND)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
    api.post(path, {"data": ROWS, "batch_size": 100})
    advance(60)
    check_reminders(voice_logs(line), taken)


def test_what_is_cancelled_while_the_flows_run_is_not_called(make_line, api, advance, voice_logs, monkeypatch):
    from dryline.simulator import outbound

    line = make_line(OUTBOUND)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
    settle = outbound.settle

    def cancel_meanwhile(world, due):
        due = settle(world, due)
        api.delete(f"/workers/{line['workerId']}/deployments/voice/{line['id']}")
        return due

    monkeypatch.setattr(outbound, "settle", cancel_meanwhile)
    api.post(path, {"data": ROWS, "batch_size": 100})
    advance(60)
    assert voice_logs(line) == []


def make_voicev1(api, make_flow, code, **body):
    flow = make_flow(code=code, variables=VARIABLES)
    new = {"name": "Old line", "phoneNumber": "+14155550123", "flowId": flow["id"], "objective": "Remind"}
    new |= dict.fromkeys(("startSentence", "endSentence", "voiceId", "functions", "model", "wsBaseUrl", "language"))
    new |= {"allowedTransferNumbers": [], "resourceKeys": [], "config": {}} | body
    answer = api.post(f"/workers/{flow['workerId']}/deployments/voicev1", new)
    assert answer.status_code == 201, answer.text
    return answer.json


def test_voice_v1_calls_follow_the_flow_between_the_channels_own_sentences(api, make_flow, simulate):
    line = make_voicev1(api, make_flow, FLOW, startSentence="This call is recorded.", endSentence="Bye from Oak.")
    (log,) = simulate(line, 1, branch="caller confirms the day")
    assert said(log)[:2] == ["This call is recorded.", "Welcome to Oak Clinic."]
    assert said(log)[-2:] == ["You are booked.", "Bye from Oak."]
    (log,) = simulate(line, 1, branch="caller asks for a human")
    assert (log["status"], said(log)[-1]) == ("transferred", "One moment.")


def test_a_legacy_campaigns_calls_follow_the_flow_with_their_rows(api, make_flow, advance, voice_logs, taken):
    line = make_voicev1(api, make_flow, OUTBOUND)
    base = f"/workers/{line['workerId']}/deployments/voicev1/{line['id']}/campaigns"
    campaign = api.post(base, {"steps": []}).json
    assert api.post(f"{base}/{campaign['id']}/run", {"data": ROWS}).status_code == 200
    advance(3600)
    check_reminders(voice_logs(line), taken)


def test_live_calls_follow_the_flow(line, control, advance, voice_logs, taken):
    control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
    control.put("/settings", {"callsPerMinute": 20})
    advance(60)
    control.put("/settings", {"callsPerMinute": 0})
    advance(900)
    logs = voice_logs(line)
    followed = [log for log in logs if log["messages"] and taken(log)]
    assert len(followed) > 10
    assert {said(log)[0] for log in followed} == {"Welcome to Oak Clinic."} or any(
        step["step"] == "script" for log in followed for step in log["sessionLogData"]["trace"]
    )


# Chats


@pytest.fixture
def make_chat_line(api, make_flow):
    """A chat deployment, or one of the chat widget."""

    def make(channel="chat", code=FLOW, **body):
        flow = make_flow(code=code, variables=VARIABLES)
        made = api.post(
            f"/workers/{flow['workerId']}/deployments/{channel}", {"name": "Chat", "flowId": flow["id"]} | body
        )
        assert made.status_code == 201, made.text
        return made.json

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
        assert log["extractionsData"] == {"cancelled": True}
        assert taken(log) == [branch]


def test_a_chats_welcome_comes_before_the_flows_words(make_chat_line, simulate):
    line = make_chat_line("chat-embed", welcomeMessage="Ask me anything.")
    (log,) = simulate(line, 1, kind="chats", path="chat-embed", branch="caller wants to cancel the visit")
    assert said(log)[:2] == ["Ask me anything.", "Welcome to Oak Clinic."]


def test_a_chat_knows_no_transfer(make_chat_line, simulate, session_of, api):
    line = make_chat_line()
    (log,) = simulate(line, 1, kind="chats", path="chat", branch="caller asks for a human")
    (error,) = api.get(f"/workers/{line['workerId']}/runtime-errors").json
    assert (error["type"], error["error"]) == ("NameError", "name 'transfer' is not defined")
    assert FLOW.splitlines()[error["lineNumber"] - 1].strip() == 'transfer(variables["desk"])'
    assert session_of(log)["status"] == log["sessionLogData"]["status"] == "failed"


def test_every_branch_of_a_chat_comes_up_and_some_users_leave(make_chat_line, simulate, taken):
    logs = simulate(make_chat_line(), 60, kind="chats", path="chat")
    assert {condition for log in logs for condition in taken(log)} == {
        line.split('"')[1] for line in FLOW.splitlines() if line.strip().startswith("until")
    }
    assert any(log["messages"]["messages"][-1]["role"] == "assistant" and len(taken(log)) == 1 for log in logs)


def test_a_chat_without_a_flow_to_follow_says_why(make_chat_line, simulate, steps_of):
    (log,) = simulate(make_chat_line(code='say("Hello.")\n'), 1, kind="chats", path="chat")
    assert [step["why"] for step in steps_of(log, "script")] == ["The flow has no loop."]
