"""LLM logs: what the gateway sends, and how it is read again."""

import pytest

HOOK = {
    "eventType": "afterRequestHook",
    "callId": "CA1",
    "sessionId": "session_1",
    "request": {"json": {"model": "gpt", "messages": [{"role": "user", "content": "Hi"}]}, "headers": {}},
    "response": {"json": {"choices": []}},
}


@pytest.fixture
def gateway(api):
    """Return a function that sends the requests of the gateway's hooks."""

    def send(body=None, api=api, **members):
        body = HOOK | members if body is None else body
        answer = api.client.post("/portkey-logs", json=body, headers={"x-api-key": api.key})
        assert (answer.status_code, answer.data) == (200, b""), answer.text

    return send


@pytest.fixture
def path(make_worker):
    return f"/workers/{make_worker()['id']}/llm-logs"


@pytest.fixture
def logs(api, path):
    return lambda **query: api.get(path, query_string=query).json["logs"]


def test_the_body_of_a_hook_is_stored_without_the_models_name(gateway, logs):
    gateway()
    (log,) = logs()
    assert (log["eventType"], log["callId"], log["sessionId"]) == ("afterRequestHook", "CA1", "session_1")
    assert log["data"] == HOOK | {
        "request": {**HOOK["request"], "json": {"messages": HOOK["request"]["json"]["messages"]}}
    }


def test_call_and_session_are_also_found_under_metadata(gateway, logs):
    gateway({"metadata": {"callId": "CA2", "sessionId": "session_2", "eventType": "beforeRequestHook"}})
    (log,) = logs()
    assert (log["callId"], log["sessionId"], log["eventType"]) == ("CA2", "session_2", "beforeRequestHook")


def test_a_list_of_records_is_a_log_each_whatever_they_lack(gateway, logs):
    records = [{}, {"response": None}, {"callId": 7}]
    gateway(records)
    gateway([])
    stored = {str(log.pop("data")): log for log in logs()}
    assert stored.keys() == {str(record) for record in records}
    assert {log["callId"] for log in stored.values()} == {log["sessionId"] for log in stored.values()} == {None}
    assert [stored[str(record)]["eventType"] for record in records] == [
        *("beforeRequestHook", "afterRequestHook", "beforeRequestHook")
    ]


@pytest.mark.parametrize("body", ["text", 7, None, [{}, 7]])
def test_a_body_that_is_no_object_is_refused_and_nothing_stored(api, logs, body):
    answer = api.client.post("/portkey-logs", json=body, headers={"x-api-key": api.key})
    assert answer.status_code == 400
    assert logs() == []


def test_the_list_is_the_teams_whatever_the_worker_newest_first(api, gateway, make_worker, advance):
    for call in ("CA1", "CA2", "CA3"):
        gateway(callId=call)
        advance(1)
    for worker in (make_worker(), make_worker()):
        path = f"/workers/{worker['id']}/llm-logs"
        page, part = api.get(path).json, api.get(path, query_string={"limit": 1, "offset": 1}).json
        assert [log["callId"] for log in page["logs"]] == ["CA3", "CA2", "CA1"]
        assert (page["total"], page["limit"], page["offset"]) == (3, 50, 0)
        assert part == {"logs": page["logs"][1:2], "total": 3, "limit": 1, "offset": 1}


def test_the_list_can_be_narrowed(gateway, logs):
    gateway(callId="CA1", sessionId="s1", eventType="beforeRequestHook")
    gateway(callId="CA2", sessionId="s2")
    for query in ({"callId": "CA1"}, {"sessionId": "s1"}, {"eventType": "beforeRequestHook"}):
        assert [log["callId"] for log in logs(**query)] == ["CA1"]


@pytest.mark.parametrize(("by", "member"), [("by-call", "callId"), ("by-session", "sessionId")])
def test_the_logs_of_a_call_or_session_come_oldest_first(api, gateway, path, advance, by, member):
    for event in ("beforeRequestHook", "afterRequestHook"):
        gateway(**{member: "mine", "eventType": event})
        advance(1)
    gateway(**{member: "other"})
    answer = api.get(f"{path}/{by}/mine").json
    assert [log["eventType"] for log in answer] == ["beforeRequestHook", "afterRequestHook"]
    assert api.get(f"{path}/{by}/none").json == []


def test_the_logs_of_a_call_can_be_deleted_together(api, gateway, path, logs):
    for call in ("CA1", "CA1", "CA2"):
        gateway(callId=call)
    for _ in range(2):
        assert api.delete(f"{path}/by-call/CA1").status_code == 204
        assert [log["callId"] for log in logs()] == ["CA2"]
