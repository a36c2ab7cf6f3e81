"""Deliveries to a receiver that calls the API meanwhile, or is slow, or outlives the server."""

import threading

import pytest

from dryline.app import create_app
from dryline.jobs.runner import Jobs
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
