"""The demo scenario of a new server: its rows agree, at any hour of any day at which it is started."""

from datetime import timedelta

import pytest

from dryline.models.voice_logs import OUTCOMES
from dryline.settings import Settings
from dryline.world.clock import parse


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo")


def test_there_are_some_six_hundred_calls_of_the_last_weeks_with_every_outcome(control):
    calls, now = control.get("/state").json["voiceLogs"], parse(control.get("/clock").json["now"])
    assert 520 <= len(calls) <= 700
    for log in calls:
        assert now - timedelta(weeks=6) <= parse(log["startTime"]) <= parse(log["endTime"]) <= now
    assert {log["status"] for log in calls} == set(OUTCOMES)
