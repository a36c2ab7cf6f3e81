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
    "messages": {"messages": [{"role": "assistant", "content": "Grüezi"}]},
    "recording_url": "https://example.com/recording.wav",
    "data": {"latency": {"p50": 400}},
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


def test_a_log_shows_what_is_stored(api, path, add_call):
    log = api.get(f"{path}/{add_call(**CALL)}").json
    assert (log["startTime"], log["duration"], log["Telephony_source"]) == (CALL["start_time"], 90, "twilio")
    assert (log["call_sid"], log["messages"], log["data"]) == ("CA1", CALL["messages"], CALL["data"])


def test_any_text_is_shown_as_it_is(api, path, add_call):
    odd = 'say "hé" \\ \0\b\x1e\x1f\x7f\u2028\r\n\t%s</script> 🦎'
    id = add_call(id=f"log {odd}", call_sid=odd, transcription=odd, deployment_id=odd, messages={odd: odd})
    (log,) = api.get(path).json["data"]
    members = ("id", "call_sid", "transcription", "deploymentId", "messages")
    assert [log[member] for member in members] == [id, odd, odd, odd, {odd: odd}]


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
        ("fromNumber", "5550101"),
        ("fromNumber", "+1415"),
        ("fromNumber", "+14155550101"),
        ("toNumber", "5550100"),
        # text in any case; the signs of SQL's patterns are plain text
        ("searchQuery", "grüezi"),
        ("searchQuery", "GRÜEZI"),
        ("searchQuery", "100%"),
        ("searchQuery", "sure_thing"),
        ("searchQuery", "USER: 100% S"),
    ],
)
def test_a_filter_finds_its_value_alone(search, add_call, name, value):
    id = add_call(**CALL)
    add_call(**OTHER_CALL)
    add_call()
    assert search(**{name: value}) == {id}


@pytest.mark.parametrize(
    ("name", "value"), [("toNumber", "5550101"), ("fromNumber", "%"), ("searchQuery", "_e_"), ("searchQuery", "A*s")]
)
def test_a_filter_finds_no_call_that_lacks_its_value(search, add_call, name, value):
    add_call(**CALL)
    assert search(**{name: value}) == set()


@pytest.mark.parametrize(
    ("border", "inside"),
    [
        ({"startTimeAfter": "2026-11-20T10:00:00Z"}, True),
        ({"startTimeAfter": "2026-11-20T10:00:00.001Z"}, False),
        ({"startTimeBefore": "2026-11-20T10:00:00Z"}, True),
        ({"startTimeBefore": "2026-11-20T09:59:59.999Z"}, False),
        ({"endTimeAfter": "2026-11-20T10:01:30Z"}, True),
        ({"endTimeAfter": "2026-11-20T10:01:31Z"}, False),
        ({"endTimeBefore": "2026-11-20T10:01:30Z"}, True),
        ({"endTimeBefore": "2026-11-20T10:01:29Z"}, False),
        ({"startDate": "2026-11-20T11:00:00+01:00"}, True),
        ({"startDate": "2026-11-21"}, False),
        ({"endDate": "2026-11-21"}, True),
        ({"endDate": "2026-11-20"}, False),
        ({"minDuration": 90}, True),
        ({"minDuration": 91}, False),
        ({"maxDuration": 90}, True),
        ({"maxDuration": 89}, False),
    ],
)
def test_a_border_is_inside(search, add_call, border, inside):
    id = add_call(**CALL)
    add_call()  # without times and duration, which no limit finds
    assert search(**border) == ({id} if inside else set())


def test_a_call_has_to_pass_all_filters(search, add_call):
    id = add_call(**CALL)
    add_call(**CALL | {"status": "failed"})
    filters = {"status": "completed", "direction": "inbound", "fromNumber": "0101", "searchQuery": "sure"}
    assert search(**filters) == {id}
    assert search(**filters, minDuration=91) == set()


def test_a_duration_below_0_is_refused_by_name(api, path):
    answer = api.get(path, query_string={"minDuration": "-1"})
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, ["minDuration"])
