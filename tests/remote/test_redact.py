"""Redaction goes by what a value is. What tells of a person is gone, what tells the world's shape stays."""

import json

import pytest

from dryline.commands.remote.redact import REDACTED, Redactor

UUID = "10000000-0116-47d6-aeee-5edaccfccea6"


@pytest.fixture
def redactor():
    return Redactor(b"secret")


@pytest.fixture
def of_log(redactor):
    """Return a voice log's member, redacted."""
    return lambda name, value: redactor.redacted_row("voiceLogs", {"id": "log_1", name: value})[name]


@pytest.fixture
def of_flow(redactor):
    """Return a flow's member, redacted."""
    return lambda name, value: redactor.redacted_row("flows", {"id": "flow_1", name: value})[name]


def test_no_number_and_no_word_of_a_call_is_left(source, command, loads):
    plain = source.state()
    masked = command.pulled(source, "--redact")
    text = json.dumps(masked)
    for row in plain["voiceLogs"]:
        assert row["transcription"] is None or row["transcription"] not in text
        turns = (row["messages"] or {"messages": []})["messages"]
        said = {turn["content"] for turn in turns if turn["role"] == "user" and len(turn["content"]) > 20}
        assert not any(sentence in text for sentence in said)
        assert all(name not in text for name in [(row["extractionsData"] or {}).get("customer_name")] if name)
        assert row["fromNumber"] not in text
    for row in plain["chatLogs"]:
        assert row["userName"] not in text
        assert row["userEmail"] not in text
    loads(masked)


MEMBERS = ("extractionsData", "metadata", "data", "messages", "sessionLogData", "successResults", "transferData")
NAMES = ("name", "id", "status", "type", "role", "note")


@pytest.mark.parametrize(
    "value",
    [
        *("Gloria Hanson", "SSN 123-45-6789", "123-45-6789", "2025550199", "(202) 555-0123", "gloria@example.com"),
        *(12025550101, 123456789, 12025550101.0, 19850302, "1 Main Street", "1985-03-02"),
    ],
    ids=repr,
)
def test_personal_data_is_masked_under_any_name(redactor, value):
    row = {member: {"list": [dict.fromkeys(NAMES, value)]} for member in MEMBERS}
    redacted = json.dumps(redactor.redacted_row("voiceLogs", {"id": "log_1", **row}))
    assert str(value) not in redacted and "null" not in redacted


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("data", {"latency": {"values": [848, 1211], "p50": 848.5}, "in_voicemail": False}),
        ("messages", {"messages": [{"role": "assistant", "start": 1.59, "end": 5.88}]}),
        ("transferData", {"id": f"transfer_{UUID}", "createdAt": "2026-11-19T02:32:54.442Z", "duration": "274"}),
        ("metadata", {"campaignId": f"campaign_{UUID}", "simulated": True, "nothing": None}),
        ("externalCallId", "CA48f04223b8664e0e0895d84c843fe41a"),
        ("bbEngineSessionId", f"session_{UUID}"),
        ("startTime", "2026-11-19T02:32:08.442Z"),
        ("status", "no-answer"),
        ("direction", "inbound"),
        ("Telephony_source", "twilio"),
        ("workerId", "gloria hanson, +1 202 555 0101"),  # a link, whatever it looks like
        ("duration", 320),
        ("extractionsData", {"resolved": False}),
        ("transcription", None),
    ],
)
def test_impersonal_data_stays(of_log, member, value):
    assert of_log(member, value) == value


# A team's own rows


def test_a_flow_keeps_its_code_but_for_what_is_personal(of_flow):
    code = 'call("(202) 555-0123", gloria@example.com)  # 123-45-6789, timeout_ms = 86400000'
    redacted = of_flow("code", code)
    assert redacted.startswith('call("+1555')
    assert redacted.endswith(f"@example.invalid)  # {REDACTED}, timeout_ms = 86400000")


@pytest.mark.parametrize("text", [f"worker_{UUID}", "flow_20255501-9912-4a12-8a12-202555019912", "2026-11-21 17:52:41"])
def test_ids_and_times_are_no_numbers(of_flow, text):
    assert of_flow("label", f"see {text}, please") == f"see {text}, please"


@pytest.mark.parametrize("name", ["callerName", "twilioSubaccountAuthToken"])
def test_names_and_secrets_of_the_team_go(redactor, name):
    assert redactor.redacted_row("teams", {"id": "t", name: "Gloria Hanson"})[name] == REDACTED


# Numbers


@pytest.mark.parametrize(
    "notation",
    [
        *("+1 202 555 0101", "(202) 555-0101", "2025550101", "1-202-555-0101", "202.555.0101", "001 202 555 0101"),
        *("tel:+12025550101", "12025550101", "+1 (202) 555-0101"),
    ],
)
def test_a_number_has_one_replacement_in_every_notation(redactor, notation):
    rows = {"fromNumber": notation, "metadata": {"text": notation, "number": 12025550101}}
    masked = redactor.redacted_row("voiceLogs", rows)
    written = redactor.redacted_row("flows", {"code": f"say('{notation}')"})["code"].replace("tel:", "")
    number = masked["fromNumber"]
    assert number == redactor.redacted_row("phoneNumbers", {"phoneNumber": "+12025550101"})["phoneNumber"]
    assert masked["metadata"] == {"text": number, "number": int(number[1:])}
    assert written == f"say('{number}')"


def test_two_numbers_get_two_replacements_which_need_the_key(redactor):
    numbers = {
        redactor.redacted_row("phoneNumbers", {"phoneNumber": f"+1202555010{last}"})["phoneNumber"] for last in range(9)
    }
    other = Redactor(b"another").redacted_row("phoneNumbers", {"phoneNumber": "+12025550101"})["phoneNumber"]
    assert len(numbers | {other}) == 10


@pytest.mark.parametrize("text", ["a" * 200_000 + "1234567@", "+1 (" * 20_000 + "1234567", "1" * 100_000])
def test_long_texts_are_read_but_once(of_flow, text):
    of_flow("code", text)
