"""Voice logs: one by one, and which of them a list shows."""

import pytest

from dryline.models.voice_logs import VoiceLog

CALL = {
    "start_time": "2026-11-20T10:00:00.000Z",
    "end_time": "2026-11-20T10:01:30.000Z",
    "external_call_id": "ext-1",
    "direction": "inbound",
    "from_number": "+14155550101",
    "to_number": "+14155550100",
    "transcription": "Agent: Grüezi\nUser: 100% sure_thing",
    "telephony_source": "twilio",
    "status": "completed",
    "call_sid": "CA1",
    "duration": 90,
    "flow_id": "flow_1",
    "deployment_id": "deploy_1",
}


@pytest.fixture
def path(worker):
    return f"/workers/{worker['id']}/deploymentLogs/voice"


@pytest.fixture
def add_call(add_log, worker):
    return lambda worker=worker, **columns: add_log(VoiceLog, worker, **columns)


@pytest.fixture
def search(api, path):
    """Return the ids that a list with these filters shows."""
    return lambda **query: {log["id"] for log in api.get(path, query_string=query).json["data"]}


def test_a_log_has_28_members_null_where_empty(api, path, add_call):
    id = add_call(status="completed")
    log = api.get(f"{path}/{id}").json
    assert len(log) == 28
    assert (log["type"], log["status"]) == ("VoiceDeploymentLog", "completed")
    assert log["transferData"] is log["messages"] is log["Telephony_source"] is log["call_sid"] is None
    assert api.get(f"{path}/{id}?fields=").json == log


def test_only_the_named_members_come_and_the_id(api, path, add_call):
    id = add_call(**CALL)
    log = api.get(f"{path}/{id}", query_string={"fields": "startTime, Telephony_source,call_sid"}).json
    assert log == {"id": id, "startTime": CALL["start_time"], "Telephony_source": "twilio", "call_sid": "CA1"}


@pytest.mark.parametrize("name", ["twilioBody", "start_time"])
def test_an_unknown_name_in_fields_is_refused_and_named(api, path, add_call, name):
    for url in (path, f"{path}/{add_call()}"):
        answer = api.get(url, query_string={"fields": f"id,{name}"})
        assert answer.status_code == 400
        assert answer.json["details"][0]["path"] == "fields"
        assert name in answer.json["error"]


# Filters

OTHER_CALL = {
    "deployment_id": "deploy_12",
    "flow_id": "flow_12",
    "direction": "outbound",
    "status": "failed",
    "external_call_id": "ext-12",
    "call_sid": "CA12",
    "from_number": "+4930123",
    "to_number": "+14155550101",
    "transcription": "Agent: Gruezi\nUser: 100 surely thing",
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("deploymentId", "deploy_1"),
        ("flowId", "flow_1"),
        ("direction", "inbound"),
        ("status", "completed"),
        ("externalCallId", "ext-1"),
        ("callSid", "CA1"),
        # any part of a number
        ("fromNumber", "+1415"),
        ("toNumber", "5550100"),
        # text in any case; the signs of SQL's patterns are plain text
        ("searchQuery", "GRÜEZI"),
        ("searchQuery", "100%"),
        ("searchQuery", "sure_thing"),
    ],
)
def test_a_filter_finds_its_value_alone(search, add_call, name, value):
    id = add_call(**CALL)
    add_call(**OTHER_CALL)
    add_call()
    assert search(**{name: value}) == {id}


@pytest.mark.parametrize(
    ("name", "border", "beyond"),
    [
        ("startTimeAfter", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.001Z"),
        ("startTimeBefore", "2026-11-20T10:00:00Z", "2026-11-20T09:59:59.999Z"),
        ("endTimeAfter", "2026-11-20T10:01:30Z", "2026-11-20T10:01:31Z"),
        ("endTimeBefore", "2026-11-20T10:01:30Z", "2026-11-20T10:01:29Z"),
        ("startDate", "2026-11-20T11:00:00+01:00", "2026-11-21"),
        ("endDate", "2026-11-21", "2026-11-20"),
        ("minDuration", 90, 91),
        ("maxDuration", 90, 89),
    ],
)
def test_a_border_is_inside(search, add_call, name, border, beyond):
    id = add_call(**CALL)
    add_call()  # without times and duration, which no limit finds
    assert (search(**{name: border}), search(**{name: beyond})) == ({id}, set())


def test_a_call_has_to_pass_all_filters(search, add_call):
    id = add_call(**CALL)
    add_call(**CALL | {"status": "failed"})
    filters = {"status": "completed", "direction": "inbound", "fromNumber": "0101", "searchQuery": "sure"}
    assert search(**filters) == {id}
    assert search(**filters, minDuration=91) == set()
