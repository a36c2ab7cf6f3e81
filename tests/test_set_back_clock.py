"""The clock may be set back: nothing waits for the old time, and no round of background work goes on by it."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dryline.storage.current_world import find_task
from dryline.tests.conftest import created
from dryline.tests.webhooks.receiver import Receiver
from dryline.world import clock
from dryline.world.clock import _Position

AHEAD, BACK = "2030-01-02T00:00:00.000Z", "2030-01-01T00:00:00.000Z"


@pytest.fixture
def receiver():
    with closing(Receiver()) as receiver:
        yield receiver


@pytest.fixture
def set_clock(control):
    def set_clock(now):
        assert control.put("/clock", {"now": now, "frozen": True}).status_code == 200

    return set_clock


@pytest.fixture
def begin(api, control, line, make_voicev1_deployment, make_worker, receiver):
    """Begin work of every kind. Return a function for each that reads how far it is."""
    worker, number = line["workerId"], "+14155550100"
    voice = f"/workers/{worker}/deployments/voice/{line['id']}"
    rows = [{"id": f"r{each}", "phoneNumber": f"+1415555010{each}"} for each in range(4)]

    def resource():
        link = {"name": "R", "rawLink": "https://x.example/a", "updateFrequency": "daily"}
        id = created(api.post(f"/workers/{worker}/resources/link", link))["id"]
        return lambda: api.get(f"/workers/{worker}/resources/{id}").json["status"]

    def sender():
        body = {"phoneNumber": number, "profile": {"name": "A"}}
        id = created(api.post("/team/assets/purchase_whatsapp_sender", body))["senderSid"]
        return lambda: api.get(f"/team/assets/whatsapp_sender_status/{id}").json["status"]

    def call():
        body = {"workerId": worker, "deploymentId": line["id"], "inProgress": True}
        id = created(control.post("/simulate/calls", body))["ids"][0]
        return lambda: api.get(f"/workers/{worker}/deploymentLogs/voice/{id}").json["endTime"] is not None

    def delivery():
        path = f"/workers/{worker}/deployments/{line['id']}/voice/customWebhooks"
        created(api.post(path, {"url": receiver.url, "fields": "status"}))
        receiver.answers = [500, 200]
        created(control.post("/simulate/calls", {"workerId": worker, "deploymentId": line["id"]}))
        control.post("/clock/advance", {"seconds": 0})
        return lambda: {one["status"] for one in control.get("/webhooks").json}

    def batch():
        assert api.post(f"{voice}/make-batch-calls", {"data": rows, "batch_size": 2}).status_code == 200
        return lambda: api.get(f"/workers/{worker}/deploymentLogs/voice").json["pagination"]["total"]

    def campaign():
        path = f"{voice}/outbound-campaigns"
        id = created(api.post(path, {"data": rows, "status": "STARTED"}))["id"]
        return lambda: api.get(f"{path}/{id}").json["status"]

    def called_campaign():
        status = campaign()
        control.post("/clock/advance", {"seconds": 0})
        return status

    def legacy_campaign():
        deployment = make_voicev1_deployment()
        path = f"/workers/{deployment['workerId']}/deployments/voicev1/{deployment['id']}/campaigns"
        id = created(api.post(path, {"steps": []}))["id"]
        assert api.post(f"{path}/{id}/run", {"data": rows}).status_code == 200
        control.post("/clock/advance", {"seconds": 0})
        return lambda: api.get(f"{path}/{id}").json["status"]

    def export():
        ask = {"format": "CSV", "startDate": BACK, "endDate": AHEAD}
        id = created(api.post("/team/exports", ask))["id"]
        return lambda: api.get(f"/team/exports/{id}").json["status"]

    def test_run():
        body = {"name": "T", "description": "", "testMode": "voice", "systemPrompt": "", "flowId": line["flowId"]}
        check = {"name": "A", "description": "", "runs": 1, "tolerance": 1}
        id = created(api.post(f"/workers/{worker}/tests", {**body, "checkpoints": [check]}))["id"]
        assert api.post(f"/workers/{worker}/tests/{id}/run").status_code < 300
        return lambda: api.get(f"/workers/{worker}/tests/{id}/runs").json[0]["status"]

    def echo_run():
        assert api.post("/echo/run", {"type": "agent", "agent_data": {"name": "A"}}).status_code < 300
        return lambda: control.get("/echo-runs").json[0]["status"]

    return locals()


# The kind of work, and how far it is at once after the clock was set back.
DUE_AT_ONCE = {
    "resource": "AVAILABLE",
    "sender": "ONLINE",
    "call": True,
    "delivery": {"DELIVERED"},
    "batch": 2,  # the second batch keeps its time
    "campaign": "RUNNING",
    "called_campaign": "COMPLETED",
    "legacy_campaign": "COMPLETED",
    "export": "COMPLETED",
    "test_run": "RUNNING",
    "echo_run": "RUNNING",
}


@pytest.mark.parametrize("kind", DUE_AT_ONCE)
def test_what_was_begun_later_than_now_does_not_wait_for_the_old_time(begin, set_clock, advance, kind):
    set_clock(AHEAD)
    read = begin[kind]()
    set_clock(BACK)
    assert read() == DUE_AT_ONCE[kind]


@pytest.mark.parametrize("kind", ["test_run", "echo_run", "campaign"])
def test_what_takes_its_time_takes_it_from_now_on(begin, set_clock, advance, kind):
    set_clock(AHEAD)
    read = begin[kind]()
    set_clock(BACK)
    advance(3_600)
    assert read() in ("PASSED", "FAILED", "COMPLETED")


def test_a_call_with_a_start_that_was_named_waits_for_it(control, api, line, set_clock):
    set_clock(AHEAD)
    start = "2030-01-02T01:00:00.000Z"
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "inProgress": True, "startTime": start}
    created(control.post("/simulate/calls", body))
    set_clock(BACK)
    logs = f"/workers/{line['workerId']}/deploymentLogs/voice"
    assert api.get(logs).json["data"] == []
    set_clock(start)
    assert [log["startTime"] for log in api.get(logs).json["data"]] == [start]


@pytest.mark.parametrize("kind", ["batch", "campaign", "legacy_campaign", "call", "delivery"])
def test_the_server_answers_when_the_clock_is_set_back_while_work_begins(app, begin, set_clock, control, kind):
    app.jobs.start()
    set_clock(AHEAD)
    begin[kind]()
    set_clock(BACK)
    assert control.post("/clock/advance", {"seconds": 60}).status_code == 200


def test_a_round_asks_the_clock_for_its_moment_and_nothing_below_asks_it(
    api, begin, line, set_clock, advance, control, monkeypatch
):
    def times():
        state = control.get("/state").text + control.get("/webhooks").text
        return set(re.findall(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", state))

    set_clock(BACK)
    code = "loop:\n    talk()\nuntil 'caller wants an appointment':\n    say('Fine.')\n"
    assert api.patch(f"/workers/{line['workerId']}/flows/{line['flowId']}", {"code": code}).status_code == 200
    for kind in DUE_AT_ONCE:
        begin[kind]()
    control.put("/settings", {"callsPerMinute": 0.02})
    times_before, readers, now = times(), set(), _Position.now

    def spy(position):
        task = find_task()
        if task is not None and task.moment is not None:
            frame = sys._getframe(1)
            while frame.f_code.co_filename == clock.__file__:
                frame = frame.f_back
            readers.add(Path(frame.f_code.co_filename).name)
        return now(position)

    monkeypatch.setattr(_Position, "now", spy)  # whatever asks a clock comes here, also by a method bound before
    advance(100_000)
    assert readers == {"runner.py"}
    assert {time[:7] for time in times() - times_before} == {"2030-01"}  # and not the time of the machine
