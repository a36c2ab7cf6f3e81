"""What moves by itself: a step that fails, one that takes long, and looks that find nothing."""

import json
import logging
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from dryline.app import create_app
from dryline.jobs import export_files
from dryline.jobs.runner import Jobs, Runner
from dryline.models.echo_runs import EchoRun
from dryline.serving.server import running
from dryline.settings import DEFAULT_API_KEY, Settings

ASK = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}


@pytest.fixture
def export(api):
    """Ask for an export. What it gives reads the export's status."""

    def ask(api=api):
        answer = api.post("/team/exports", ASK)
        assert answer.status_code == 201, answer.text
        return lambda: api.get(f"/team/exports/{answer.json['id']}").json["status"]

    return ask


@pytest.fixture
def call(api, make_voice_deployment):
    """Have a batch call placed. What it gives counts the calls that were."""

    def place():
        line = make_voice_deployment()
        path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
        assert api.post(path, {"data": [{"phoneNumber": "+14155550100"}]}).status_code == 200
        return lambda: api.get(f"/workers/{line['workerId']}/deploymentLogs/voice").json["pagination"]["total"]

    return place


@pytest.fixture
def failing(monkeypatch):
    """Let a step fail whenever it looks."""

    def fail(*args):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(EchoRun, "due", fail)


# A step that fails


def test_a_step_that_fails_does_not_stop_the_others(failing, export, call, advance):
    status, calls = export(), call()
    advance()
    assert (status(), calls()) == ("COMPLETED", 1)


@pytest.mark.alone
def test_a_step_that_fails_is_logged_once_and_not_at_every_look(failing, advance, caplog):
    with caplog.at_level(logging.ERROR, "dryline"):
        advance(), advance()
    assert [record.message for record in caplog.records] == ["proceed_with_echo_runs failed. It is tried again."]


# One that takes long


@pytest.fixture
def stuck(app, monkeypatch):
    """Exports take until the event is set, and a call on the clock waits for next to nothing that takes long."""
    go_on, write = threading.Event(), export_files.write

    def slowly(*args):
        go_on.wait(30)
        return write(*args)

    monkeypatch.setattr(export_files, "write", slowly)
    monkeypatch.setattr(Jobs, "PATIENCE_S", 0.05)
    app.jobs.start()
    yield go_on
    go_on.set()


@pytest.mark.alone
def test_an_export_that_takes_long_holds_up_neither_calls_nor_the_clock(stuck, export, call, advance):
    status = export()
    calls = call()
    while calls() == 0:
        advance()
    assert status() == "PROCESSING"


@pytest.mark.alone
def test_an_export_that_took_too_long_for_the_clock_is_completed_all_the_same(stuck, export, advance):
    status = export()
    advance()
    stuck.set()
    while status() != "COMPLETED":
        advance()


@pytest.mark.alone
def test_a_call_on_the_clock_waits_for_what_the_threads_have_begun(app, export, other_api, api, advance):
    app.jobs.start()
    mine, others = export(), export(other_api)
    advance()
    assert (mine(), others()) == ("COMPLETED", "COMPLETED")


# The first look


@pytest.fixture
def left(tmp_path):
    """The settings of a world whose server has ended before it came to an export, and the state's document."""
    settings = Settings(data_dir=tmp_path / "world", scenario="empty")
    with closing(create_app(settings)) as app:
        client = app.test_client()
        assert client.post("/api/team/exports", json=ASK, headers={"x-api-key": DEFAULT_API_KEY}).status_code == 201
        return settings, client.get("/_dryline/state").json


@pytest.fixture
def begun(monkeypatch):
    """Set once an export is begun, by a look that nobody has waited a while for."""
    begun, write = threading.Event(), export_files.write

    def told(*args):
        begun.set()
        return write(*args)

    monkeypatch.setattr(export_files, "write", told)
    monkeypatch.setattr(Runner, "POLL_EVERY_S", 3600.0)
    return begun


def test_what_a_server_has_left_the_next_one_begins_at_its_start(left, begun):
    settings, _ = left
    with running(settings):
        assert begun.wait(20)


def test_what_a_scenario_has_waiting_is_begun_at_the_start(left, begun, tmp_path):
    settings, state = left
    scenario = tmp_path / "state.json"
    scenario.write_text(json.dumps(state))
    with running(replace(settings, data_dir=tmp_path / "other", scenario=str(scenario))):
        assert begun.wait(20)


# Looks that find nothing


def test_a_look_that_finds_nothing_due_takes_no_lock(app, api, export, call, control, advance, monkeypatch):
    control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
    advance()
    worker = api.post("/workers", {"name": "W", "description": None, "status": None}).json["id"]
    url = f"/api/upload/{worker}/resource-upload-url?fileName=a.txt&contentType=text/plain"
    address = app.test_client().get(url).json["uploadUrl"]
    assert app.test_client().put(address, data=b"one").status_code == 200
    assert api.post("/team/whatsapp-senders", {"phone_number": "+14155550123", "profile": {"name": "W"}}).status_code
    assert api.post("/echo/run", {"type": "agent", "agent_data": {"goals": ["Greet."]}}).status_code < 300
    control.put("/settings", {"exportDelayMs": 1000})
    export()
    call()
    advance()
    locks = []
    monkeypatch.setattr(app.world, "transaction", lambda: locks.append(1))
    with app.world.active():
        app.jobs.run_due()
    assert locks == []


# Chance


def test_with_a_seed_ids_do_not_depend_on_when_calls_are_placed(api, call, make_worker, advance, control):
    def worker_after(move):
        control.post("/reset")
        control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
        call()
        move()
        return make_worker()["id"]

    assert worker_after(advance) == worker_after(lambda: None)


def test_with_a_seed_the_same_calls_are_placed_however_many_at_once(
    api, make_voice_deployment, control, advance, monkeypatch
):
    def conversations(*steps):
        control.post("/reset")
        control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
        line = make_voice_deployment()
        path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
        rows = [{"phoneNumber": f"+1415555{n:04}"} for n in range(30)]
        api.post(path, {"data": rows, "batch_size": 10, "batch_interval_minutes": 1})
        for seconds in steps:
            advance(seconds)
        logs = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice?limit=100").json["data"]
        return sorted((log["toNumber"], log["status"], log["transcription"] or "") for log in logs)

    step_by_step = conversations(0, 60, 60)
    assert len(step_by_step) == 30
    assert conversations(120) == step_by_step
