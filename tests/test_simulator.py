"""Simulated calls and chats, as the API shows them."""

import re
from contextlib import closing

import pytest

from dryline.app import create_app
from dryline.models.voice_logs import OUTCOMES
from dryline.settings import Settings
from dryline.tests.conftest import Api, created
from dryline.tests.control.documents import of_a_line
from dryline.world.clock import parse

E164 = re.compile(r"\+[1-9]\d{7,14}")
DEFINITIONS = {
    "customer_name": {"type": "string", "description": "The caller's name", "required": True},
    "openAmount": {"type": "number", "description": "Amount still to pay", "required": True},
    "resolved": {"type": "boolean", "description": "Was it solved", "required": True},
    "product": {"type": "string", "description": "The product that the call was about"},
}
ITEMS = [
    {"title": "Polite", "description": "The agent was polite", "type": "BINARY", "threshold": 1},
    {"title": "Useful", "description": "The agent was useful", "type": "SCORE", "threshold": 7},
]


@pytest.fixture
def line(make_voice_deployment):
    return make_voice_deployment(extractions=DEFINITIONS, successCriteria=[{"title": "Service", "items": ITEMS}])


@pytest.fixture
def logs(line, simulate):
    return lambda count=1, **body: simulate(line, count, **body)


@pytest.fixture
def refused(control, line):
    """Request an impossible simulation; return the members that the answer names."""

    def refused(kind="calls", status=400, **body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"]} | body
        answer = control.post(f"/simulate/{kind}", body)
        assert answer.status_code == status
        return [detail["path"] for detail in answer.json.get("details", [])]

    return refused


def seconds(log):
    return (parse(log["endTime"]) - parse(log["startTime"])).total_seconds()


def test_a_mixture_has_every_outcome_direction_and_subject_and_members_agree(logs, line):
    mixture = logs(150)
    assert {log["status"] for log in mixture} == set(OUTCOMES)
    assert {log["direction"] for log in mixture} == {"inbound", "outbound"}
    for log in mixture:
        assert isinstance(log["duration"], int)
        is_answered = bool(log["messages"])
        assert log["duration"] == (seconds(log) if is_answered else 0) and seconds(log) >= 1  # it rings first
        assert E164.fullmatch(log["fromNumber"]) and E164.fullmatch(log["toNumber"])
        assert line["phoneNumber"] == log["toNumber" if log["direction"] == "inbound" else "fromNumber"]
        assert re.fullmatch("CA[0-9a-f]{32}", log["call_sid"])
        assert (log["externalCallId"], log["Telephony_source"]) == (log["call_sid"], "twilio")
        assert "{" not in (log["transcription"] or "")
    steps = [step for log in mixture for step in log["sessionLogData"]["trace"]]
    assert len({step["condition"] for step in steps if step["step"] == "until"}) >= 5


def test_the_transcription_is_the_messages_which_follow_each_other_within_the_call(logs):
    names = {"assistant": "Agent", "user": "User"}
    for log in logs(60):
        if log["messages"] is None:
            assert log["transcription"] is None and log["duration"] == 0
            continue
        messages = log["messages"]["messages"]
        assert log["transcription"] == "\n".join(f"{names[said['role']]}: {said['content']}" for said in messages)
        now = 0
        for said in messages:
            assert now <= said["start"] < said["end"]
            now = said["end"]
        assert now <= log["duration"]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_outcome_and_the_direction_can_be_chosen(logs, outcome):
    for log in logs(15, outcome=outcome, direction="outbound"):
        assert (log["status"], log["direction"]) == (outcome, "outbound")
        assert log["data"]["disposition"] == outcome
        assert (log["transferData"] is not None) == (outcome == "transferred")


def test_extractions_and_success_results_obey_their_definitions(logs):
    types = {"string": str, "number": int | float, "boolean": bool}
    for log in logs(120):
        extracted = log["extractionsData"]
        if log["messages"] is None:
            assert extracted is log["successResults"] is None
            continue
        assert set(extracted) <= set(DEFINITIONS)
        for key, definition in DEFINITIONS.items():
            assert not definition.get("required") or key in extracted
            assert key not in extracted or isinstance(extracted[key], types[definition["type"]])
        (group,) = log["successResults"]["criteria"]
        polite, useful = group["items"]
        assert [group["title"], polite["title"], useful["title"]] == ["Service", "Polite", "Useful"]
        assert polite["passed"] is polite["value"]
        assert useful["passed"] is (useful["value"] >= 7)
        assert log["successResults"]["passed"] is group["passed"] is (polite["passed"] and useful["passed"])


def test_a_transfer_record_adds_up(logs):
    for log in logs(80, outcome="transferred"):
        record = log["transferData"]
        metrics, events = record["metrics"], record["transferEvents"]
        assert metrics["transfers"] == 1
        assert metrics["transferEvents"] == len(events) >= 3
        assert record["duration"].isdigit()
        assert metrics["transferMinutes"] == round(int(record["duration"]) / 60, 4)
        assert metrics["transferEventMinutes"] == round(sum(int(event["duration"]) for event in events) / 60, 4)
        assert record["voiceLogId"] == log["id"]
        assert {event["callTransferId"] for event in events} == {record["id"]}
        assert {event["parentCallSid"] for event in events} == {log["call_sid"]}
        times = [event["timestamp"] for event in events]
        assert log["startTime"] < times[0] and times == sorted(times) and times[-1] == log["endTime"]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_log_leads_to_its_session_and_requests(logs, api, line, outcome):
    worker = f"/workers/{line['workerId']}"
    for log in logs(5, outcome=outcome):
        session = api.get(f"{worker}/sessions/{log['bbEngineSessionId']}").json
        assert session["flow_id"] == line["flowId"]
        messages = (log["messages"] or {"messages": []})["messages"]
        assert [one["content"] for one in session["messages"] or []] == [one["content"] for one in messages]
        requests = api.get(f"{worker}/llm-logs/by-session/{session['id']}").json
        assert requests == api.get(f"{worker}/llm-logs/by-call/{log['call_sid']}").json
        used = [one["data"]["response"]["json"]["usage"] for one in requests[1::2]]
        assert session["input_tokens"] == sum(each["prompt_tokens"] for each in used)
        assert session["output_tokens"] == sum(each["completion_tokens"] for each in used)
        if outcome == "completed":
            assert (session["session_start"], session["session_end"]) == (log["startTime"], log["endTime"])
            assert [one["eventType"] for one in requests[:2]] == ["beforeRequestHook", "afterRequestHook"]
            assert len(requests) == 2 * log["data"]["latency"]["num"]
            assert "model" not in requests[0]["data"]["request"]["json"]


def test_a_call_that_fails_in_the_engine_leaves_a_runtime_error(logs, api, line):
    worker = f"/workers/{line['workerId']}"
    (log,) = logs(outcome="failed", direction="inbound", llmLogs=False)
    (error,) = api.get(f"{worker}/runtime-errors").json
    session = api.get(f"{worker}/sessions/{log['bbEngineSessionId']}").json
    assert error["bbEngineSessionId"] == session["id"]
    assert (session["error"]["type"], session["status"]) == (error["type"], "failed")
    assert error["metadata"]["logId"] == log["id"]
    assert api.get(f"{worker}/llm-logs/by-call/{log['call_sid']}").json == []


def test_a_server_with_a_seed_makes_the_same_calls_under_the_same_ids():
    def calls_of_a_new_server():
        with closing(create_app(Settings(ephemeral=True, scenario="empty", seed=5))) as app:
            control = Api(app.test_client(), "", prefix="/_dryline")
            control.put("/clock", {"now": "2026-05-05T10:00:00Z", "frozen": True})
            assert control.post("/state", {"version": 1, **of_a_line()}).status_code == 204
            body = {"workerId": "w", "deploymentId": "d", "count": 20}
            return created(control.post("/simulate/calls", body))["ids"], control.get("/state").json["voiceLogs"]

    assert calls_of_a_new_server() == calls_of_a_new_server()


def test_calls_lie_in_the_last_day_and_the_last_one_ends_now(logs, control):
    now = control.put("/clock", {"now": "2026-03-04T15:00:00.000Z", "frozen": True}).json["now"]
    calls = logs(50)
    assert calls[-1]["endTime"] == now
    for log in calls:
        assert "2026-03-03T15:00:00.000Z" <= log["startTime"] <= log["endTime"] <= now
    times = [log["startTime"] for log in calls[:-1]]
    assert times == sorted(times)


@pytest.mark.parametrize("outcome", ["no-answer", "busy", "voicemail", "completed"])
def test_a_call_rings_as_long_when_it_is_simulated_at_once_as_when_it_is_watched(
    control, advance, logs, api, line, outcome
):
    control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
    options = {"outcome": outcome, "direction": "outbound", "seed": 3, "startTime": "2026-02-01T00:00:00.000Z"}
    (at_once,) = logs(1, **options)
    (watched,) = logs(1, inProgress=True, **options)
    advance(3600)
    watched = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice/{watched['id']}").json
    for member in ("startTime", "endTime", "duration", "messages"):
        assert at_once[member] == watched[member]
    assert seconds(at_once) >= 2


def test_without_a_time_no_call_begins_before_the_newest_one(control, logs):
    control.put("/clock", {"now": "2026-02-01T12:00:00.000Z", "frozen": True})
    starts = []
    for number in range(12):
        made = logs(1 + number % 3, seed=number, inProgress=number == 5)
        assert not starts or min(log["startTime"] for log in made) > max(starts)
        starts += [log["startTime"] for log in made]


def test_the_first_call_begins_at_the_chosen_start(logs):
    calls = logs(20, startTime="2026-01-01T00:00:00.000Z", endTime="2026-02-01T00:00:00.000Z")
    assert calls[0]["startTime"] == calls[0]["createdAt"] == "2026-01-01T00:00:00.000Z"
    assert max(log["endTime"] for log in calls) <= "2026-02-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        *[("count", 0), ("count", 10_001), ("count", "5"), ("outcome", "lost"), ("direction", "up"), ("seed", 1.5)],
        *[("endTime", "0001-01-01T00:00:00Z"), ("endTime", "9999-12-31T23:59:59Z"), ("workerId", None)],
    ],
)
def test_a_bad_member_is_named(refused, member, value):
    assert refused(**{member: value}) == [member]


@pytest.mark.parametrize("kind", ["calls", "chats"])
@pytest.mark.parametrize("missing", ["workerId", "deploymentId"])
def test_an_unknown_worker_or_deployment_is_not_found(refused, kind, missing):
    refused(kind, 404, **{missing: "none"})


@pytest.fixture
def chat_logs(api, make_flow, simulate):
    """Simulate chats on a new deployment of a channel and return their logs."""

    def chat_logs(channel, count=20):
        flow = make_flow()
        body = {"name": "Chat", "flowId": flow["id"]}
        line = created(api.post(f"/workers/{flow['workerId']}/deployments/{channel}", body))
        return simulate(line, count, kind="chats", path=channel)

    return chat_logs


def test_chats_have_a_user_and_messages(chat_logs):
    for log in chat_logs("chat", 60):
        assert log["messageCount"] == len(log["messages"]["messages"])
        assert seconds(log) == log["duration"]
        assert "@" in log["userEmail"] and log["userName"]
        assert log["rating"] is None or 1 <= log["rating"] <= 5
        assert "your call" not in str(log["messages"]) and "for calling" not in str(log["messages"])


def test_widget_chats_have_a_session_latency_and_tool_calls(chat_logs, api):
    logs = chat_logs("chat-embed")
    for log in logs:
        assert api.get(f"/workers/{log['workerId']}/sessions/{log['sessionId']}").status_code == 200
        assert log["latency"]["num"] == len(log["latency"]["values"])
        assert log["originUrl"].startswith("https://") and log["expired"] is True
    assert any(log["toolCalls"]["toolCalls"] for log in logs)
