"""The effects of a deployment's settings, its flow and its business on its calls."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

FLOW = """\
say("Welcome.")
loop:
    res = talk("Help the caller.", True)
until "caller asks for a person":
    transfer("+15035550177")
"""
WEEK = {"monday": "08:00-12:00,13:00-18:00", "friday": "10:00-15:00", "saturday": "closed"}


def agent(log):
    return [said["content"] for said in log["messages"]["messages"] if said["role"] == "assistant"]


# The deployment's settings


@pytest.fixture
def old_line(make_voicev1_deployment):
    return make_voicev1_deployment(startSentence="Hola, habla Clara de {Acme}.", endSentence="Gracias y adiós.")


def test_a_start_sentence_is_the_first_that_the_agent_says(old_line, simulate):
    for log in simulate(old_line, direction="inbound", outcome="completed"):
        assert agent(log)[0] == "Hola, habla Clara de {Acme}."
    for log in simulate(old_line, direction="outbound", outcome="completed"):
        assert agent(log)[0].startswith("Hola, habla Clara de {Acme}. ")


def test_an_end_sentence_is_the_last_of_a_call_that_the_agent_ends(old_line, simulate):
    for log in simulate(old_line, outcome="completed"):
        ended = log["data"]["disconnection_reason"] == "agent_hangup"
        assert (log["messages"]["messages"][-1]["content"] == "Gracias y adiós.") is ended


def test_no_call_is_longer_than_the_longest(make_voice_deployment, simulate):
    line = make_voice_deployment(externalConfig={"maxCallDurationMs": 25_500})
    logs = simulate(line, 40, outcome="completed")
    for log in logs:
        assert log["duration"] <= 25
        assert log["duration"] == 25 or log["data"]["disconnection_reason"] != "max_duration"
        assert log["data"]["latency"]["num"] == len(agent(log)) - (log["messages"]["messages"][0]["role"] != "user")
    cut = [log for log in logs if log["data"]["disconnection_reason"] == "max_duration"]
    assert len(cut) > 20
    unfinished = [log for log in cut if not log["data"]["call_analysis"]["call_successful"]]
    assert unfinished
    for log in unfinished:
        assert log["data"]["call_analysis"]["call_summary"].endswith("longest duration.")


# Scripts, which do not run the flow: tests/simulator has the calls that follow one.


@pytest.fixture
def scripted(make_flow, make_voice_deployment, simulate):
    """Simulate scripted calls of a line with a flow and a backup number, and return the line and their logs."""

    def scripted(count=20, **body):
        line = make_voice_deployment(make_flow(code=FLOW), backupPhoneNumber="+15035550100")
        return line, simulate(line, count, follow="script", **body)

    return scripted


def test_a_scripted_call_is_transferred_to_the_deployments_number(scripted):
    _, logs = scripted(outcome="transferred")
    for log in logs:
        assert {event["toNumber"] for event in log["transferData"]["transferEvents"]} == {"+15035550100"}


def test_a_scripted_call_fails_at_a_talk_of_the_flow(scripted, api):
    line, _ = scripted(outcome="failed", direction="inbound")
    errors = api.get(f"/workers/{line['workerId']}/runtime-errors").json
    assert {(error["type"], error["functionName"], error["lineNumber"]) for error in errors} == {
        ("LlmConnectionError", "talk", 3)
    }
    assert all(FLOW.splitlines()[2].strip() in error["traceback"] for error in errors)


# The business


@pytest.fixture
def clinic(make_worker, make_flow, make_voice_deployment, api):
    """Return the line of a clinic with business hours of its own."""
    line = make_voice_deployment(make_flow(make_worker(name="Bayside Dental")["id"]))
    hours = api.post("/workers/business-hours", {"hours": WEEK, "timezone": "America/Los_Angeles"}).json
    tie = {"hoursId": hours["id"], "phoneNumber": line["phoneNumber"], "teamId": api.get("/team").json["id"]}
    assert api.post("/workers/team-phone-hours", tie).status_code == 201
    return line


def test_the_agent_knows_the_business_hours(clinic, simulate):
    said = " ".join(" ".join(agent(log)) for log in simulate(clinic, 160, direction="inbound", outcome="completed"))
    sentences = set(re.findall(r"(On \w+ we are open [^.]*|on \w+ we are closed\. We open again on [^.]*)", said))
    assert "On Monday we are open from 8:00 AM to 12:00 PM and from 1:00 PM to 6:00 PM" in sentences
    assert "On Friday we are open from 10:00 AM to 3:00 PM" in sentences
    assert "on Saturday we are closed. We open again on Monday at 8:00 AM" in sentences
    assert len({text for text in sentences if "Friday" in text.split(". ")[0]}) == 1


def test_appointments_are_within_the_business_hours(clinic, simulate):
    openings = {"Monday": [(8, 12), (13, 18)], "Friday": [(10, 15)]}
    for log in simulate(clinic, 80, outcome="completed"):
        for day, clock in re.findall(r"(\w+day)(?: at|,) (\d+:\d\d [AP]M)", log["transcription"]):
            at = datetime.strptime(clock, "%I:%M %p")
            assert any(start <= at.hour + at.minute / 60 < end for start, end in openings[day])


def test_calls_come_in_by_day_where_the_business_is(clinic, simulate, control):
    control.put("/clock", {"now": "2026-05-20T05:00:00.000Z", "frozen": True})
    hours = [
        datetime.fromisoformat(log["startTime"]).astimezone(ZoneInfo("America/Los_Angeles")).hour
        for log in simulate(clinic, 100)
    ]
    assert sum(7 <= hour < 20 for hour in hours) > 85
