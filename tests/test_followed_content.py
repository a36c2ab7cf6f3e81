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
def conversations():
    """Simulate conversations of a shipped deployment, and return their logs. Each scenario is loaded once."""
    apps = {}

    def get(scenario, collection, channel, name=None, **body):
        if scenario not in apps:
            apps[scenario] = create_app(Settings(ephemeral=True, scenario=scenario, seed=11))
        client = apps[scenario].test_client()
        control = Api(client, "", prefix="/_dryline")
        state = control.get("/state").json
        deployment = next(row for row in state[collection] if name in (None, row["name"]))
        team = next(row["teamId"] for row in state["workers"] if row["id"] == deployment["workerId"])
        api = Api(client, control.post(f"/teams/{team}/keys", {}).json["key"])
        body |= {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "llmLogs": False, "seed": 5}
        ids = control.post(f"/simulate/{'calls' if channel == 'voice' else 'chats'}?team={team}", body).json["ids"]
        path = f"/workers/{deployment['workerId']}/deploymentLogs/{channel}"
        return [api.get(f"{path}/{id}").json for id in ids]

    yield get
    for app in apps.values():
        app.close()


@pytest.fixture(scope="module", params=LINES, ids=lambda line: line[1])
def line(request, conversations):
    """Return the name of a deployment, and the logs of its calls."""
    scenario, name = request.param
    logs = conversations(scenario, "voiceDeployments", "voice", name, count=120)
    return name, [log for log in logs if log["messages"]]


@pytest.fixture
def followed(line):
    """Return the calls that the flow spoke in: all but those to a voicemail."""
    return [log for log in line[1] if log["status"] != "voicemail"]


def said(log, role="user"):
    return [one["content"] for one in log["messages"]["messages"] if one["role"] == role]


def test_a_success_criterion_agrees_with_the_extraction_of_its_name(followed):
    for log in followed:
        for group in (log["successResults"] or {}).get("criteria", []):
            for item in group["items"]:
                extracted = (log["extractionsData"] or {}).get(item["title"].lower(), item["passed"])
                assert item["passed"] is extracted or log["status"] == "transferred"  # as the caller wanted


def test_a_summary_says_more_than_yes_or_no_and_no_appointment_is_on_tomorrow(followed):
    for log in followed:
        assert not re.search(r" said (yes|no)\.", log["data"]["call_analysis"]["call_summary"])
        assert not re.search(r"\bon (today|tomorrow)\b", " ".join(said(log, "assistant")))


def test_callers_have_many_sentences_of_their_own(line, followed):
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


def test_no_date_is_years_away(followed):
    dates = re.compile(r"\b(20\d\d)-\d\d-\d\d\b|[a-z] \d{1,2},? (20\d\d)\b")
    years = {int(year) for log in followed for match in dates.findall(log["transcription"]) for year in match if year}
    assert years <= set(range(2025, 2029))


def test_booked_means_that_day_and_time_were_said(followed):
    for log in followed:
        data = log["extractionsData"] or {}
        if data.get("booked"):
            assert data["appointment_day"] in log["transcription"] and data["appointment_time"] in log["transcription"]


def test_no_call_is_positive_whose_problem_was_not_solved(followed):
    for log in followed:
        data = log["extractionsData"] or {}
        if False in (data.get("solved"), data.get("resolved")) and "satisfaction" not in data:
            assert log["data"]["call_analysis"]["user_sentiment"] != "Positive"


def test_rating_and_sentiment_agree(followed):
    for log in followed:
        rating = (log["extractionsData"] or {}).get("satisfaction")
        sentiment = log["data"]["call_analysis"]["user_sentiment"]
        if rating is not None:
            assert 1 <= rating <= 10
            assert sentiment != ("Negative" if rating >= 8 else "Positive" if rating < 5 else "")


def test_a_sentence_is_one_that_people_say(followed):
    for log in followed:
        for text in said(log):
            odd = r"^(?:Um|Uh|Well|So|Hm), (?:hi|hello|hey|good morning)\b|^(?:Um|Uh|Well|So|Hm|Hi), (?:Nope|Yes|No)\b"
            odd += r"|\b(?:go for|prefer) (?:check-up|cleaning|vaccination)\b|\. Sure, it's|\bThis is he\b"
            assert not re.search(odd, text), text


def test_nobody_asks_for_a_person_by_their_own_name(followed):
    for log in followed:
        name = (log["extractionsData"] or {}).get("customer_name")
        assert not name or not re.search(rf"(?:speak|talk) (?:to|with) {re.escape(name)}\?", " ".join(said(log)))


@pytest.mark.parametrize(
    ("scenario", "collection", "channel"),
    [("demo", "chatDeployments", "chat"), ("clinic", "chatEmbedDeployments", "chat-embed")],
)
def test_a_chat_greets_once(conversations, scenario, collection, channel):
    for log in conversations(scenario, collection, channel, count=15):
        roles = [one["role"] for one in log["messages"]["messages"]]
        assert roles[:2] == ["assistant", "user"], log["messages"]
