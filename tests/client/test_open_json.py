"""JSON that the contract leaves open: a client reads what came in, whatever its shape, and its page shows it."""

import html
import itertools
import json
import re

import httpx
import pytest

MESSAGE = {"role": "user", "content": "Good morning."}
STEP = {"step": "call", "function": "free_slots"}
NUMBERS = ("soon", True, -1, 2e9, [1])

# By column of any log: values of another shape than dryline reads.
ODD_MESSAGES = [
    {},
    {"messages": None},
    {"messages": "Good morning."},
    {"transcript": [MESSAGE]},
    {"messages": [MESSAGE, 1]},
    {"messages": [{"content": "Good morning."}]},
    {"messages": [{**MESSAGE, "role": 7}]},
    {"messages": [{**MESSAGE, "createdAt": 5}]},
    {"messages": [{**MESSAGE, "timestamp": 5}]},
    *({"messages": [{**MESSAGE, name: value}]} for name in ("start", "end") for value in NUMBERS),
]
ODD_TRACES = [
    [STEP, {"at": 1}],
    [{**STEP, "step": 7}],
    [{"type": {"name": "call"}}],
    *([{**STEP, "at": value}] for value in NUMBERS),
    *([{**STEP, "line": value}] for value in ("5", 5.0, True)),
    [{**STEP, "condition": ["a"]}],
]
ODD_SESSION_LOG_DATA = [{"trace": value} for value in ("ended", {"steps": [STEP]}, [1], *ODD_TRACES)]
ODD_METADATA = [{"campaignId": value} for value in (7, ["campaign_1"])]
# By column of a call.
ODD_DATA = [
    {"latency": 5},
    {"latency": {"values": 5}},
    *({"latency": {name: value}} for name in ("p50", "p90", "p95", "p99") for value in NUMBERS),
    *({"latency": {"values": [700, value]}} for value in NUMBERS),
    {"call_analysis": "good"},
    {"call_analysis": {"call_summary": ["a"]}},
    {"call_analysis": {"user_sentiment": 1}},
    {"disconnection_reason": {"by": "the caller"}},
]
ODD_RESULTS = [
    {"score": 5},
    {"criteria": 5},
    {"criteria": [1]},
    {"criteria": [{"title": 5}]},
    {"criteria": [{"items": 5}]},
    {"criteria": [{"items": [None]}]},
    {"criteria": [{"items": [{"title": 5}]}]},
    {"criteria": [{"items": [{"reason": 5}]}]},
]
ODD_EXCHANGES = [
    {"response": "late"},
    {"response": {"json": "late"}},
    {"response": {"json": {"choices": {"message": "a"}}}},
    {"response": {"json": {"choices": [1]}}},
    {"response": {"json": {"choices": [{"message": "late"}]}}},
    {"response": {"json": {"usage": 21}}},
]
# The collections of logs, with the client's method that reads one. It has none whose answer has a type for the others.
LOGS = {
    "voiceLogs": lambda client, worker, id: client.workers.deployment_logs.voice.retrieve(id, worker_id=worker),
    "chatLogs": lambda client, worker, id: client.workers.deployment_logs.chat.retrieve(id, worker_id=worker),
    "chatEmbedLogs": lambda client, worker, id: client.workers.deployment_logs.chat.embed.retrieve(
        id, worker_id=worker
    ),
    **dict.fromkeys(("smsLogs", "whatsappLogs", "apiLogs")),
}
CASES = [
    *(("voiceLogs", "messages", value) for value in ODD_MESSAGES),
    *(("voiceLogs", "sessionLogData", value) for value in ODD_SESSION_LOG_DATA),
    *(("voiceLogs", "metadata", value) for value in ODD_METADATA),
    *(("voiceLogs", "data", value) for value in ODD_DATA),
    *(("voiceLogs", "successResults", value) for value in ODD_RESULTS),
    *(("chatEmbedLogs", "latency", data["latency"]) for data in ODD_DATA if isinstance(data.get("latency"), dict)),
    *((log, "messages", {"messages": "Good morning."}) for log in LOGS),
    *((log, "sessionLogData", {"trace": "ended"}) for log in LOGS),
    *((log, "metadata", {"campaignId": 7}) for log in LOGS),
]


def shown(page):
    """Return the JSON of a page, without blanks."""
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>|<dd>(.*?)</dd>", page, re.DOTALL)
    return ["".join(html.unescape(re.sub("<[^>]*>", "", "".join(block))).split()) for block in blocks]


def words(page):
    """Return the text of a page, with single blanks."""
    return " ".join(html.unescape(re.sub("<[^>]*>", "", page)).split())


def without_blanks(value):
    return "".join(json.dumps(value, indent=2, ensure_ascii=False).split())


@pytest.fixture
def page(url):
    """Return a function that reads a page of the console."""

    def read(path):
        answer = httpx.get(f"{url}/console{path}", follow_redirects=True)
        assert answer.status_code == 200, answer.text
        return answer.text

    return read


@pytest.fixture
def kind():
    """Use the synchronous client: answers are the same for both."""
    return "sync"


@pytest.fixture
def add(control):
    """Return a function that adds a row to a collection, and returns its id."""

    def add(collection, **members):
        row = {"id": f"row_{next(number)}", **members}
        answer = control.post("/state", {"version": 1, collection: [row]})
        assert answer.status_code == 204, answer.text
        return row["id"]

    number = itertools.count()
    return add


def test_a_client_reads_each_odd_value_of_a_log_and_its_page_shows_it(client, worker, add, page):
    for collection, member, value in CASES:
        id = add(collection, workerId=worker, startTime="2026-11-20T10:00:00.000Z", **{member: value})
        retrieve = LOGS[collection]
        log = retrieve(client, worker, id).to_dict() if retrieve else client.get(f"/api/logs/{id}", cast_to=object)
        assert log[member] == value
        assert without_blanks(value) in shown(page(f"/calls/{id}")), (collection, member, value)
    for channel in ("voice", "chat", "chat-embed", "sms", "whatsapp", "api"):
        assert "row_" in page(f"/calls?channel={channel}")


def test_a_client_reads_each_odd_trace_of_a_session_and_the_page_of_its_log_shows_it(client, worker, add, page):
    for trace in ODD_TRACES:
        session = add("sessions", worker_id=worker, trace=trace)
        log = add("voiceLogs", workerId=worker, bbEngineSessionId=session)
        assert client.workers.retrieve_session(session, worker_id=worker).trace == trace
        assert without_blanks(trace) in shown(page(f"/calls/{log}")), trace


def test_a_client_reads_each_odd_request_to_a_model_and_the_page_of_its_log_shows_it(client, api, worker, add, page):
    for number, data in enumerate(ODD_EXCHANGES):
        session = f"session_{number}"
        add("llmLogs", eventType="afterRequestHook", workerId=worker, sessionId=session, data=data)
        hook = data | {"sessionId": session, "workerId": worker}
        assert api.client.post("/portkey-logs", json=hook, headers={"x-api-key": api.key}).status_code == 200
        log = add("voiceLogs", workerId=worker, bbEngineSessionId=session)
        read = client.workers.llm_logs.get_by_session(session, worker_id=worker)
        assert [one.data["response"] for one in read] == [data["response"]] * 2
        assert without_blanks(data) in shown(page(f"/calls/{log}/llm-logs"))
        assert f"model {json.dumps(data)[:40]}" in words(page(f"/calls/{log}")), data


@pytest.mark.parametrize("change", [None, "Night line", [], {}, {"from": "Night line"}, {"to": "Night line"}])
def test_a_client_reads_each_odd_change_of_a_deployment_and_its_page_shows_it(client, worker, add, page, change):
    flow = client.workers.flows.create(worker, name="Main", label=None, code="done()").id
    line = client.workers.deployments.voice.create(worker, name="Line", phone_number="+14155550142", flow_id=flow).id
    changes = {"name": change, "status": {"from": None, "to": "ACTIVE"}}
    add("deploymentHistory", deploymentId=line, changeType="CONFIG", changes=changes)
    history = client.get(f"/api/workers/{worker}/deployments/{line}/history", cast_to=object)
    assert [entry["changes"] for entry in history["data"]] == [changes]
    assert without_blanks(changes) in shown(page(f"/workers/{worker}/deployments/{line}"))


def test_the_code_of_a_log_may_be_any_json(client, worker, add, page):
    for code in ({"code": "say(1)"}, {"flowVersionId": "flowversion_none"}, {"flowVersionId": 5}, ["say(1)"], 5):
        log = add("voiceLogs", workerId=worker, flowSnapshot=code)
        assert client.workers.deployment_logs.voice.retrieve(log, worker_id=worker).to_dict()["flowSnapshot"] == code
        assert without_blanks(code) in shown(page(f"/calls/{log}"))


def test_json_of_the_usual_shape_may_have_nulls_and_further_members(worker, add, page):
    messages = [
        {"role": "user", "content": None, "start": None, "end": None, "createdAt": None, "timestamp": None},
        {"role": "user", "content": "Good morning.", "start": 0, "end": 0, "mood": 1, "createdAt": "2026-11-20"},
        {"role": "assistant", "content": [{"text": "Not before noon."}], "start": 1e9, "end": 1.5},
        {"role": "", "content": "Nobody said this."},
    ]
    trace = [{"step": "call", "type": 5, "at": None, "line": None, "condition": None}, {"type": "jump", "at": 0}]
    latency = {"values": [None, 7], "p50": None, "p90": 0, "p95": 1e9, "p99": 9.5}
    analysis = {"call_summary": None, "user_sentiment": None, "more": 1}
    items = [{"title": None, "reason": None, "value": [1]}, {"title": "Greets", "reason": "It does.", "passed": 1}]
    criteria = [{"title": None, "items": None}, {"title": "Manners", "items": items}]
    log = add(
        "voiceLogs",
        workerId=worker,
        startTime="2026-11-20T10:00:00.000Z",
        duration=5,
        messages={"messages": messages, "more": 1},
        sessionLogData={"trace": trace, "more": 1},
        data={"latency": latency, "call_analysis": analysis, "disconnection_reason": None, "more": 1},
        metadata={"campaignId": None, "more": 1},
        successResults={"criteria": criteria, "more": 1},
    )
    shows = page(f"/calls/{log}")
    assert all(text in shows for text in ("Good morning.", "Not before noon.", "Nobody said this.", "Manners"))
    assert all(text in shows for text in ("<strong>call</strong>", "<strong>jump</strong>", "p95 1000000000 ms"))
    assert not any(f"<summary>{title}</summary>" in shows for title in ("Messages", "Session log data", "JSON"))
    for data in ({"latency": None}, {"call_analysis": None}, {"latency": {"values": None}}, {}):
        page(f"/calls/{add('voiceLogs', workerId=worker, data=data)}")
