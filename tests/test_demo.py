"""The demo scenario of a new server: its rows agree, at any hour of any day at which it is started."""

import re
from datetime import datetime, timedelta

import orjson
import pytest

from dryline.flow.engine import Engine
from dryline.flow.sessions.checkpoints import conditions_in
from dryline.models.voice_logs import OUTCOMES
from dryline.settings import Settings
from dryline.tools import demo_content, making
from dryline.world.clock import parse

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
BUSINESSES = {one.name: one for one in (*demo_content.BUSINESSES, demo_content.QUAYSIDE)}


@pytest.fixture(scope="module")
def engine():
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def document():
    return orjson.loads(making.path("demo").read_bytes())


# Loaded, as a new server shows it


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo")


@pytest.fixture
def workers(api):
    return api.get("/workers").json


@pytest.fixture
def calls(api, workers):
    """Return all voice logs of the start team."""

    def of(worker):
        pages = (f"/workers/{worker['id']}/deploymentLogs/voice?limit=100&page={page}" for page in (1, 2))
        return [log for page in pages for log in api.get(page).json["data"]]

    return [log for worker in workers for log in of(worker)]


def test_each_of_four_workers_has_tags_and_flows_with_code_and_versions(workers, api):
    counts = []
    for worker in workers:
        assert worker["tags"]
        for flow in api.get(f"/workers/{worker['id']}/flows").json:
            versions = api.get(f"/workers/{worker['id']}/flows/{flow['id']}/versions").json["data"]
            assert versions[0]["code"] == flow["code"]
            counts.append(len(versions))
    assert (len(workers), len(counts)) == (4, 5) and max(counts) >= 3


def test_numbers_belong_to_the_integration_and_to_deployments(workers, api):
    (integration,) = api.get("/team/integrations").json
    numbers = api.get(f"/team/assets/phone_numbers?integrationId={integration['id']}").json
    lines = [line for worker in workers for line in api.get(f"/workers/{worker['id']}/deployments/voice").json]
    assert {number["phoneNumber"] for number in numbers} == {line["phoneNumber"] for line in lines}


def test_there_are_some_two_hundred_calls_of_the_last_five_weeks_with_every_outcome(calls, control):
    assert 170 <= len(calls) <= 260
    now = parse(control.get("/clock").json["now"])
    for log in calls:
        assert now - 5 * WEEK - DAY <= parse(log["startTime"]) <= parse(log["endTime"]) <= now
    assert {log["status"] for log in calls} == set(OUTCOMES)


def test_there_are_chats_and_messages_of_every_kind(workers, api):
    for path in ("chat", "chat-embed", "sms", "whatsapp"):
        answers = [api.get(f"/workers/{worker['id']}/deploymentLogs/{path}").json for worker in workers]
        logs = [log for answer in answers for log in (answer if isinstance(answer, list) else answer["data"])]
        assert len(logs) >= 5, path


def test_hours_and_echo_are_set_up(api):
    (suite,) = api.get("/echo/suites").json
    (scorecard,) = api.get("/echo/scorecards").json
    assert suite["echoScorecardIds"] == [scorecard["id"]]
    assert all(hours["teamPhoneHours"] for hours in api.get("/workers/business-hours?includeTeamPhoneHours=true").json)


def test_a_campaign_that_waits_can_be_started(api, advance, workers):
    clinic = next(worker for worker in workers if worker["name"] == demo_content.BAYSIDE.name)
    lines = api.get(f"/workers/{clinic['id']}/deployments/voice").json
    line = next(line for line in lines if line["name"] == "Appointment reminders")
    path = f"/workers/{clinic['id']}/deployments/voice/{line['id']}/outbound-campaigns"
    waiting = next(campaign for campaign in api.get(path).json if campaign["status"] == "CREATED")
    assert api.patch(f"{path}/{waiting['id']}", {"status": "STARTED"}).status_code == 200
    advance(3600)
    assert api.get(f"{path}/{waiting['id']}").json["status"] == "COMPLETED"


# Loaded at any hour of any day


@pytest.fixture
def loaded(control, document):
    """Return a function that loads the document at a moment and returns the state."""

    def load(moment):
        control.put("/clock", {"now": moment.isoformat(), "frozen": True})
        assert control.put("/state", document).status_code == 204
        return control.get("/state").json

    return load


# At different hours of a week far from the document's own.
MOMENTS = [datetime.fromisoformat(text) for text in ("2031-03-03T00:30:00+00:00", "2031-03-06T15:30:00+00:00")]


@pytest.mark.parametrize("now", MOMENTS, ids=lambda now: f"{now:%A-%H}")
def test_the_calls_of_the_last_week_can_be_traced_to_the_end(loaded, now):
    state = loaded(now)
    sessions = {row["id"]: row for row in state["sessions"]}
    traced = {row["callId"] for row in state["llmLogs"]}
    calls = {row["call_sid"] for row in state["voiceLogs"]}
    assert traced <= calls
    for log in state["voiceLogs"]:
        if now - parse(log["startTime"]) < WEEK:
            assert log["flowSnapshot"] and log["sessionLogData"]
            assert sessions[log["bbEngineSessionId"]]["trace"]
            assert log["call_sid"] in traced or log["data"]["latency"]["num"] == 0


# The rows of the document agree


def by_business(document, collection="voiceLogs"):
    names = {worker["id"]: worker["name"] for worker in document["workers"]}
    for row in document[collection]:
        yield BUSINESSES[names[row["workerId"]]], row


def test_a_business_has_one_address_and_keeps_its_hours(document):
    said = 0
    for business, log in by_business(document):
        text = log.get("transcription") or ""
        for address in re.findall(r"(?:We're at|We are at|shop is at) (.*?)(?:, open|\.)", text):
            assert address == business.program.variables["address"]
            said += 1
        for day in re.findall(r"on (\w+) we are closed", text):
            assert business.hours[day.lower()] == "closed"
            said += 1
    assert said > 5


def test_the_last_condition_of_a_recent_call_is_one_of_its_program(document, engine):
    for log in document["voiceLogs"]:
        if log.get("flowSnapshot") and log["sessionLogData"]["until"]:
            until = log["sessionLogData"]["until"]
            (condition,) = conditions_in(engine.program(log["flowSnapshot"]), until)
            assert condition.text == until or not condition.fixed


def test_the_clinics_test_fails_only_before_its_last_version(document):
    results = [run["results"] for run in sorted(document["testRuns"], key=lambda run: run["createdAt"])]
    moved = [next(result for result in of if result["name"] == "Move") for of in results]
    assert [result["failed"] > 0 for result in moved] == [False, True, False]
    assert "TypeError" in moved[1]["explanation"]


def test_a_second_team_has_a_world_of_its_own(document):
    first, second = (team["id"] for team in document["teams"])
    assert {row["teamId"] for row in document["workers"]} == {first, second}
    assert document["teams"][1]["apiKeys"] == []


def test_there_is_history_of_every_kind(document):
    assert {row["status"] for row in document["outboundCampaigns"]} == {"COMPLETED", "CREATED"}
    assert {row["status"] for row in document["testRuns"]} <= {"PASSED", "FAILED"}
    assert {row["status"] for row in document["webhookDeliveries"]} == {"DELIVERED", "FAILED"}
    for name in ("testRuns", "echoRuns", "customVoices", "deploymentParameters", "customWebhooks", "whatsappSenders"):
        assert document[name], name
    assert document["runtimeErrors"] and "ConnectionPool" not in str(document["runtimeErrors"])


# The file


def test_a_null_that_the_file_leaves_out_is_a_null_again(loaded, document):
    """Loaded when all of it has happened, each row of the document is what it was before nulls were left out."""
    state = loaded(making.AS_OF + WEEK - timedelta(seconds=1))
    for name in ("voiceLogs", "sessions", "llmLogs", "webhookDeliveries"):
        rows = {row["id"]: row for row in document[name]}
        for row in state[name]:
            assert {key: value for key, value in row.items() if value is not None} == rows[row["id"]]
