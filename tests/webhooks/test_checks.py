"""Checks of webhooks: due work first, criteria, near misses, waiting."""

import threading

import pytest

from dryline.models import webhook_deliveries
from dryline.testing import DrylineError


@pytest.fixture
def line(stand_in):
    return stand_in.voice_line(webhook=f"{stand_in.url}/inbox/calls")


def test_what_is_due_is_sent_before_a_check_also_on_a_frozen_clock(stand_in, line):
    stand_in.freeze()
    stand_in.simulate_calls(2, deployment_id=line.id)
    assert stand_in.verify_webhook(times=4) == 4
    stand_in.verify(path="/inbox/calls", times=4)


@pytest.mark.parametrize(
    ("criteria", "count"),
    [
        ({"event": "call_ended"}, 2),
        ({"url": "*/inbox/calls"}, 4),
        ({"url": "*/inbox/*s"}, 4),
        ({"url": "*/inbox/"}, 0),
        ({"url": "*/inbox/.alls"}, 0),
        ({"json": {"direction": "inbound"}}, 4),
        ({"json": {"status": "voicemail"}}, 2),
        ({"json": {"status": "voicemail"}, "event": "call_started"}, 0),
        ({"status": "FAILED"}, 0),
        ({"status": "all"}, 4),
    ],
)
def test_criteria_select_deliveries(stand_in, line, criteria, count):
    other = stand_in.voice_line()
    stand_in.simulate_calls(2, deployment_id=line.id, outcome="voicemail", direction="inbound")
    stand_in.simulate_calls(deployment_id=other.id)
    assert stand_in.verify_webhook(**criteria, times=count) == count


def test_deliveries_are_selected_by_their_line_webhook_and_call(stand_in, line):
    other = stand_in.voice_line(webhook=f"{stand_in.url}/inbox/other")
    (log,) = stand_in.simulate_calls(deployment_id=line.id)
    stand_in.simulate_calls(deployment_id=other.id)
    (webhook,) = line.model_extra["customWebhooks"]
    for criteria in ({"deployment_id": line.id}, {"log_id": log}, {"webhook_id": webhook["id"]}):
        assert {row["logId"] for row in stand_in.wait_for_webhook(**criteria, count=2)} == {log}
    assert stand_in.verify_webhook(at_least=3, at_most=4) == 4


def test_a_check_that_fails_says_what_came_nearest_and_what_it_missed(stand_in, line):
    stand_in.simulate_calls(deployment_id=line.id, outcome="voicemail")
    with pytest.raises(DrylineError) as failure:
        stand_in.verify_webhook(event="call_ended", json={"status": "busy"})
    first, criteria, nearest, *_ = str(failure.value).splitlines()
    assert first == "Expected at least 1, found 0."
    assert criteria == "  wanted: event 'call_ended', json {'status': 'busy'}"
    assert nearest.startswith(f"  nearest: call_ended POST {stand_in.url}/inbox/calls DELIVERED after 1 attempt  {{")
    assert nearest.endswith("(missed: json.status)")
    with pytest.raises(DrylineError, match=r"(?s)Expected exactly 1, found 2\..*too many: call_ended POST"):
        stand_in.verify_webhook(times=1)


def test_only_what_arrived_counts_and_the_message_says_why_the_rest_did_not(stand_in, line):
    stand_in.fault(path="/inbox/calls", status=503)
    stand_in.simulate_calls(deployment_id=line.id)
    with pytest.raises(DrylineError, match=r"PENDING after 1 attempt, due at .*: Answered 503\..*\(missed: status\)"):
        stand_in.verify_webhook(event="call_ended")
    assert stand_in.verify_webhook(status="PENDING", times=2) == 2


def test_a_check_without_any_delivery_says_that_no_call_has_begun(stand_in, line):
    with pytest.raises(DrylineError, match=r"found 0\.\n  No call of a line that has a webhook has begun\.$"):
        stand_in.verify_webhook()
    assert stand_in.verify_webhook(times=0) == 0


@pytest.mark.parametrize(
    ("criteria", "says"),
    [
        ({"deployment_id": "deployment_1"}, "deploymentId: Voice deployment deployment_1 not found."),
        ({"webhook_id": "x"}, "webhookId: Custom webhook x not found."),
        ({"log_id": "x"}, "logId: Voice log x not found."),
        ({"event": "ended"}, "event: Must be one of: call_started, call_ended."),
        ({"status": "SENT"}, "status: Must be one of: PENDING, DELIVERED, FAILED, REFUSED, all."),
        ({"json": {"sumary": "x"}}, "json: No message has the member sumary; did you mean summary?"),
        ({"at_most": 3}, "times is the exact number: leave out at_least and at_most."),
        ({"deployment": "x"}, "deployment: Unknown field"),
    ],
)
def test_a_check_that_would_pass_by_mistake_is_refused(stand_in, line, criteria, says):
    with pytest.raises(DrylineError) as failure:
        stand_in.verify_webhook(**criteria, times=0)
    assert says in str(failure.value)


def test_members_that_a_webhook_names_are_known(stand_in):
    stand_in.voice_line(webhook=f"{stand_in.url}/inbox/calls", webhook_fields="booking")
    assert stand_in.verify_webhook(json={"booking": "Monday"}, times=0) == 0


def test_a_maximum_is_refused_once_older_deliveries_may_have_been_deleted(stand_in, line, monkeypatch):
    monkeypatch.setattr(webhook_deliveries, "MAX_FINISHED", 2)
    stand_in.simulate_calls(2, deployment_id=line.id)
    assert stand_in.verify_webhook(at_least=1) >= 1
    with pytest.raises(DrylineError, match="the newest 2 are kept"):
        stand_in.verify_webhook(event="call_started", times=0, json={"status": "x"})
    with pytest.raises(DrylineError, match="the newest 2 are kept"):
        stand_in.verify_webhook(times=100)


def test_a_test_waits_for_webhooks_of_calls_that_begin_meanwhile(stand_in, line):
    later = threading.Timer(0.2, stand_in.simulate_calls, kwargs={"deployment_id": line.id})
    later.start()
    (ended,) = stand_in.wait_for_webhook(event="call_ended", deployment_id=line.id)
    later.join()
    assert ended["request"]["body"]["deployment_id"] == line.id
    with pytest.raises(DrylineError, match=r"Expected 2 within 50 ms, found 1\."):
        stand_in.wait_for_webhook(event="call_ended", count=2, timeout_s=0.05)


def test_a_team_sees_its_own_webhooks(stand_in, line):
    team = stand_in.team()
    own = team.voice_line(webhook=f"{stand_in.url}/inbox/team")
    stand_in.simulate_calls(deployment_id=line.id)
    team.simulate_calls(deployment_id=own.id)
    assert team.verify_webhook(times=2) == len(team.webhooks()) == 2
    assert stand_in.verify_webhook(times=4) == 4
    with pytest.raises(DrylineError, match="not found"):
        team.verify_webhook(webhook_id="x")
