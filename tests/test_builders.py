"""Helpers that create workers and lines: what they create, and that no fault, check or count sees their requests."""

import asyncio

import pytest
from brainbase_labs.types.shared import VoiceDeployment, Worker
from brainbase_labs.types.workers.deployments import ChatCreateResponse

from dryline.testing import DrylineError, DrylineInProcess, DrylineServer

KINDS = [DrylineServer, DrylineInProcess]


def test_everything_is_optional_and_the_rows_are_the_vendors(stand_in):
    worker, line, chat = stand_in.worker(), stand_in.voice_line(), stand_in.chat_line()
    assert [type(row) for row in (worker, line, chat)] == [Worker, VoiceDeployment, ChatCreateResponse]
    assert (worker.name, line.phone_number) == ("Front desk", "+14155550100")
    assert stand_in.client().workers.retrieve(worker.id) == worker
    (call,) = stand_in.simulate_calls(deployment_id=line.id, follow="flow", outcome="completed")
    (chat_log,) = stand_in.simulate_chats(deployment_id=chat.id, follow="flow")
    state = stand_in.state()
    assert [log["id"] for log in state["voiceLogs"] + state["chatLogs"]] == [call, chat_log]
    assert state["voiceLogs"][0]["transcription"].startswith("Agent: Good morning, how can I help you?")


def test_each_line_has_a_number_of_its_own_that_is_free(stand_in):
    named = stand_in.voice_line(number="+14155550101")
    numbers = [stand_in.voice_line().phone_number for _ in range(2)]
    assert (named.phone_number, numbers) == ("+14155550101", ["+14155550100", "+14155550102"])
    stand_in.reset()
    assert stand_in.voice_line().phone_number == "+14155550100"


def test_a_line_without_a_free_number_needs_one_that_is_passed(stand_in):
    worker = stand_in.worker()
    lines = [{"id": f"deployment_{n}", "name": "L", "phoneNumber": f"+1415555{n:04}"} for n in range(100, 200)]
    flow = {"id": "flow_1", "workerId": worker.id, "name": "Main", "code": ""}
    lines = [{**line, "workerId": worker.id, "flowId": "flow_1"} for line in lines]
    stand_in.add({"version": 1, "flows": [flow], "voiceDeployments": lines})
    with pytest.raises(DrylineError, match=r"have all numbers .*: pass a number\."):
        stand_in.voice_line()
    assert stand_in.voice_line(number="+14155550150").phone_number == "+14155550150"


def test_lines_of_one_worker_have_code_names_and_webhooks_of_their_own(stand_in):
    worker = stand_in.worker("Clinic", description="Downtown", status=None)
    code = 'say("Oak Clinic.")\n'
    line = stand_in.voice_line("Day", code=code, webhook=f"{stand_in.url}/inbox/day", worker_id=worker.id)
    chat = stand_in.chat_line("Widget", welcome_message="Hi.", code=code, worker_id=worker.id)
    client = stand_in.client()
    assert [row.id for row in client.workers.list()] == [worker.id]
    assert (worker.name, worker.description, worker.status) == ("Clinic", "Downtown", None)
    assert {flow.code for flow in client.workers.flows.list(worker.id)} == {code}
    assert (line.model_extra["name"], chat.model_extra["name"], chat.welcome_message) == ("Day", "Widget", "Hi.")
    (webhook,) = line.model_extra["customWebhooks"]
    stand_in.simulate_calls(deployment_id=line.id)
    stand_in.advance(1)
    ended = next(row for row in stand_in.webhooks(status="DELIVERED") if row["event"] == "call_ended")
    assert ended["unknownFields"] == [] and {"summary", "transcript"} <= ended["request"]["body"].keys()
    assert ended["request"]["url"] == webhook["url"]


def test_the_fields_of_a_webhook_can_be_named(stand_in):
    line = stand_in.voice_line(webhook=f"{stand_in.url}/inbox/day", webhook_fields="status")
    stand_in.simulate_calls(deployment_id=line.id)
    assert {*stand_in.webhooks()[0]["request"]["body"]} == {"webhook_id", "log_id", "deployment_id", "status"}


def test_no_fault_check_or_count_sees_their_requests(stand_in):
    stand_in.fault(status=503, unused_ok=True)
    stand_in.fault(rate_limit={"requests": 1, "window_seconds": 60}, unused_ok=True)
    stand_in.settings(strict=True)
    stand_in.voice_line(webhook=f"{stand_in.url}/inbox/calls")
    stand_in.chat_line()
    assert [rule["matches"] for rule in stand_in.faults()] == [0, 0]
    assert stand_in.verify(times=0) == 0 and stand_in.requests() == []
    assert stand_in.journal() == "No request came in."
    with pytest.raises(DrylineError, match=r"found 0\.(?s:.*)POST /api/workers 201 \(arranged\) .*\(missed: origin\)"):
        stand_in.wait_for_request(method="POST", path="/api/workers", timeout_s=0)
    assert stand_in.verify(origin="arranged", method="POST", path="/api/workers", times=2) == 2


def test_what_the_api_refuses_is_an_error_of_dryline(stand_in):
    for refused, message in (
        (lambda: stand_in.voice_line(code="say("), "^code: Line 1, column 4"),
        (lambda: stand_in.chat_line(worker_id="w"), r"^Worker w not found\.$"),
        (lambda: stand_in.worker(name=3), r"^name: Not a valid string\.$"),
    ):
        with pytest.raises(DrylineError, match=message):
            refused()


def test_a_team_has_lines_of_its_own(stand_in):
    stand_in.voice_line()
    team = stand_in.team()
    line = team.voice_line()
    assert line.phone_number == "+14155550100"
    assert [row["id"] for row in team.state()["voiceDeployments"]] == [line.id]
    assert len(stand_in.state()["voiceDeployments"]) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_they_work_with_an_admin_token(kind):
    with kind(admin_token="secret") as stand_in:
        stand_in.fault(status=503, unused_ok=True)
        assert stand_in.voice_line().id and stand_in.team().worker().id
        assert "secret" not in str(stand_in.requests(origin="all"))


def test_they_work_while_an_event_loop_runs(stand_in):
    async def arrange():
        return stand_in.worker().id, (await asyncio.to_thread(stand_in.voice_line)).id

    assert all(asyncio.run(arrange()))
