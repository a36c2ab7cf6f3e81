"""Custom webhooks hear of calls, over HTTP."""

from urllib.parse import parse_qs, urlsplit

import pytest

from dryline.jobs import webhooks
from dryline.testing import DrylineServer


def test_a_webhook_hears_when_a_call_starts_and_when_it_ends(receiver, add_webhook, simulate):
    webhook = add_webhook(receiver.url)
    log_id = simulate()
    assert [headers["X-Dryline-Event"] for _, _, headers, _ in receiver.requests] == ["call_started", "call_ended"]
    assert [headers["X-Dryline-Outgoing"] for _, _, headers, _ in receiver.requests] == ["1", "1"]
    assert [method for method, *_ in receiver.requests] == ["POST", "POST"]
    for body in receiver.bodies:
        assert (body["webhook_id"], body["log_id"]) == (webhook["id"], log_id)


def test_a_message_has_the_values_that_fields_names(api, receiver, add_webhook, simulate, deployment, deliveries):
    derived = "duration_ms, transcript,start_timestamp,end_timestamp,summary,sentiment"
    webhook = add_webhook(receiver.url, derived + ",from_number,recording_url,wants_callback,status,no_such_thing")
    log = api.get(f"/workers/{deployment['workerId']}/deploymentLogs/voice/{simulate()}").json
    started, ended = receiver.bodies
    assert ended == {
        "webhook_id": webhook["id"],
        "log_id": log["id"],
        "deployment_id": deployment["id"],
        "duration_ms": log["duration"] * 1000,
        "transcript": log["transcription"],
        "start_timestamp": started["start_timestamp"],
        "end_timestamp": started["start_timestamp"] + log["duration"] * 1000,
        "summary": log["data"]["call_analysis"]["call_summary"],
        "sentiment": log["data"]["call_analysis"]["user_sentiment"],
        "from_number": log["fromNumber"],
        "recording_url": log["recordingUrl"],
        "wants_callback": str(log["extractionsData"]["wants_callback"]).lower(),
        "status": "completed",
    }
    without_value = {"transcript", "end_timestamp", "duration_ms", "recording_url", "wants_callback"}
    assert started.keys() == ended.keys() - without_value - {"summary", "sentiment"}
    assert [delivery["unknownFields"] for delivery in deliveries()] == [["no_such_thing"]] * 2


def test_with_get_the_members_are_in_the_query(receiver, add_webhook, simulate):
    add_webhook(receiver.url + "?token=1", "from_number,transcript", method="GET")
    log_id = simulate()
    query = parse_qs(urlsplit(receiver.requests[0][1]).query)
    assert (query["token"], query["log_id"]) == (["1"], [log_id])
    assert receiver.requests[0][3] == b""


def test_only_active_webhooks_get_messages(receiver, add_webhook, simulate):
    one, two = add_webhook(receiver.url), add_webhook(receiver.url + "/two")
    add_webhook(receiver.url, active=False)
    simulate()
    assert sorted(body["webhook_id"] for body in receiver.bodies) == sorted([one["id"], two["id"]] * 2)


def test_a_delivery_is_on_record_with_request_and_answer(receiver, add_webhook, simulate, deliveries, deployment):
    webhook = add_webhook(receiver.url)
    log_id = simulate()
    _, ended = deliveries()
    assert (ended["status"], ended["attempts"], ended["error"]) == ("DELIVERED", 1, None)
    assert (ended["webhookId"], ended["deploymentId"], ended["logId"]) == (webhook["id"], deployment["id"], log_id)
    assert ended["request"] == {"method": "POST", "url": receiver.url, "body": receiver.bodies[1]}
    assert ended["response"] == {"status": 200, "body": "ok"}
    assert ended["deliveredAt"] == "2026-01-02T00:00:00.000Z"


def test_a_failed_delivery_is_tried_again_three_times_over_api_time(
    receiver, add_webhook, simulate, deliveries, advance
):
    add_webhook(receiver.url)
    receiver.answers = [500]
    simulate()
    seen = []
    for seconds in (0, 10, 60, 300, 86_400):
        advance(seconds)
        _, ended = deliveries()
        seen.append((ended["status"], ended["attempts"]))
    assert seen == [("PENDING", 1), ("PENDING", 2), ("PENDING", 3), ("FAILED", 4), ("FAILED", 4)]
    assert ended["error"] == "Answered 500."
    assert len(receiver.requests) == 8


def test_an_answer_that_does_not_come_in_time_holds_back_the_others(
    receiver, add_webhook, simulate, deliveries, monkeypatch, advance
):
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.1)
    add_webhook(receiver.url)
    receiver.wait.clear()
    simulate()
    assert [(one["attempts"], one["error"]) for one in deliveries()] == [(1, "No answer within 0.1 s."), (0, None)]
    receiver.wait.set()
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 60)
    advance(10)
    assert [one["status"] for one in deliveries()] == ["DELIVERED", "DELIVERED"]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/hook",
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://127.0.0.1.example.com/",
        "http://[::ffff:10.0.0.1]/",
        "http://localhost@example.com/",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
    ],
)
def test_a_host_beyond_this_machine_is_refused(add_webhook, simulate, deliveries, monkeypatch, url):
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: pytest.fail("A name was resolved."))
    add_webhook(url)
    simulate()
    assert {(one["status"], one["attempts"]) for one in deliveries()} == {("REFUSED", 0)}
    assert deliveries()[0]["error"]


def test_a_refusal_names_the_option_of_the_server_and_that_of_the_fixtures(add_webhook, simulate, deliveries):
    add_webhook("http://example.com/calls")
    simulate()
    error = deliveries()[0]["error"]
    assert "--webhook-hosts" in error and "--dryline-webhook-hosts" in error


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/", "http://[", "http://127.0.0 .1/"])
def test_an_invalid_address_fails_at_once(add_webhook, simulate, deliveries, url):
    add_webhook(url)
    simulate()
    assert {one["status"] for one in deliveries()} == {"FAILED"}
    assert deliveries()[0]["error"].startswith("The URL is not valid")


def test_the_address_of_a_batch_gets_messages_of_the_ends(api, receiver, advance, deployment):
    path = f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}/make-batch-calls"
    api.post(path, {"data": [{"id": "7", "phoneNumber": "+14155550100"}], "wsUrl": receiver.url})
    advance(3600)
    (body,) = receiver.bodies
    assert (body["row_id"], body["deployment_id"]) == ("7", deployment["id"])


def test_deliveries_are_filtered_and_forgotten(control, receiver, add_webhook, simulate, deliveries):
    add_webhook(receiver.url)
    add_webhook("http://example.com/")
    simulate()
    assert len(deliveries(status="REFUSED")) == len(deliveries(status="DELIVERED")) == 2
    assert len(deliveries(limit=1)) == 1
    assert deliveries(logId="log_none") == []
    assert control.delete("/webhooks").status_code == 204
    assert deliveries() == []


def test_a_webhook_never_reaches_the_server_itself():
    with DrylineServer(seed=1) as server:
        server.simulate_calls()
        port = server.url.rpartition(":")[2]
        (deployment,) = server.state()["voiceDeployments"]
        hosts = ("127.0.0.1", "localhost", "LOCALHOST", "someone:secret@127.0.0.1")
        rest = {"deploymentId": deployment["id"], "fields": "summary"}
        webhooks = [{"id": host, "url": f"http://{host}:{port}/_dryline/reset", **rest} for host in hosts]
        server.add({"version": 1, "customWebhooks": webhooks})
        server.simulate_calls()
        server.advance(600)  # a call that begins after another one may end after now
        deliveries = server.plane("GET", "/webhooks")
        assert {one["webhookId"] for one in deliveries} == set(hosts)
        assert {(one["status"], one["attempts"]) for one in deliveries} == {("REFUSED", 0)}
        assert len(server.state()["voiceLogs"]) == 2


def test_a_redirect_is_not_followed(receiver, add_webhook, simulate, deliveries):
    add_webhook(receiver.url)
    receiver.answers = [302]
    simulate()
    assert {path for _, path, *_ in receiver.requests} == {"/hook"}
    assert deliveries()[0]["error"] == "Answered 302: redirects are not followed."


@pytest.mark.parametrize("pauses", [(), (10,), (10, 60)])
def test_after_the_clock_is_set_back_a_delivery_does_not_wait_for_its_next_attempt(
    add_webhook, receiver, simulate, deliveries, advance, control, pauses
):
    add_webhook(receiver.url)
    control.put("/clock", {"now": "2026-03-02T12:00:00Z", "frozen": True})
    receiver.answers = [500]
    simulate()
    for seconds in pauses:
        advance(seconds)
    assert {(one["status"], one["attempts"]) for one in deliveries()} == {("PENDING", 1 + len(pauses))}
    receiver.answers = [200]
    advance(5)
    assert {one["status"] for one in deliveries()} == {"PENDING"}
    control.put("/clock", {"now": "2026-03-01T12:00:00Z", "frozen": True})
    assert {one["status"] for one in deliveries()} == {"DELIVERED"}
