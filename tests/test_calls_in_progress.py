"""Calls in progress: what their logs show as the clock goes on, and what waits until they are over."""

import csv
import io

import pytest

from dryline.simulator.conversations import Simulator
from dryline.storage.errors import Busy
from dryline.world.clock import wire

START = "2026-03-02T10:00:00.000Z"
LATER = ("endTime", "duration", "recordingUrl", "data", "extractionsData", "successResults", "transferData")
UNDER_WAY = ("ringing", "in-progress")
STEP_S = 4


@pytest.fixture(autouse=True)
def still(control):
    control.put("/clock", {"now": START, "frozen": True})


@pytest.fixture
def call(control, line):
    """Place a call now. Returns its log's id."""

    def place(**body):
        place = {"workerId": line["workerId"], "deploymentId": line["id"], "inProgress": True, "outcome": "completed"}
        answer = control.post("/simulate/calls", place | body)
        assert answer.status_code == 201, answer.text
        return answer.json["ids"][0]

    return place


@pytest.fixture
def path(line):
    return f"/workers/{line['workerId']}/deploymentLogs/voice"


@pytest.fixture
def read(api, path):
    return lambda id: api.get(f"{path}/{id}").json


@pytest.fixture
def each_step(advance, read):
    """Return a call's log every few seconds, until it is over."""

    def seen(id):
        logs = [read(id)]
        while logs[-1]["status"] in UNDER_WAY:
            advance(STEP_S)
            logs.append(read(id))
        return logs

    return seen


# Logs of a call


def test_a_call_rings_is_in_progress_and_comes_out_at_its_end(call, each_step):
    logs = each_step(call())
    assert list(dict.fromkeys(log["status"] for log in logs)) == ["ringing", "in-progress", "completed"]
    assert {(log["startTime"], log["createdAt"]) for log in logs} == {(START, START)}


@pytest.mark.parametrize("outcome", ["no-answer", "busy"])
def test_whom_nobody_reaches_it_rings_until_the_end(call, each_step, outcome):
    logs = each_step(call(outcome=outcome))
    assert list(dict.fromkeys(log["status"] for log in logs)) == ["ringing", outcome]
    assert {log["messages"] for log in logs} == {None}
    assert logs[-1]["duration"] == 0 and logs[-1]["endTime"] > START


def test_results_are_null_until_the_end(call, each_step):
    *before, over = each_step(call(outcome="transferred"))
    assert all(log[member] is None for log in before for member in LATER)
    assert all(over[member] is not None for member in ("endTime", "duration", "recordingUrl", "data", "transferData"))


def test_the_conversation_grows_and_what_was_said_stays(call, each_step):
    *before, over = each_step(call())
    whole = over["messages"]["messages"]
    lengths = []
    for step, log in enumerate(before):
        said = (log["messages"] or {"messages": []})["messages"]
        assert said == [message for message in whole if message["start"] <= STEP_S * step]
        assert over["transcription"].startswith(log["transcription"] or "")
        lengths.append((len(said), len(log["transcription"] or "")))
    assert len(set(lengths)) > 2


def test_llm_logs_come_as_the_call_goes_on(control, call, read, advance):
    id, counts = call(), []
    while read(id)["status"] in UNDER_WAY:
        now = advance(STEP_S)
        llm_logs = control.get("/state").json["llmLogs"]
        assert all(log["createdAt"] <= now for log in llm_logs)
        counts.append(len(llm_logs))
    assert counts[0] == 0 and len(set(counts)) > 2


# Lists, exports, sums


def test_filters_and_totals_go_by_what_a_log_shows_now(api, path, call, read, advance):
    id, status = call(), None
    while status != "completed":
        status = read(id)["status"]
        for each in (*UNDER_WAY, "completed"):
            answer = api.get(path, query_string={"status": each}).json
            assert len(answer["data"]) == answer["pagination"]["total"] == (each == status)
        advance(5)


def test_polling_by_start_time_finds_each_incoming_call(control, api, path, line, advance):
    control.put("/settings", {"callsPerMinute": 30})
    newest, ids = START, set()
    for _ in range(30):
        advance(1)
        logs = api.get(f"{path}?startTimeAfter={newest}&limit=100").json["data"]
        ids |= {log["id"] for log in logs}
        newest = max([newest, *(log["startTime"] for log in logs)])
    assert ids == {log["id"] for log in control.get("/state").json["voiceLogs"]} != set()


def test_an_export_holds_calls_that_are_over(api, call, advance):
    call()
    over = call(inProgress=False)
    window = {"startDate": "2026-03-01T00:00:00.000Z", "endDate": "2026-03-03T00:00:00.000Z"}
    export = api.post("/team/exports", {"format": "CSV", "logType": "voice", **window}).json
    advance()
    file = api.client.get(api.get(f"/team/exports/{export['id']}").json["downloadUrl"], buffered=True).text
    assert [row["id"] for row in csv.DictReader(io.StringIO(file))] == [over]


def test_the_voice_analysis_counts_calls_that_are_over(api, call, advance):
    call()
    assert api.post("/voice-analysis", {"includeCallDetails": True}).json["summary"]["totalCalls"] == 0
    advance(900)
    assert api.post("/voice-analysis", {"includeCallDetails": True}).json["summary"]["totalCalls"] == 1


# Webhooks


def test_webhooks_get_messages_when_a_call_starts_and_ends(control, api, line, call, advance, read):
    hooks = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(hooks, {"url": "http://127.0.0.1:9/", "fields": "transcript"}).status_code == 201

    id = call()
    while read(id)["status"] in UNDER_WAY:
        assert [delivery["event"] for delivery in control.get("/webhooks").json] == ["call_started"]
        advance(STEP_S)
    assert [delivery["event"] for delivery in control.get("/webhooks").json] == ["call_ended", "call_started"]


# Changes in the middle of a call


def test_a_call_goes_on_after_a_restart(restart, make_voice_deployment):
    api, plane = restart()
    plane.put("/clock", {"frozen": True})
    line = make_voice_deployment(api=api)
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "inProgress": True, "outcome": "completed"}
    (id,) = plane.post("/simulate/calls", body).json["ids"]
    _, plane = restart()
    plane.post("/clock/advance", {"seconds": 900})
    state = plane.get("/state").json
    assert next(log for log in state["voiceLogs"] if log["id"] == id)["status"] == "completed"
    assert state["callsInProgress"] == []


def test_a_state_document_holds_a_call_whole(control, call, each_step, read, advance):
    id = call()
    advance(12)
    document = control.get("/state").data
    over = each_step(id)[-1]
    control.put("/clock", {"now": "2026-03-02T10:00:12.000Z", "frozen": True})
    control.put("/state", data=document, content_type="application/json")
    assert control.get("/state").data == document
    assert each_step(id)[-1] == over


def test_a_call_goes_on_after_a_load_that_shifts_its_times(control, call, read, advance):
    id = call()
    advance(12)
    document = control.get("/state").json | {"asOf": control.get("/clock").json["now"]}
    control.put("/clock", {"now": "2026-03-09T10:00:12.000Z", "frozen": True})
    assert control.put("/state", document).status_code == 204
    assert read(id)["startTime"] == "2026-03-09T10:00:00.000Z"
    assert read(id)["status"] in ("ringing", "in-progress")
    advance(3600)
    assert read(id)["endTime"] > "2026-03-09T10:00:12.000Z"


def test_the_log_of_a_call_in_progress_has_the_calls_start(control, call, advance):
    call()
    advance(12)
    document = control.get("/state").json
    for start in (None, "2026-03-02T09:00:00.000Z"):
        document["voiceLogs"][0]["startTime"] = start
        assert control.put("/state", document).json["details"][0]["path"] == "callsInProgress[0].call"


@pytest.mark.parametrize(
    ("damage", "member"),
    [
        (lambda row: row["call"].pop("session"), "call.session"),
        (lambda row: row["call"]["log"].update(team_id="another"), "call"),
        (lambda row: row["call"]["log"].update(messages={"messages": [{"role": "assistant"}]}), "call"),
        (lambda row: row["call"]["log"]["messages"]["messages"][0].update(start=1e308), "call"),
        (lambda row: row["call"]["log"].update(messages=[]), "call.log.messages"),
        (lambda row: row["call"]["log"].update(end_time="soon"), "call.log.endTime"),
        (lambda row: row["call"]["session"].update(error="none"), "call.session.error"),
        (lambda row: row["call"]["llm_logs"][0].update(data=[]), "call.llm_logs[0].data"),
        (lambda row: row["call"].update(runtime_errors={}), "call.runtime_errors"),
        (lambda row: row.update(shownUntil="0900-01-01T00:00:00.000Z"), "call"),
    ],
)
def test_a_document_with_a_call_that_could_not_go_on_is_refused(control, call, damage, member):
    call()
    document = control.get("/state").json
    damage(document["callsInProgress"][0])
    answer = control.put("/state", document)
    assert answer.status_code == 422, answer.text
    assert answer.json["details"][0]["path"] == f"callsInProgress[0].{member}"


def test_a_call_goes_on_to_its_end_with_json_that_dryline_does_not_read(api, control, line, call, read, advance):
    id = call()
    webhooks = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(webhooks, {"url": "http://127.0.0.1:9/", "fields": "summary"}).status_code == 201
    document = control.get("/state").json
    odd = {"call_analysis": "good"}
    (row,) = document["callsInProgress"]
    row["call"]["log"] |= {"data": odd, "metadata": {"wsUrl": [1]}, "other_shapes": ["messages"]}
    row["call"]["session"]["trace"].append({"at": 10_000})
    assert control.put("/state", document).status_code == 204
    advance(3600)
    log = read(id)
    assert (log["status"], log["data"]) == ("completed", odd)
    assert api.client.get(f"/console/calls/{id}").status_code == 200
    (session,) = control.get("/state").json["sessions"]
    assert session["trace"][-1] == {"at": 10_000}
    assert [delivery["request"]["body"]["log_id"] for delivery in control.get("/webhooks").json] == [id]


@pytest.mark.parametrize("which", ["deployment", "worker"])
def test_nothing_stays_of_a_call_whose_line_is_deleted_in_the_middle(api, control, line, call, advance, which):
    call()
    advance(12)
    worker = f"/workers/{line['workerId']}"
    gone = worker if which == "worker" else f"{worker}/deployments/voice/{line['id']}"
    assert api.delete(gone).status_code in (200, 204)
    advance(900)
    state = control.get("/state").json
    assert not any(state[name] for name in ("voiceLogs", "callsInProgress", "sessions", "llmLogs", "runtimeErrors"))


def test_a_campaign_is_completed_once_its_calls_are_over(api, line, control, advance):
    base = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    rows = [{"id": "r", "phoneNumber": "+14155550150"}]
    campaign = api.post(base, {"data": rows, "status": "STARTED"}).json
    advance()
    (log,) = control.get("/state").json["voiceLogs"]
    while log["status"] in UNDER_WAY:
        assert api.get(f"{base}/{campaign['id']}").json["status"] == "RUNNING"
        advance(STEP_S)
        (log,) = control.get("/state").json["voiceLogs"]
    assert api.get(f"{base}/{campaign['id']}").json["status"] == "COMPLETED"


@pytest.mark.parametrize("number", [1, 4])
def test_a_live_call_for_which_no_worker_is_free_comes_in_later(control, api, path, advance, monkeypatch, number):
    make, moments, chances = Simulator.call, [], []

    def call(simulator, request, moment):
        moments.append(moment)
        chances.append(simulator.rng.getstate())
        if len(moments) == number:
            raise Busy("No worker was free to run the flow.")
        return make(simulator, request, moment)

    monkeypatch.setattr(Simulator, "call", call)
    control.put("/settings", {"callsPerMinute": 6})
    advance(60)
    advance(0)
    assert (moments[number], chances[number]) == (moments[number - 1], chances[number - 1])  # the same call
    logs = api.get(path, query_string={"limit": 100}).json["data"]
    assert {log["startTime"] for log in logs} == set(map(wire, moments))
