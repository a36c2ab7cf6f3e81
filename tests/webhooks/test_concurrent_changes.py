"""Deliveries to a receiver that calls the API meanwhile, or is slow, or outlives the server."""

import errno
import threading

import pytest

from dryline.app import create_app
from dryline.jobs import webhooks
from dryline.jobs.runner import Jobs
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.settings import Settings
from dryline.tests.control.documents import of_a_line


@pytest.fixture
def told_once(tmp_path, receiver):
    """Return settings and a server with a webhook for the receiver."""
    settings = Settings(data_dir=tmp_path, scenario="empty")
    app = create_app(settings)
    hook = {"id": "h", "deploymentId": "d", "url": receiver.url, "fields": "status"}
    client = app.test_client()
    state = {"version": 1, **of_a_line(), "customWebhooks": [hook]}
    assert client.post("/_dryline/state", json=state).status_code == 204
    assert client.post("/_dryline/simulate/calls", json={"workerId": "w", "deploymentId": "d"}).status_code == 201
    return settings, app


@pytest.fixture
def impatient(monkeypatch):
    """Shorten the time that a call on the clock waits for slow work."""
    monkeypatch.setattr(Jobs, "TIMEOUT_S", 0.05)


def test_a_receiver_can_move_the_clock(control, receiver, add_webhook, simulate, deliveries, impatient):
    add_webhook(receiver.url)
    answers = []
    receiver.meanwhile = lambda: answers.append(control.post("/clock/advance", {"seconds": 1}).status_code)
    simulate()
    assert answers == [200, 200]
    assert [one["status"] for one in deliveries()] == ["DELIVERED", "DELIVERED"]


def test_the_end_cuts_what_an_address_lets_wait_and_it_is_sent_after_a_restart(receiver, told_once):
    settings, app = told_once
    others = threading.enumerate()
    receiver.wait.clear()
    app.jobs.start()
    assert receiver.asked.wait(10)
    app.close()
    for thread in {*threading.enumerate()} - {*others}:
        if thread.name == "dryline-webhook":
            thread.join(5)
            assert not thread.is_alive()
    assert receiver.requests == []
    receiver.wait.set()
    app = create_app(settings)
    before = app.test_client().get("/_dryline/webhooks").json
    app.test_client().post("/_dryline/clock/advance", json={"seconds": 0})
    after = app.test_client().get("/_dryline/webhooks").json
    app.close()
    assert {(one["status"], one["attempts"]) for one in before} == {("PENDING", 0)}
    assert {(one["status"], one["attempts"]) for one in after} == {("DELIVERED", 1)}


def test_a_receiver_that_does_not_answer_holds_back_no_other(
    control, receiver, other_receiver, add_webhook, simulate, deliveries
):
    add_webhook(receiver.url)
    add_webhook(other_receiver.url)
    receiver.wait.clear()
    simulate()
    statuses = {one["request"]["url"]: set() for one in deliveries()}
    for one in deliveries():
        statuses[one["request"]["url"]].add(one["status"])
    assert statuses == {receiver.url: {"PENDING"}, other_receiver.url: {"DELIVERED"}}


def test_a_worker_that_is_deleted_while_its_batch_is_called_is_no_error(
    api, receiver, advance, make_flow, make_voice_deployment, caplog
):
    loop = 'loop:\n    talk("Ask what they want.", True)\nuntil "caller wants an appointment":\n    say("Fine.")\n'
    flow = make_flow(code=f'import requests\nrequests.get("{receiver.url}")\n{loop}')
    line = make_voice_deployment(flow)
    worker = f"/workers/{line['workerId']}"
    rows = [{"phoneNumber": f"+1415555010{number}"} for number in range(4)]
    path = f"{worker}/deployments/voice/{line['id']}/make-batch-calls"
    assert api.post(path, {"data": rows}).status_code == 200
    receiver.meanwhile = lambda: api.delete(worker)
    advance()
    assert api.get(worker).status_code == 404
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def test_nothing_is_sent_twice_while_the_disk_is_full(app, receiver, add_webhook, simulate, deliveries, monkeypatch):
    full, stored = OSError(errno.ENOSPC, "No space left on device"), WebhookDelivery.record_success
    failures = iter([full] * 3)

    def store(delivery, *args):
        for failure in failures:
            raise failure
        stored(delivery, *args)

    monkeypatch.setattr(webhooks, "STORE_AGAIN_S", 0.01)
    monkeypatch.setattr(WebhookDelivery, "record_success", store)
    add_webhook(receiver.url)
    simulate()
    assert [one["status"] for one in deliveries()] == ["DELIVERED", "DELIVERED"]
    assert len(receiver.requests) == 2
