"""Live settings, and the calls that come in by themselves."""

import pytest

from dryline.tests.control.documents import WHEN

EXPORTS = {
    "exportMode": "auto",
    "exportDelayMs": 0,
    "exportOutcome": "COMPLETED",
    "exportError": "The export failed.",
}
START = {**EXPORTS, "strict": False, "callsPerMinute": 0}


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
        {"exportOutcome": "EXPIRED"},
        {"exportError": ""},
        {"exportError": "x" * 1_001},
        {"strict": "yes"},
        {"callsPerMinute": -1},
        {"callsPerMinute": 1e9},
        {"callsPerMinute": 0.0009},
        {"callsPerMinute": 1e-12},
        {"callsPerMinute": 5e-324},
    ],
)
def test_a_setting_that_cannot_be_is_refused_and_none_changes(control, body):
    answer = control.put("/settings", body | {"exportDelayMs": body.get("exportDelayMs", 5)})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, next(iter(body)))
    assert control.get("/settings").json == START


@pytest.mark.parametrize("rate", [0, 0.001, 600])
def test_the_clock_moves_at_each_rate_of_calls_that_is_taken(control, make_voice_deployment, advance, rate):
    make_voice_deployment()
    control.put("/clock", {"now": WHEN, "frozen": True})
    assert control.put("/settings", {"callsPerMinute": rate}).json["callsPerMinute"] == rate
    advance(60)
    control.put("/clock", {"now": "9999-01-01T00:00:00Z"})
    assert control.get("/clock").json["now"].startswith("9999")


# Calls by themselves


@pytest.fixture
def line(control, make_voice_deployment):
    """Return a deployment with six live calls a minute, at a frozen clock."""
    control.put("/clock", {"now": WHEN, "frozen": True})
    deployment = make_voice_deployment()
    control.put("/settings", {"callsPerMinute": 6})
    return deployment


def test_no_call_comes_in_without_a_line(api, control, line, advance, caplog):
    assert api.delete(f"/workers/{line['workerId']}/deployments/voice/{line['id']}").status_code == 204
    advance(600)
    assert starts(control) == []
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def starts(control):
    return sorted(log["startTime"] for log in control.get("/state").json["voiceLogs"])


def test_with_a_seed_the_same_calls_come_in_in_small_steps_and_in_one_large_one(control, line, advance):
    control.put("/settings", {"callsPerMinute": 0})
    control.post("/snapshots", {"name": "start"})
    moments = []
    for steps in (1, 12):
        control.put("/settings", {"callsPerMinute": 6})
        for _ in range(steps):
            advance(60 / steps)
        control.put("/settings", {"callsPerMinute": 0})
        advance(900)
        logs = control.get("/state").json["voiceLogs"]
        moments.append(sorted((log["startTime"], log["status"], log["transcription"] or "") for log in logs))
        control.post("/snapshots/start/restore")
    assert moments[0] == moments[1] != []
