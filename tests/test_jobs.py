"""Background work: steps that fail, slow steps, and rounds without work."""

import json
import logging
import threading
import time
from contextlib import closing
from dataclasses import replace
from unittest.mock import Mock

import pytest

from dryline.app import create_app
from dryline.jobs import export_files
from dryline.jobs.runner import Jobs, Runner
from dryline.models import due
from dryline.models.echo_runs import EchoRun
from dryline.models.exports import Export
from dryline.serving.server import running
from dryline.settings import DEFAULT_API_KEY, Settings

ASK = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}


@pytest.fixture
def export(api):
    """Create an export. Returns a function that returns its status."""

    def create(api=api):
        answer = api.post("/team/exports", ASK)
        assert answer.status_code == 201, answer.text
        return lambda: api.get(f"/team/exports/{answer.json['id']}").json["status"]

    return create


@pytest.fixture
def call(api, make_voice_deployment):
    """Create a batch of one call. Returns a function that counts the calls that were placed."""

    def place():
        line = make_voice_deployment()
        path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
        assert api.post(path, {"data": [{"phoneNumber": "+14155550100"}]}).status_code == 200
        return lambda: api.get(f"/workers/{line['workerId']}/deploymentLogs/voice").json["pagination"]["total"]

    return place


@pytest.fixture
def failing(monkeypatch):
    """Let a step fail."""

    def fail(*args):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(EchoRun, "due", fail)


# Steps that fail


def test_a_step_that_fails_does_not_stop_the_others(failing, export, call, advance):
    status, calls = export(), call()
    advance()
    assert (status(), calls()) == ("COMPLETED", 1)


@pytest.mark.alone
def test_a_step_that_fails_again_and_again_is_logged_once(failing, advance, caplog):
    with caplog.at_level(logging.ERROR, "dryline"):
        advance(), advance()
    assert [record.message for record in caplog.records] == ["proceed_with(EchoRun) failed. It is tried again."]


@pytest.fixture
def queue_call(api, control, make_flow, make_voice_deployment):
    """Import a queued call. It is a poor one unless it has a campaign: nobody can be called on a chat deployment."""

    def queue(campaign_id=None):
        flow = make_flow()
        chat = {"name": "Chat", "flowId": flow["id"]}
        line = make_voice_deployment(flow) if campaign_id else None
        line = line or api.post(f"/workers/{flow['workerId']}/deployments/chat", chat).json
        contact = {"phoneNumber": "+14155550123"}
        row = {"id": "q1", "deploymentId": line["id"], "campaignId": campaign_id, "row": contact}
        document = {"version": 1, "writtenBy": "dryline 0.2.0", "queuedCalls": [row]}
        assert control.post("/state", document).status_code == 204
        return lambda: api.get(f"/workers/{flow['workerId']}/deploymentLogs/voice").json["pagination"]["total"]

    return queue


def queued(control):
    return [row["id"] for row in control.get("/state").json["queuedCalls"]]


@pytest.mark.parametrize("campaign", ["gone", "a worker"])
def test_a_queued_call_of_a_campaign_that_is_gone_is_placed(queue_call, make_worker, control, advance, campaign):
    placed = queue_call(campaign if campaign == "gone" else make_worker()["id"])
    advance(600)
    assert (placed(), queued(control)) == (1, [])


@pytest.mark.alone
def test_a_row_that_fails_is_set_aside_and_reported_and_stops_no_other(queue_call, call, control, advance, caplog):
    queue_call()
    calls = call()
    with caplog.at_level(logging.ERROR, "dryline"):
        advance(600)
    assert (calls(), queued(control)) == (1, ["q1"])
    assert "queued call q1 failed" in caplog.text


def test_a_row_that_was_set_aside_is_tried_again_when_it_was_replaced(queue_call, control, advance):
    queue_call()
    advance()
    state = control.get("/state").json
    (row,) = state["queuedCalls"]
    control.post("/reset")
    placed = queue_call("gone")
    advance()
    assert (placed(), row["id"]) == (1, "q1")


@pytest.fixture
def failed(app, export, advance, monkeypatch):
    """Let the work on an export fail once. Return a function that returns the export's status."""
    with monkeypatch.context() as patch:
        patch.setattr(Export, "transition", Mock(side_effect=ValueError("a fault of the row")))
        status = export()
        advance()
    assert status() == "PENDING"
    return status


@pytest.mark.alone
def test_a_row_that_failed_is_left_alone_for_a_minute(app, failed, monkeypatch):
    with app.world.active():
        app.jobs._slow[0].run()
        assert failed() == "PENDING"
        in_a_minute = time.monotonic() + 61
        monkeypatch.setattr(due, "monotonic", lambda: in_a_minute)
        app.jobs._slow[0].run()
    assert failed() == "COMPLETED"


@pytest.mark.alone
def test_a_row_that_failed_is_tried_again_when_the_clock_is_moved(failed, advance):
    advance()
    assert failed() == "COMPLETED"


@pytest.mark.alone
def test_a_row_that_failed_is_tried_again_after_a_restore(app, failed, control):
    control.post("/snapshots", {"name": "one"})
    control.post("/snapshots/one/restore")
    with app.world.active():
        app.jobs._slow[0].run()
    assert failed() == "COMPLETED"


# Slow steps


@pytest.fixture
def stuck(app, monkeypatch):
    """Make exports last until the event is set, and shorten the wait for slow steps."""
    go_on, write = threading.Event(), export_files.write

    def slowly(*args):
        go_on.wait(30)
        return write(*args)

    monkeypatch.setattr(export_files, "write", slowly)
    monkeypatch.setattr(Jobs, "TIMEOUT_S", 0.05)
    app.jobs.start()
    yield go_on
    go_on.set()


@pytest.mark.alone
def test_a_slow_export_delays_neither_calls_nor_requests_that_move_the_clock(stuck, export, call, advance):
    status = export()
    calls = call()
    while calls() == 0:
        advance()
    assert status() == "PROCESSING"


@pytest.mark.alone
def test_a_slow_export_is_completed_after_the_clock_was_moved(stuck, export, advance):
    status = export()
    advance()
    stuck.set()
    while status() != "COMPLETED":
        advance()


@pytest.mark.alone
def test_a_request_that_moves_the_clock_waits_for_work_in_progress(app, export, other_api, api, advance):
    app.jobs.start()
    mine, others = export(), export(other_api)
    advance()
    assert (mine(), others()) == ("COMPLETED", "COMPLETED")


# The first round


@pytest.fixture
def unfinished(tmp_path):
    """Return settings of a world with an export that its server has not written, and the state document."""
    settings = Settings(data_dir=tmp_path / "world", scenario="empty")
    with closing(create_app(settings)) as app:
        client = app.test_client()
        assert client.post("/api/team/exports", json=ASK, headers={"x-api-key": DEFAULT_API_KEY}).status_code == 201
        return settings, client.get("/_dryline/state").json


@pytest.fixture
def export_begun(monkeypatch):
    """Return an event that is set when an export begins without polling."""
    export_begun, write = threading.Event(), export_files.write

    def begin(*args):
        export_begun.set()
        return write(*args)

    monkeypatch.setattr(export_files, "write", begin)
    monkeypatch.setattr(Runner, "POLL_EVERY_S", 3600.0)
    return export_begun


def test_a_start_does_the_work_that_the_last_server_has_left(unfinished, export_begun):
    settings, _ = unfinished
    with running(settings):
        assert export_begun.wait(20)


def test_a_start_does_the_work_of_its_scenario(unfinished, export_begun, tmp_path):
    settings, state = unfinished
    scenario = tmp_path / "state.json"
    scenario.write_text(json.dumps(state))
    with running(replace(settings, data_dir=tmp_path / "other", scenario=str(scenario))):
        assert export_begun.wait(20)


# Rounds without work


def test_a_round_without_due_work_takes_no_lock(app, api, export, call, control, advance, monkeypatch):
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


# Seeds


def test_with_a_seed_ids_do_not_depend_on_when_calls_are_placed(api, call, make_worker, advance, control):
    def worker_after(move):
        control.post("/reset")
        control.put("/clock", {"now": "2026-02-01T00:00:00.000Z", "frozen": True})
        call()
        move()
        return make_worker()["id"]

    assert worker_after(advance) == worker_after(lambda: None)


def test_with_a_seed_calls_do_not_depend_on_the_size_of_batches(
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
