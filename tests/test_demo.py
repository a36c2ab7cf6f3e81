"""The demo scenario of a new server: its rows agree, at any hour of any day at which it is started."""

import re
from datetime import timedelta

import orjson
import pytest

from dryline.models.voice_logs import OUTCOMES
from dryline.settings import Settings
from dryline.tools import demo_content, making
from dryline.world.clock import parse, wire

DAY, WEEK = timedelta(days=1), timedelta(weeks=1)


@pytest.fixture(scope="module")
def document():
    return orjson.loads(making.path("demo").read_bytes())


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
        pages = (f"/workers/{worker['id']}/deploymentLogs/voice?limit=100&page={page}" for page in range(1, 5))
        return [log for page in pages for log in api.get(page).json["data"]]

    return [log for worker in workers for log in of(worker)]


def test_there_are_some_six_hundred_calls_of_the_last_weeks_with_every_outcome(calls, control):
    assert 520 <= len(calls) <= 700
    now = parse(control.get("/clock").json["now"])
    for log in calls:
        assert now - 6 * WEEK <= parse(log["startTime"]) <= parse(log["endTime"]) <= now
    assert {log["status"] for log in calls} == set(OUTCOMES)


def test_calls_rise_on_every_weekday_and_by_about_a_fifth(document):
    starts = [parse(log["startTime"]) for log in document["voiceLogs"]]
    rises = []
    for day in range(7):
        now = making.AS_OF + day * DAY + timedelta(hours=2.5 * day)
        weeks = (sum(now - (n + 1) * WEEK < start <= now - n * WEEK for start in starts) for n in (0, 1))
        rises.append(next(weeks) / next(weeks))
    assert min(rises) > 1 and 1.1 <= sum(rises) / 7 <= 1.3, rises


def test_most_calls_of_one_line_fail_since_a_tuesday_by_one_error(document):
    support = next(row["id"] for row in document["workers"] if row["name"] == demo_content.TIDEWATER.name)
    version = max(row["createdAt"] for row in document["flowVersions"] if "technicians" in row["code"])
    assert f"{parse(version):%A}" == "Tuesday"
    starts = [log["startTime"] for log in document["voiceLogs"] if log["workerId"] == support]
    named = [error for error in document["runtimeErrors"] if error["error"] == "'technicians'"]
    since = [error["createdAt"] for error in named if error["createdAt"] < wire(making.AS_OF)]
    assert len(since) >= 5 and min(since) > version
    assert len(named) > sum(start > version for start in starts) / 2
    others = [error for error in document["runtimeErrors"] if error["createdAt"] > version and error not in named]
    assert len(others) <= len(named) / 2


def test_summaries_are_those_of_the_flows(calls):
    summaries = {log["data"]["call_analysis"]["call_summary"] or "" for log in calls}
    assert not any("condition" in summary or "Noted" in summary for summary in summaries)
    moved = re.compile(r"\w+ \w+ moved the [a-z-]+ to \w+day, \w+ \d+, [\d:]+ [AP]M\.")
    assert any(moved.match(summary) for summary in summaries)


def test_callers_begin_in_many_ways_and_are_understood(document):
    transcripts = [log.get("transcription") or "" for log in document["voiceLogs"]]
    conversations = [re.findall(r"^(Agent|User): (.*)$", text, re.MULTILINE) for text in transcripts]
    first = {next((text for who, text in lines if who == "User"), "") for lines in conversations}
    assert len(first) >= 350
    said = " ".join(text for lines in conversations for who, text in lines if who == "Agent")
    assert "didn't get that" not in said and "not sure that I understood" not in said


def test_the_version_before_mends_the_line_that_fails(api, control, workers):
    worker = next(each for each in workers if each["name"] == demo_content.TIDEWATER.name)
    (line,) = api.get(f"/workers/{worker['id']}/deployments/voice").json
    versions = api.get(f"/workers/{worker['id']}/flows/{line['flowId']}/versions").json["data"]
    call = {"workerId": worker["id"], "deploymentId": line["id"], "count": 6, "outcome": "transferred", "seed": 5}
    made = control.post("/simulate/calls", call).json
    assert "KeyError" in str(made) or {api.get(f"/logs/{id}").json["status"] for id in made["ids"]} == {"failed"}
    api.patch(f"/workers/{worker['id']}/flows/{line['flowId']}", {"code": versions[1]["code"]})
    made = control.post("/simulate/calls", call).json
    assert {api.get(f"/logs/{id}").json["status"] for id in made["ids"]} == {"transferred"}
