"""The effects of a deployment's settings, its flow and its business on its calls."""

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


def test_a_scripted_call_is_transferred_to_the_deployments_number(make_flow, make_voice_deployment, simulate):
    line = make_voice_deployment(make_flow(code=FLOW), backupPhoneNumber="+15035550100")
    for log in simulate(line, follow="script", outcome="transferred"):
        assert {event["toNumber"] for event in log["transferData"]["transferEvents"]} == {"+15035550100"}


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
    assert "On Monday we are open from 8:00 AM to 12:00 PM and from 1:00 PM to 6:00 PM" in said
    assert "on Saturday we are closed. We open again on Monday at 8:00 AM" in said
