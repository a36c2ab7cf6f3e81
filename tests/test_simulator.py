"""Simulated calls and chats, as the API shows them."""

import re
from datetime import datetime, timedelta

import pytest

from dryline.app import create_app
from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES, VoiceLog
from dryline.models.workers import Worker
from dryline.settings import Settings
from dryline.simulator import line_of, make_call, simulate_calls, store
from dryline.world.clock import parse

E164 = re.compile(r"\+[1-9]\d{7,14}")
UNREACHED = ("no-answer", "busy")
DEFINITIONS = {
    "customer_name": {"type": "string", "description": "Who called", "required": True},
    "openAmount": {"type": "number", "description": "Amount still to pay", "required": True},
    "resolved": {"type": "boolean", "description": "Was it solved", "required": True},
    "product": {"type": "string", "description": "What it was about"},
}
CRITERIA = [
    {
        "title": "Service",
        "items": [
            {"title": "Polite", "description": "The agent was polite", "type": "BINARY", "threshold": 1},
            {"title": "Useful", "description": "The agent was useful", "type": "SCORE", "threshold": 7},
        ],
    }
]


@pytest.fixture
def line(make_voice_deployment):
    """A voice deployment."""
    return make_voice_deployment(extractions=DEFINITIONS, successCriteria=CRITERIA)


@pytest.fixture
def simulate(control, line):
    """Simulate calls of the line and give their ids."""

    def make(count=1, **body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "count": count} | body
        answer = control.post("/simulate/calls", body)
        assert answer.status_code == 201, answer.text
        assert len(answer.json["ids"]) == count
        return answer.json["ids"]

    return make


@pytest.fixture
def logs(api, line, simulate):
    """Simulate calls and give their logs, in the order they were made."""

    def make(count=1, **body):
        path = f"/workers/{line['workerId']}/deploymentLogs/voice"
        return [api.get(f"{path}/{id}").json for id in simulate(count, **body)]

    return make


@pytest.fixture
def chat_logs(api, control, make_flow):
    """Simulate chats on a new deployment of a channel and give their logs."""

    def make(channel, path, count=20):
        flow = make_flow()
        body = {"name": "Chat", "flowId": flow["id"]}
        worker = f"/workers/{flow['workerId']}"
        made = api.post(f"{worker}/deployments/{channel}", body)
        assert made.status_code == 201, made.text
        answer = control.post(
            "/simulate/chats", {"workerId": flow["workerId"], "deploymentId": made.json["id"], "count": count}
        )
        assert answer.status_code == 201, answer.text
        return [api.get(f"{worker}/deploymentLogs/{path}/{id}").json for id in answer.json["ids"]]

    return make


def seconds(log):
    return (parse(log["endTime"]) - parse(log["startTime"])).total_seconds()


def test_times_and_duration_agree(logs):
    for log in logs(60):
        assert isinstance(log["duration"], int)
        assert seconds(log) == log["duration"]


def test_numbers_are_e164_and_one_of_them_is_the_lines(logs, line):
    for log in logs(60):
        assert E164.fullmatch(log["fromNumber"]) and E164.fullmatch(log["toNumber"])
        own = log["toNumber"] if log["direction"] == "inbound" else log["fromNumber"]
        assert own == line["phoneNumber"]


def test_calls_go_in_and_out(logs):
    assert {log["direction"] for log in logs(60)} == {"inbound", "outbound"}


def test_nobody_thanks_for_the_call_in_a_chat(chat_logs):
    said = " ".join(str(log["messages"]) for log in chat_logs("chat", "chat", 60))
    assert "your call" not in said and "for calling" not in said


def test_the_direction_can_be_asked_for(logs):
    assert {log["direction"] for log in logs(20, direction="outbound")} == {"outbound"}


def test_a_mixture_has_every_outcome(logs):
    assert {log["status"] for log in logs(300)} == set(OUTCOMES)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_outcome_can_be_asked_for(logs, outcome):
    for log in logs(15, outcome=outcome):
        assert log["status"] == outcome
        assert log["data"]["disposition"] == outcome
        assert (log["transferData"] is not None) == (outcome == "transferred")


def test_the_transcription_is_the_messages(logs):
    for log in logs(60):
        if log["messages"] is None:
            assert log["transcription"] is None and log["duration"] == 0
            continue
        names = {"assistant": "Agent", "user": "User"}
        lines = [f"{names[said['role']]}: {said['content']}" for said in log["messages"]["messages"]]
        assert log["transcription"] == "\n".join(lines)


def test_turns_follow_each_other_within_the_call(logs):
    for log in logs(40, outcome="completed"):
        now = 0
        for said in log["messages"]["messages"]:
            assert now <= said["start"] < said["end"]
            now = said["end"]
        assert now <= log["duration"]


def test_nobody_reads_a_slot_aloud(logs):
    for log in logs(300):
        assert "{" not in (log["transcription"] or "")


def test_there_are_at_least_five_kinds_of_conversation(logs, api, line):
    sessions = [api.get(f"/workers/{line['workerId']}/sessions/{log['bbEngineSessionId']}").json for log in logs(150)]
    ends = {step["condition"] for session in sessions for step in session["trace"] if step["step"] == "until"}
    assert len(ends) >= 5


def test_conversations_vary(logs):
    texts = [log["transcription"] for log in logs(100, outcome="completed")]
    assert len(set(texts)) > 95  # two may ask the same thing in the same words


def test_a_worker_has_the_conversations_of_its_trade(make_worker, make_flow, make_voice_deployment, api, control):
    worker = make_worker(name="Dental clinic", description="Books appointments")
    line = make_voice_deployment(make_flow(worker["id"]))
    body = {"workerId": worker["id"], "deploymentId": line["id"], "count": 30, "outcome": "completed"}
    for id in control.post("/simulate/calls", body).json["ids"]:
        text = api.get(f"/workers/{worker['id']}/deploymentLogs/voice/{id}").json["transcription"]
        assert "Dental clinic" in text
        assert "bill" not in text and "order number" not in text


def test_post_call_data_has_latencies(logs):
    for log in logs(60):
        data = log["data"]
        assert isinstance(data["llm_websocket_network_rtt"], float)
        for spread in (data["latency"], data["tts"]):
            assert len(spread["values"]) == spread["num"]
            if spread["num"]:
                marks = [spread[name] for name in ("min", "p50", "p90", "p95", "p99", "max")]
                assert marks == sorted(marks)
                assert set(marks) <= set(spread["values"])


def test_every_call_has_its_telephony_ids_and_program(logs, line, api):
    code = api.get(f"/workers/{line['workerId']}/flows/{line['flowId']}").json["code"]
    for log in logs(20):
        assert re.fullmatch("CA[0-9a-f]{32}", log["call_sid"])
        assert log["externalCallId"] == log["call_sid"]
        assert log["Telephony_source"] == "twilio"
        assert log["flowSnapshot"] == code


def test_extractions_obey_their_definitions(logs):
    types = {"string": str, "number": int | float, "boolean": bool}
    for log in logs(120):
        found = log["extractionsData"]
        if log["messages"] is None:
            assert found is None
            continue
        assert set(found) <= set(DEFINITIONS)
        for key, definition in DEFINITIONS.items():
            assert not definition.get("required") or key in found
            assert key not in found or isinstance(found[key], types[definition["type"]])


def test_success_results_obey_the_criteria(logs):
    for log in logs(120):
        if log["messages"] is None:
            assert log["successResults"] is None
            continue
        (group,) = log["successResults"]["criteria"]
        polite, useful = group["items"]
        assert [group["title"], polite["title"], useful["title"]] == ["Service", "Polite", "Useful"]
        assert polite["passed"] is polite["value"]
        assert useful["passed"] is (useful["value"] >= 7)
        assert group["passed"] is (polite["passed"] and useful["passed"])
        assert log["successResults"]["passed"] is group["passed"]


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


def test_the_way_from_a_log_to_its_session_and_requests(logs, api, line):
    worker = f"/workers/{line['workerId']}"
    for log in logs(10, outcome="completed"):
        session = api.get(f"{worker}/sessions/{log['bbEngineSessionId']}").json
        assert session["flow_id"] == line["flowId"]
        assert (session["session_start"], session["session_end"]) == (log["startTime"], log["endTime"])
        assert [said["content"] for said in session["messages"]] == [
            said["content"] for said in log["messages"]["messages"]
        ]
        requests = api.get(f"{worker}/llm-logs/by-call/{log['call_sid']}").json
        assert requests == api.get(f"{worker}/llm-logs/by-session/{session['id']}").json
        assert [one["eventType"] for one in requests[:2]] == ["beforeRequestHook", "afterRequestHook"]
        assert len(requests) == 2 * log["data"]["latency"]["num"]
        assert "model" not in requests[0]["data"]["request"]["json"]


@pytest.mark.parametrize("outcome", ["completed", "voicemail", "no-answer", "failed"])
def test_a_session_used_the_tokens_of_its_requests(logs, api, line, outcome):
    worker = f"/workers/{line['workerId']}"
    for log in logs(5, outcome=outcome):
        session = api.get(f"{worker}/sessions/{log['bbEngineSessionId']}").json
        answers = [
            one["data"]["response"] for one in api.get(f"{worker}/llm-logs/by-session/{session['id']}").json[1::2]
        ]
        used = [answer["json"]["usage"] for answer in answers]
        assert session["input_tokens"] == sum(each["prompt_tokens"] for each in used)
        assert session["output_tokens"] == sum(each["completion_tokens"] for each in used)


def test_every_call_has_a_session(logs, api, line):
    for log in logs(40):
        assert api.get(f"/workers/{line['workerId']}/sessions/{log['bbEngineSessionId']}").status_code == 200


def test_a_call_that_fails_in_the_engine_leaves_a_runtime_error(logs, api, line):
    worker = f"/workers/{line['workerId']}"
    log = logs(outcome="failed", direction="inbound")[0]
    (error,) = api.get(f"{worker}/runtime-errors").json
    session = api.get(f"{worker}/sessions/{log['bbEngineSessionId']}").json
    assert error["bbEngineSessionId"] == session["id"]
    assert (session["error"]["type"], session["status"]) == (error["type"], "failed")
    assert error["metadata"]["logId"] == log["id"]


def test_llm_logs_can_be_left_out(logs, api, line):
    log = logs(outcome="completed", llmLogs=False)[0]
    assert api.get(f"/workers/{line['workerId']}/llm-logs/by-call/{log['call_sid']}").json == []


def plain(log):
    keys = ("direction", "status", "transcription", "messages", "duration", "extractionsData", "successResults", "data")
    return {key: log[key] for key in keys}


def test_the_same_seed_gives_the_same_calls(logs):
    first, again = logs(30, seed=7), logs(30, seed=7)
    assert [plain(log) for log in first] == [plain(log) for log in again]
    assert {log["id"] for log in first}.isdisjoint(log["id"] for log in again)
    assert [plain(log) for log in first] != [plain(log) for log in logs(30, seed=8)]


def test_a_server_with_a_seed_makes_the_same_calls_under_the_same_ids():
    def calls_of_a_new_server():
        app = create_app(Settings(ephemeral=True, scenario="empty", seed=5))
        app.world.clock.of(None).set(datetime.fromisoformat("2026-05-05T10:00:00+00:00"), frozen=True)
        try:
            with app.world.active(), app.world.transaction():
                team = Team.find(name="Team")
                worker = Worker.add(team, name="Front desk")
                values = {"worker_id": worker.id, "type": "Voice", "flow_id": "flow_none", "name": "Line"}
                return [log_of(id) for id in simulate_calls(app.world, VoiceDeployment.add(team, **values), 20)]
        finally:
            app.close()

    def log_of(id):
        return {**VoiceLog.find(id=id).__data__}

    assert calls_of_a_new_server() == calls_of_a_new_server()


def test_calls_lie_in_the_last_day_and_the_last_one_ends_now(logs, control):
    now = control.put("/clock", {"now": "2026-03-04T15:00:00.000Z", "frozen": True}).json["now"]
    found = logs(50)
    assert found[-1]["endTime"] == now
    for log in found:
        assert "2026-03-03T15:00:00.000Z" <= log["startTime"] <= log["endTime"] <= now
    times = [log["startTime"] for log in found[:-1]]
    assert times == sorted(times)


def test_the_first_call_begins_at_the_start_asked_for(logs):
    found = logs(20, startTime="2026-01-01T00:00:00.000Z", endTime="2026-02-01T00:00:00.000Z")
    assert found[0]["startTime"] == found[0]["createdAt"] == "2026-01-01T00:00:00.000Z"
    assert max(log["endTime"] for log in found) <= "2026-02-01T00:00:00.000Z"


def test_a_start_behind_the_end_is_refused(control, line, api):
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "startTime": "2026-02-01T00:00:00Z"}
    answer = control.post("/simulate/calls", body | {"endTime": "2026-01-01T00:00:00Z"})
    assert answer.status_code == 400
    assert answer.json["details"][0]["path"] == "startTime"
    assert api.get(f"/workers/{line['workerId']}/deploymentLogs/voice").json["data"] == []


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_ends_of_the_calendar_are_refused(control, line, time):
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "endTime": time}
    assert control.post("/simulate/calls", body).status_code == 400


@pytest.mark.parametrize(
    ("member", "value"),
    [("count", 0), ("count", 10_001), ("count", "5"), ("outcome", "lost"), ("direction", "up"), ("seed", 1.5)],
)
def test_a_bad_member_is_named(control, line, member, value):
    body = {"workerId": line["workerId"], "deploymentId": line["id"], member: value}
    answer = control.post("/simulate/calls", body)
    assert answer.status_code == 400
    assert answer.json["details"][0]["path"] == member


@pytest.mark.parametrize("kind", ["calls", "chats"])
@pytest.mark.parametrize("missing", ["workerId", "deploymentId"])
def test_worker_and_deployment_must_exist_together(control, line, kind, missing):
    body = {"workerId": line["workerId"], "deploymentId": line["id"]}
    assert control.post(f"/simulate/{kind}", body | {missing: "none"}).status_code == 404
    del body[missing]
    assert control.post(f"/simulate/{kind}", body).status_code == 400


def test_a_voice_deployment_does_not_chat(control, line):
    body = {"workerId": line["workerId"], "deploymentId": line["id"]}
    assert control.post("/simulate/chats", body).status_code == 404


def test_chats_have_a_user_and_messages(chat_logs):
    for log in chat_logs("chat", "chat"):
        assert log["messageCount"] == len(log["messages"]["messages"])
        assert seconds(log) == log["duration"]
        assert "@" in log["userEmail"] and log["userName"]
        assert log["rating"] is None or 1 <= log["rating"] <= 5


def test_widget_chats_have_a_session_latency_and_tool_calls(chat_logs, api):
    found = chat_logs("chat-embed", "chat-embed")
    for log in found:
        assert api.get(f"/workers/{log['workerId']}/sessions/{log['sessionId']}").status_code == 200
        assert log["latency"]["num"] == len(log["latency"]["values"])
        assert log["originUrl"].startswith("https://") and log["expired"] is True
    assert any(log["toolCalls"]["toolCalls"] for log in found)


def test_a_call_can_be_made_for_a_contact(app, line, api):
    at = datetime.fromisoformat("2026-05-05T10:00:00+00:00")
    with app.world.active(), app.world.transaction():
        deployment = VoiceDeployment.find(id=line["id"])
        call = make_call(
            line_of(deployment),
            app.world.ids.random,
            starts=at,
            outcome="completed",
            direction="outbound",
            customer_number="+4915112345678",
            row={"name": "Ada Lovelace"},
            metadata={"campaignId": "campaign_1"},
        )
        store([call])
    log = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice/{call.log['id']}").json
    assert (log["toNumber"], log["fromNumber"]) == ("+4915112345678", line["phoneNumber"])
    assert log["startTime"] == "2026-05-05T10:00:00.000Z"
    assert log["metadata"]["campaignId"] == "campaign_1"
    assert log["extractionsData"]["customer_name"] == "Ada Lovelace"


def test_a_call_can_be_made_to_end_at_a_moment(app, line):
    at = datetime.fromisoformat("2026-05-05T10:00:00+00:00")
    with app.world.active(), app.world.transaction():
        call = make_call(
            line_of(VoiceDeployment.find(id=line["id"])), app.world.ids.random, ends=at, outcome="transferred"
        )
    assert parse(call.log["end_time"]) == at
    assert parse(call.log["start_time"]) == at - timedelta(seconds=call.log["duration"])


def test_simulated_calls_are_undone_with_their_transaction(app, line, api):
    with app.world.active(), pytest.raises(RuntimeError), app.world.transaction():
        simulate_calls(app.world, VoiceDeployment.find(id=line["id"]), 5)
        raise RuntimeError
    assert api.get(f"/workers/{line['workerId']}/deploymentLogs/voice").json["data"] == []


def test_a_named_team_must_own_the_deployment(control, make_voice_deployment):
    deployment = make_voice_deployment()
    body = {"workerId": deployment["workerId"], "deploymentId": deployment["id"]}
    team = next(team["id"] for team in control.get("/teams").json)
    assert control.post(f"/simulate/calls?team={team}", body).status_code == 201
    assert control.post("/simulate/calls?team=team_other", body).status_code == 404
