"""Calls of the shipped deployments, as somebody judges them who reads 120 of each."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.conftest import Api

LINES = [
    ("demo", "Front desk line"),
    ("demo", "Appointment reminders"),
    ("demo", "Customer care line"),
    ("demo", "Billing line"),
    ("demo", "Support line"),
    ("demo", "Help desk"),
    ("clinic", "Reception line"),
    ("campaign", "Winter checks"),
]
OUTBOUND = ("Appointment reminders", "Winter checks")
NAMES = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b|\d[\d:.-]*")


@pytest.fixture(scope="module")
def start():
    """Start a server with a scenario, once for all deployments of it."""
    apps = {}

    def start(scenario):
        if scenario not in apps:
            apps[scenario] = create_app(Settings(ephemeral=True, scenario=scenario, seed=11))
        return apps[scenario].test_client()

    yield start
    for app in apps.values():
        app.close()


@pytest.fixture(scope="module", params=LINES, ids=lambda line: line[1])
def line(request, start):
    """Return the name of a deployment, and the logs of its calls in which something was said."""
    scenario, name = request.param
    control = Api(start(scenario), "", prefix="/_dryline")
    (deployment,) = (row for row in control.get("/state").json["voiceDeployments"] if row["name"] == name)
    body = {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "count": 120, "llmLogs": False}
    ids = control.post("/simulate/calls", body | {"seed": 5}).json["ids"]
    logs = [log for log in control.get("/state").json["voiceLogs"] if log["id"] in ids]
    return name, [log for log in logs if log["messages"]]


@pytest.fixture
def followed(line):
    """Return the calls that the flow spoke in: all but those to a voicemail."""
    return [log for log in line[1] if log["status"] != "voicemail"]


def said(log, role="user"):
    return [one["content"] for one in log["messages"]["messages"] if one["role"] == role]


def test_callers_have_many_sentences_of_their_own(followed):
    sentences = {NAMES.sub("…", text) for log in followed for text in said(log)}
    assert len(sentences) >= 80


def test_most_calls_are_of_one_to_four_minutes_unless_somebody_is_in_a_hurry(line, followed):
    if line[0] in OUTBOUND:
        return
    talks = [log["messages"]["messages"] for log in followed if log["status"] == "completed"]
    assert sum(45 <= talk[-1]["end"] <= 240 for talk in talks) > 0.5 * len(talks)
    assert all(talk[-1]["end"] < 300 and len(talk) < 45 for talk in talks)
    assert sum(8 <= len(talk) <= 20 for talk in talks) > 0.5 * len(talks)


def test_no_opening_is_in_more_than_a_sixth_of_the_calls(followed):
    openings = Counter(NAMES.sub("…", said(log)[0]) for log in followed if said(log))
    assert openings.most_common(1)[0][1] <= len(followed) / 6


def test_no_caller_says_a_sentence_twice(followed):
    for log in followed:
        assert len(said(log)) == len(set(said(log))), said(log)


def test_no_caller_recites_a_condition_and_nothing_empty_is_spoken(followed):
    for log in followed:
        for text in said(log):
            assert not re.search(r"\bThe \w+\? \w+|\b(?:the )?(?:caller|contact|user)\b", text), text
        for text in said(log) + said(log, "assistant"):
            assert not re.search(r"\bNone\b(?! of)|\{|\}|  |\bon  at\b| ,|Hello ,", text), text
