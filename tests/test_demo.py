"""The demo scenario of a new server: its rows agree, at any hour of any day at which it is started."""

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
