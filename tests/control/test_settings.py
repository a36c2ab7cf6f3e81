"""Live settings, and the calls that come in by themselves."""

import pytest

from dryline.tests.control.documents import WHEN

START = {"exportMode": "auto", "exportDelayMs": 0, "strict": False, "callsPerMinute": 0}


def test_only_what_is_sent_changes(control):
    assert control.get("/settings").json == START
    answer = control.put("/settings", {"exportMode": "manual"})
    assert (answer.status_code, answer.json) == (200, START | {"exportMode": "manual"})
    assert control.put("/settings", {"exportDelayMs": 250}).json["exportMode"] == "manual"
    assert control.get("/settings").json == START | {"exportMode": "manual", "exportDelayMs": 250}


@pytest.mark.parametrize(
    "body",
    [
        {"exportMode": "sometimes"},
        {"exportDelayMs": -1},
        {"exportDelayMs": "1"},
        {"strict": "yes"},
        {"callsPerMinute": -1},
        {"callsPerMinute": 1e9},
    ],
)
def test_a_setting_that_cannot_be_is_refused_and_none_changes(control, body):
    answer = control.put("/settings", body | {"exportDelayMs": body.get("exportDelayMs", 5)})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, next(iter(body)))
    assert control.get("/settings").json == START


def test_strict_refuses_what_a_body_should_not_have(control, api):
    body = {"label": "VIP", "color": "#ff0000", "shape": "round"}
    control.put("/settings", {"strict": True})
    assert api.post("/team/tags", body).status_code == 400
    control.put("/settings", {"strict": False})
    assert api.post("/team/tags", body).status_code == 201


# Calls by themselves


@pytest.fixture
def line(control, make_voice_deployment):
    """A line on which six calls a minute come in, at a clock that stands still."""
    control.put("/clock", {"now": WHEN, "frozen": True})
    deployment = make_voice_deployment()
    control.put("/settings", {"callsPerMinute": 6})
    return deployment


def ends(control):
    return [log["endTime"] for log in control.get("/state").json["voiceLogs"]]


def test_calls_come_in_as_the_clock_moves(control, line, advance):
    assert ends(control) == []
    advance(30)
    assert sorted(ends(control)) == [f"2026-03-02T10:00:{second}.000Z" for second in (10, 20, 30)]
    advance(9)
    assert len(ends(control)) == 3
    advance(1)
    assert len(ends(control)) == 4
    assert {log["deploymentId"] for log in control.get("/state").json["voiceLogs"]} == {line["id"]}


def test_small_steps_and_one_large_one_place_as_many(control, line, advance):
    for _ in range(12):
        advance(5)
    assert len(ends(control)) == 6


def test_with_a_seed_the_same_calls_come_in(control, line, advance):
    first = []
    for _ in range(2):
        advance(60)
        first.append([(log["status"], log["transcription"]) for log in control.get("/state").json["voiceLogs"]])
        control.post("/reset")
        control.put("/clock", {"now": WHEN, "frozen": True})
        document = {"id": "w", "name": "Front desk"}
        flow = {"id": "f", "workerId": "w", "name": "Main", "code": "x"}
        voice = {"id": "d", "workerId": "w", "flowId": "f", "name": "Line"}
        control.put("/state", {"version": 1, "workers": [document], "flows": [flow], "voiceDeployments": [voice]})
        control.put("/settings", {"callsPerMinute": 6})
    assert len(first[0]) == len(first[1]) == 6


def test_none_come_in_once_it_is_off_nor_for_the_time_before_it_was_on(control, line, advance):
    control.put("/settings", {"callsPerMinute": 0})
    advance(600)
    assert ends(control) == []
    control.put("/settings", {"callsPerMinute": 1})
    advance(0)
    assert ends(control) == []


def test_none_come_in_on_a_line_that_is_not_active_or_where_there_is_none(control, line, advance):
    control.put("/state", {"version": 1})
    advance(60)
    assert ends(control) == []


def test_a_leap_of_a_month_places_no_more_than_it_can_bear(control, line, advance):
    advance(30 * 86_400)
    found = sorted(ends(control))
    assert len(found) == 1000
    assert found[-1] == "2026-04-01T10:00:00.000Z"


def test_a_clock_that_is_set_back_places_none(control, line, advance):
    advance(60)
    control.put("/clock", {"now": "2026-03-01T00:00:00Z"})
    assert len(ends(control)) == 6
    advance(20)
    assert len(ends(control)) == 8
