"""Fixtures for simulated conversations that follow the flow of their deployment."""

from __future__ import annotations

import pytest

FLOW = """\
import requests

say(f"Welcome to {variables['clinic']}.")
loop:
    res = talk("You are the receptionist. Ask what the caller needs.", True)
until "caller wants to book an appointment":
    who = res.ask("Who is calling, and for when?", {"name": "Ada Park", "day": "Monday", "paid": 12.5})
    extract("booking", who)
    loop:
        sure = talk(f"Ask {who['name']} to confirm {who['day']}.", True)
    until "caller confirms the day":
        say("You are booked.")
        print(f"booked for {state['Caller']}")
        end_call()
    until "caller wants another day":
        return "ask for another day"
until "caller asks for a human":
    say("One moment.")
    transfer(variables["desk"])
until "caller wants to cancel the visit":
    extract("summary", "The visit was cancelled.")
    say("It is cancelled.")
until "caller has a complaint about a bill":
    raise ValueError("no department for bills")
say("Goodbye.")
"""
VARIABLES = {"clinic": "Oak Clinic", "desk": "+15035550177"}
BRANCHES = {
    "caller wants to book an appointment",
    "caller confirms the day",
    "caller wants another day",
    "caller asks for a human",
    "caller wants to cancel the visit",
    "caller has a complaint about a bill",
}


@pytest.fixture
def make_line(make_flow, make_voice_deployment):
    """Return a function that creates a voice deployment of a flow with this code."""

    def make(code=FLOW, variables=VARIABLES, **body):
        return make_voice_deployment(make_flow(code=code, variables=variables), **body)

    return make


@pytest.fixture
def line(make_line):
    """Return a line with a flow of six conditions."""
    return make_line()


@pytest.fixture
def simulate(simulate):
    """Simulate conversations of a deployment with the same seed each time, and return their logs."""
    return lambda line, count=20, **options: simulate(line, count, **{"seed": 7} | options)


@pytest.fixture
def refused(control):
    """Request an impossible simulation; return the member that the answer names, and the message."""

    def ask(line, kind="calls", **body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"]} | body
        answer = control.post(f"/simulate/{kind}", body)
        assert answer.status_code == 400, answer.text
        (detail,) = answer.json["details"]
        return detail["path"], detail["message"]

    return ask


@pytest.fixture
def session_of(api):
    """Return a function that reads the engine's session behind a log."""

    def get(log):
        id = log.get("bbEngineSessionId") or log["sessionLogData"]["sessionId"]
        return api.get(f"/workers/{log['workerId']}/sessions/{id}").json

    return get


@pytest.fixture
def steps_of(session_of):
    """Return a function that reads the steps of one kind in the trace behind a log."""
    return lambda log, kind: [step for step in session_of(log)["trace"] if step["step"] == kind]


@pytest.fixture
def taken(steps_of):
    """Return a function that reads the conditions that a conversation took."""
    return lambda log: [step["condition"] for step in steps_of(log, "until")]


def said(log, role="assistant"):
    """Return the texts of the agent, or of the user."""
    return [one["content"] for one in (log["messages"] or {"messages": []})["messages"] if one["role"] == role]
