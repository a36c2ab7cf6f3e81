"""Voice logs: one by one, and which of them a list shows."""

import orjson
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
def worker(make_worker):
    return make_worker()


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


# One log


def test_a_log_shows_its_28_members_null_where_empty(api, path, add_call):
    log = api.get(f"{path}/{add_call(status='completed')}").json
    assert len(log) == 28
    assert (log["type"], log["status"]) == ("VoiceDeploymentLog", "completed")
    assert log["transferData"] is log["messages"] is log["Telephony_source"] is log["call_sid"] is None


def test_a_log_shows_what_was_kept(api, path, add_call):
    log = api.get(f"{path}/{add_call(**CALL)}").json
    assert (log["startTime"], log["duration"], log["Telephony_source"]) == (CALL["start_time"], 90, "twilio")
    assert (log["call_sid"], log["messages"], log["data"]) == ("CA1", CALL["messages"], CALL["data"])


ODD = 'say "hé" \\ \0\b\x1f\x7f\u2028\r\n\t%s</script> 🦎'
TEXTS = {
    "deploymentId": "deployment_id",
    "flowId": "flow_id",
    "bbEngineSessionId": "bb_engine_session_id",
    "externalCallId": "external_call_id",
    "direction": "direction",
    "fromNumber": "from_number",
    "toNumber": "to_number",
    "transcription": "transcription",
    "recordingUrl": "recording_url",
    "Telephony_source": "telephony_source",
    "status": "status",
    "call_sid": "call_sid",
}


@pytest.mark.parametrize("odd", [ODD, *ODD[4:], "", "null", "\\", "\x1e"], ids=repr)
def test_any_text_is_shown_as_it_is(api, path, add_call, odd):
    beside = add_call(**CALL), add_call()
    id = add_call(id=f"log {odd}", **dict.fromkeys(TEXTS.values(), odd))
    answer = api.get(path, query_string={"sortBy": "createdAt"})
    logs = {log["id"]: log for log in answer.json["data"]}
    assert {wire: logs[id][wire] for wire in TEXTS} == dict.fromkeys(TEXTS, odd)
    assert set(logs) == {id, *beside}
    assert logs[beside[0]]["transcription"] == CALL["transcription"]
    assert logs[beside[1]] == api.get(f"{path}/{beside[1]}").json
    assert answer.data == orjson.dumps(answer.json)


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("wire", TEXTS)
def test_an_odd_text_alone_is_shown_as_it_is(api, path, add_call, wire, at):
    add_call(**CALL | {TEXTS[wire]: ODD})
    for _ in range(at):
        add_call(**CALL)
    for fields in ("", wire):
        answer = api.get(path, query_string={"fields": fields})
        assert answer.json["data"][at][wire] == ODD
        assert answer.data == orjson.dumps(answer.json)


def test_only_the_named_members_come_and_the_id(api, path, add_call):
    id = add_call(**CALL)
    log = api.get(f"{path}/{id}", query_string={"fields": "startTime, Telephony_source,call_sid"}).json
    assert log == {"id": id, "startTime": CALL["start_time"], "Telephony_source": "twilio", "call_sid": "CA1"}


def test_empty_fields_mean_all_members(api, path, add_call):
    assert len(api.get(f"{path}/{add_call()}?fields=").json) == 28


@pytest.mark.parametrize("name", ["twilioBody", "start_time", "telephony_source", "foo"])
def test_an_unknown_name_in_fields_is_refused_and_named(api, path, add_call, name):
    for url in (path, f"{path}/{add_call()}"):
        answer = api.get(url, query_string={"fields": f"id,{name}"})
        assert answer.status_code == 400
        assert answer.json["details"][0]["path"] == "fields"
        assert name in answer.json["error"]


# Filters


@pytest.mark.parametrize(
    ("name", "member", "value"),
    [
        ("deploymentId", "deployment_id", "deploy_1"),
        ("flowId", "flow_id", "flow_1"),
        ("direction", "direction", "inbound"),
        ("status", "status", "completed"),
        ("externalCallId", "external_call_id", "ext-1"),
        ("callSid", "call_sid", "CA1"),
    ],
)
def test_an_exact_filter_finds_its_value_alone(search, add_call, name, member, value):
    id = add_call(**CALL)
    add_call(**CALL | {member: value + "2"})
    add_call()
    assert search(**{name: value}) == {id}


@pytest.mark.parametrize("part", ["5550101", "+1415", "+14155550101"])
def test_a_number_is_found_by_any_part_of_it(search, add_call, part):
    id = add_call(**CALL)
    add_call(from_number="+4930123", to_number="+4930124")
    add_call()
    assert search(fromNumber=part) == {id}


def test_each_number_has_its_own_filter(search, add_call):
    id = add_call(**CALL)
    assert search(toNumber="5550100") == {id}
    assert search(toNumber="5550101") == set()


@pytest.mark.parametrize("text", ["grüezi", "GRÜEZI", "100%", "sure_thing", "USER: 100% S"])
def test_text_is_found_in_the_transcription_whatever_its_case(search, add_call, text):
    id = add_call(**CALL)
    add_call(transcription="Agent: Gruezi\nUser: 100 surely thing")
    add_call()
    assert search(searchQuery=text) == {id}


def test_signs_of_sqls_patterns_are_plain_text(search, add_call):
    add_call(transcription="nothing special")
    assert search(searchQuery="%") == search(searchQuery="_") == search(searchQuery="n*g") == set()
    assert search(fromNumber="%") == set()


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
    add_call()  # without times and duration: never found by them
    assert search(**border) == ({id} if inside else set())


def test_filters_are_all_asked_for(search, add_call):
    id = add_call(**CALL)
    add_call(**CALL | {"status": "failed"})
    filters = {"status": "completed", "direction": "inbound", "fromNumber": "0101", "searchQuery": "sure"}
    assert search(**filters) == {id}
    assert search(**filters, minDuration=91) == set()


@pytest.mark.parametrize(
    "query",
    [
        {"direction": "sideways"},
        {"startTimeAfter": "yesterday"},
        {"minDuration": "-1"},
        {"maxDuration": "long"},
        {"page": "0"},
        {"limit": "0"},
        {"limit": "101"},
        {"limit": "ten"},
        {"sortBy": "duration"},
        {"sortOrder": "up"},
    ],
)
def test_a_bad_parameter_is_refused_and_named(api, path, query):
    answer = api.get(path, query_string=query)
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == list(query)
    assert api.get(path, query_string=query).data == answer.data


def test_a_query_that_comes_again_is_answered_by_what_is_there_then(search, add_call):
    first = add_call(**CALL)
    assert search(status="completed", minDuration="90") == {first}
    second = add_call(**CALL)
    assert search(status="completed", minDuration="90") == {first, second}
