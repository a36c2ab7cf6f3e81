"""Transitions of exports by the control plane, and the delay of exports."""

import itertools

import pytest

from dryline.tests.exports.conftest import REQUEST, files


@pytest.fixture
def transition(control):
    def make(export, status, **body):
        return control.post(f"/exports/{export['id']}/transition", {"status": status, **body})

    return make


@pytest.fixture
def manual(app):
    app.world.runtime_settings.export_mode = "manual"


def test_in_manual_mode_an_export_waits_for_each_transition(app, api, manual, transition, export, fetch, make_log):
    make_log()
    made = export()
    assert made["status"] == "PENDING"
    processing = transition(made, "PROCESSING")
    assert (processing.status_code, processing.json["status"]) == (200, "PROCESSING")
    assert files(app) == []
    completed = transition(made, "COMPLETED").json
    assert (completed["status"], completed["rowCount"]) == ("COMPLETED", 1)
    assert completed == api.get(f"/team/exports/{made['id']}").json
    assert len(fetch(completed).data) == completed["fileSizeBytes"]
    assert transition(made, "EXPIRED").json == completed | {"status": "EXPIRED", "downloadUrl": None}
    assert files(app) == []


PATHS = {
    "PENDING": [],
    "PROCESSING": ["PROCESSING"],
    "COMPLETED": ["PROCESSING", "COMPLETED"],
    "FAILED": ["FAILED"],
    "EXPIRED": ["PROCESSING", "COMPLETED", "EXPIRED"],
}
ALLOWED = {
    ("PENDING", "PROCESSING"),
    ("PENDING", "FAILED"),
    ("PROCESSING", "COMPLETED"),
    ("PROCESSING", "FAILED"),
    ("COMPLETED", "EXPIRED"),
}


REFUSED = [pair for pair in itertools.product(PATHS, PATHS) if pair not in ALLOWED]


@pytest.fixture
def export_in(manual, transition, export):
    """Request an export and bring it to a status."""

    def make(status):
        made = export()
        for step in PATHS[status]:
            assert transition(made, step).status_code == 200
        return made

    return make


@pytest.mark.parametrize(("status", "target"), sorted(ALLOWED))
def test_each_transition_of_the_state_machine_is_made(transition, export_in, status, target):
    answer = transition(export_in(status), target)
    assert (answer.status_code, answer.json["status"]) == (200, target)


@pytest.mark.parametrize(("status", "target"), REFUSED)
def test_any_other_transition_is_refused_with_those_that_are_possible(api, transition, export_in, status, target):
    made = export_in(status)
    before = api.get(f"/team/exports/{made['id']}").json
    answer = transition(made, target)
    assert answer.status_code == 409
    named = {word for word in PATHS if word in answer.json["error"]}
    assert named - {status, target} == {possible for origin, possible in ALLOWED if origin == status} - {status, target}
    assert api.get(f"/team/exports/{made['id']}").json == before


@pytest.mark.parametrize("status", PATHS)
def test_in_the_mode_auto_no_transition_is_made_by_hand(api, control, transition, export_in, status):
    made = export_in(status)
    before = api.get(f"/team/exports/{made['id']}").json
    control.put("/settings", {"exportMode": "auto", "exportDelayMs": 600_000})
    for target in PATHS:
        answer = transition(made, target)
        assert answer.status_code == 409 and 'settings(export_mode="manual")' in answer.json["error"]
    assert api.get(f"/team/exports/{made['id']}").json == before


@pytest.mark.parametrize("outcome", ["COMPLETED", "FAILED"])
def test_an_export_waits_for_its_delay_in_api_time(api, advance, control, outcome):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    control.put("/settings", {"exportOutcome": outcome, "exportDelayMs": 1500})
    made = api.post("/team/exports", REQUEST).json
    status = []
    for seconds in (0, 1.499, 0.001):
        advance(seconds)
        status.append(api.get(f"/team/exports/{made['id']}").json["status"])
    assert status == ["PENDING", "PENDING", outcome]


def test_exports_fail_in_the_mode_auto_while_the_setting_says_so(app, control, export, make_log):
    make_log()
    control.put("/settings", {"exportOutcome": "FAILED", "exportError": "The disk is full."})
    failed = [export(), export()]
    assert {(row["status"], row["errorMessage"], row["downloadUrl"]) for row in failed} == {
        ("FAILED", "The disk is full.", None)
    }
    assert files(app) == []
    control.put("/settings", {"exportOutcome": "COMPLETED"})
    assert export()["status"] == "COMPLETED"


def test_by_hand_an_export_is_completed_whatever_the_setting_says(control, manual, transition, export):
    control.put("/settings", {"exportOutcome": "FAILED"})
    made = export()
    assert transition(made, "PROCESSING").status_code == 200
    assert transition(made, "COMPLETED").json["status"] == "COMPLETED"


def test_a_link_still_works_after_a_restart(restart):
    api, control = restart()
    made = api.post("/team/exports", REQUEST).json
    control.post("/clock/advance", {"seconds": 0})
    url = api.get(f"/team/exports/{made['id']}").json["downloadUrl"]
    api, _ = restart()
    assert api.client.get(url, buffered=True).status_code == 200
