"""The helpers for other projects' tests."""

import re
import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest
from brainbase_labs import APIStatusError, InternalServerError

from dryline.blueprints.control.faults import FaultSchema
from dryline.blueprints.control.settings import SettingsSchema
from dryline.schemas.exports import ExportSchema
from dryline.schemas.request_log import EntrySchema
from dryline.schemas.webhook_deliveries import WebhookDeliverySchema
from dryline.testing import DrylineError, DrylineInProcess, DrylineServer, NotTaken, connect, rows, wait_until
from dryline.tests.conftest import NEW_WORKER
from dryline.tests.control.test_talk import CLINIC


def test_the_vendors_client_speaks_to_it(stand_in):
    made = stand_in.client(_strict_response_validation=True).workers.create(**NEW_WORKER)
    assert stand_in.requests(method="POST")[0]["body"] == NEW_WORKER
    assert [row["id"] for row in stand_in.state()["workers"]] == [made.id]


def test_the_vendors_async_client_speaks_to_it(stand_in):
    import asyncio

    async def main():
        async with stand_in.async_client(_strict_response_validation=True) as client:
            await client.workers.create(**NEW_WORKER)
            return await client.workers.list()

    assert [worker.name for worker in asyncio.run(main())] == ["Front desk"]


def test_a_reset_forgets_everything(stand_in):
    stand_in.client().workers.create(**NEW_WORKER)
    stand_in.fault(status=500)
    stand_in.freeze("2030-01-01T00:00:00Z")
    stand_in.reset()
    assert stand_in.client().workers.list() == []
    assert stand_in.requests(limit=10)[-1]["status"] == 200
    assert stand_in.now().year < 2030


def test_calls_are_simulated_on_a_deployment_that_is_made_when_there_is_none(stand_in):
    ids = stand_in.simulate_calls(3)
    assert sorted(row["id"] for row in stand_in.state()["voiceLogs"]) == sorted(ids)
    stand_in.simulate_calls(1, outcome="voicemail")
    assert len(stand_in.state()["voiceDeployments"]) == 1


NO_WAY = """\
loop:
    talk("Hi", True)
until "caller wants a human":
    if state.get("x"):
        transfer("+15550100")
"""


def test_calls_that_the_flow_led_elsewhere_raise_unless_that_is_accepted(stand_in):
    workers = stand_in.client().workers
    worker = workers.create(**NEW_WORKER)
    flow = workers.flows.create(worker.id, name="Main", label="", code=NO_WAY)
    line = workers.deployments.voice.create(worker.id, name="Line", phone_number="+14155550100", flow_id=flow.id)
    options = {"deployment_id": line.id, "outcome": "transferred"}
    with pytest.raises(NotTaken, match="'transferred'; the call took 'caller wants a human'") as raised:
        stand_in.simulate_calls(2, **options)
    assert len(raised.value.answer["ids"]) == len(raised.value.answer["notTaken"]) == 2
    assert len(stand_in.simulate_calls(1, **options, anyway=True)) == 1
    assert len(stand_in.state()["voiceLogs"]) == 3


def test_time_is_moved_by_seconds_or_days(stand_in):
    start = datetime(2030, 1, 1, tzinfo=UTC)
    assert stand_in.freeze("2030-01-01T00:00:00Z") == start
    assert stand_in.advance(1.5) == start + timedelta(seconds=1.5)
    assert stand_in.advance(days=1) == stand_in.now() == start + timedelta(days=1, seconds=1.5)


def test_a_state_can_be_kept_and_gone_back_to(stand_in):
    stand_in.client().workers.create(**NEW_WORKER)
    stand_in.snapshot("one worker")
    state = stand_in.state()
    stand_in.client().workers.create(**NEW_WORKER)
    stand_in.restore("one worker")
    assert stand_in.state() == state


def test_a_document_can_be_loaded_and_added(stand_in):
    stand_in.load({"version": 1, "workers": [{"id": "w1", "name": "One"}]})
    stand_in.add({"version": 1, "workers": [{"id": "w2", "name": "Two"}]})
    assert {worker.id for worker in stand_in.client().workers.list()} == {"w1", "w2"}


def test_a_flow_is_talked_to(stand_in):
    talk = stand_in.talk(code=CLINIC)
    assert talk.waiting == ["caller wants to book an appointment", "caller wants a human"]
    assert talk.say("I want to book an appointment for Monday") == ["See you on Monday."]
    assert (talk.said[0], talk.said[-1]) == ("Oak Clinic.", "See you on Monday.")
    assert talk.taken == ["caller wants to book an appointment"]
    assert (talk.extracted, talk.ended, talk.failure) == ({"booking": {"day": "Monday"}}, "end of the flow", None)
    with pytest.raises(DrylineError, match="has ended"):
        talk.say("Hello?")


def test_a_flow_of_the_api_is_talked_to_and_its_conditions_chosen(stand_in):
    worker = stand_in.client().workers.create(name="A", description=None, status=None)
    flow = stand_in.client().workers.flows.create(worker.id, name="Main", label="", code=CLINIC)
    talk = stand_in.talk(flow_id=flow.id)
    talk.choose(1)
    assert talk.of("transferred")[0]["number"] == "+15550100"
    assert stand_in.talk(flow_id=flow.id, variables={"a": 1}, channel="chat").state == {"variables": {"a": 1}}


def test_rows_of_helpers_are_not_in_the_request_log(stand_in):
    stand_in.fault(status=503)
    stand_in.simulate_calls()
    stand_in.simulate_chats()
    assert stand_in.requests() == []


class TestExportsByHand:
    @pytest.fixture
    def export(self, stand_in):
        """Return the id of an export that waits."""
        stand_in.settings(export_mode="manual")
        body = {"startDate": "2026-01-01T00:00:00Z", "endDate": "2026-02-01T00:00:00Z", "format": "CSV"}
        headers = {"x-api-key": stand_in.api_key}
        options = {"transport": stand_in.transport(), "base_url": stand_in.url, "headers": headers}
        with httpx.Client(**options) as http:
            return http.post("/api/team/exports", json=body).json()["id"]

    @pytest.mark.parametrize("status", ["PROCESSING", "COMPLETED", "FAILED", "EXPIRED"])
    def test_an_export_is_moved_to_any_state(self, stand_in, export, status):
        assert stand_in.finish_export(export, status)["status"] == status

    def test_an_export_goes_on_from_where_it_is(self, stand_in, export):
        stand_in.finish_export(export, "PROCESSING")
        assert stand_in.finish_export(export)["downloadUrl"].startswith(stand_in.url)

    def test_the_mode_auto_refuses_also_a_status_that_an_export_has_by_itself(self, stand_in, export):
        stand_in.settings(export_mode="auto")
        stand_in.advance(1)
        with pytest.raises(DrylineError, match=re.escape('settings(export_mode="manual")')):
            stand_in.finish_export(export, "COMPLETED")

    def test_a_failed_export_says_why_and_is_not_moved(self, stand_in, export):
        assert stand_in.finish_export(export, "FAILED", error_message="No disk.")["errorMessage"] == "No disk."
        with pytest.raises(DrylineError, match="is FAILED"):
            stand_in.finish_export(export)


def test_deliveries_of_webhooks_are_read_by_their_filters(stand_in):
    (log,) = stand_in.simulate_calls()
    line = stand_in.state()["voiceDeployments"][0]
    hook = {"id": "hook", "deploymentId": line["id"], "name": "Hook", "url": "http://x.invalid/", "fields": ""}
    stand_in.add({"version": 1, "customWebhooks": [hook]})
    stand_in.plane("POST", "/webhooks", {"logId": log, "event": "call_ended"})
    stand_in.advance(1)
    (delivery,) = stand_in.webhooks(log_id=log, deployment_id=line["id"], webhook_id="hook", limit=5)
    assert (delivery["event"], stand_in.webhooks(status="DELIVERED")) == ("call_ended", [])


class TestTeams:
    def test_a_team_sees_and_touches_nothing_of_another(self, stand_in):
        one, two = stand_in.team("One"), stand_in.team("Two")
        made = one.client().workers.create(**NEW_WORKER)
        assert [row["id"] for row in one.state()["workers"]] == [made.id]
        assert two.client().workers.list() == two.state()["workers"] == []
        one.verify(method="POST", times=1)
        two.verify(method="POST", times=0)
        two.reset()
        assert len(one.client().workers.list()) == 1

    def test_a_teams_calls_and_chats_are_its_own(self, stand_in):
        one, two = stand_in.team("One"), stand_in.team("Two")
        for team in (one, two):
            assert len(team.simulate_calls(2)) == len(team.simulate_chats(2)) == 2
            assert len(team.state()["voiceLogs"]) == len(team.state()["chatLogs"]) == 2

    def test_a_teams_fault_strikes_it_alone(self, stand_in):
        one, two = stand_in.team("One"), stand_in.team("Two")
        one.fault(path="/api/workers", status=503)
        with one.client(max_retries=0) as client, pytest.raises(InternalServerError):
            client.workers.list()
        assert two.client().workers.list() == []

    def test_a_teams_environment_has_its_key(self, stand_in):
        team = stand_in.team()
        key = {"BRAINBASE_LABS_API_KEY": team.api_key}
        assert team.environment == stand_in.environment | key != stand_in.environment

    def test_a_team_says_what_it_is(self, stand_in):
        assert repr(stand_in.team("One")) == f"<team 'One' of dryline at {stand_in.url}>"


class TestWaiting:
    def test_it_is_asked_until_it_is_so(self):
        answers = iter([None, [], "there"])
        assert wait_until(lambda: next(answers), every_s=0) == "there"

    def test_a_check_that_fails_is_tried_again(self, stand_in):
        def check():
            stand_in.client().workers.list()
            return stand_in.verify(path="/api/workers", times=3)

        assert wait_until(check, every_s=0) == 3

    def test_a_timeout_has_the_reason(self, stand_in):
        with pytest.raises(DrylineError, match="Timed out after 0 s: Expected at least 1, found 0"):
            wait_until(lambda: stand_in.verify(path="/api/workers"), timeout_s=0)
        with pytest.raises(DrylineError, match=r"Timed out after 0 s: the condition stayed false\."):
            wait_until(lambda: False, timeout_s=0)
        with pytest.raises(DrylineError, match="Timed out after 0 s: no call came"):
            wait_until(lambda: False, timeout_s=0, message="no call came")

    def test_an_exception_is_not_retried(self):
        with pytest.raises(ZeroDivisionError):
            wait_until(lambda: 1 / 0)


@pytest.mark.parametrize(
    ("check", "says"),
    [
        ({"times": 1, "at_least": 5}, "leave out at_least and at_most"),
        ({"times": 1, "at_most": 0}, "leave out at_least and at_most"),
        ({"at_least": 3, "at_most": 1}, "Must not be less than min"),
        ({"times": -1}, "times"),
        ({"path": "/api/workers", "json": {"naem": "x"}, "times": 0}, "did you mean name"),
        ({"path": "/api/workers/{workerId}", "times": 0}, "found 1"),
        ({"path": "/api/workers//{any}/", "at_most": 0}, "found 1"),
    ],
)
def test_a_check_that_would_pass_by_mistake_raises(stand_in, check, says):
    client = stand_in.client()
    client.workers.delete(client.workers.create(**NEW_WORKER).id)
    with pytest.raises(DrylineError, match=says):
        stand_in.verify(**check)


def test_a_frozen_clock_goes_on_from_where_it_is(stand_in):
    stand_in.freeze("2030-01-01T00:00:00Z")
    stand_in.unfreeze()
    assert not stand_in.plane("GET", "/clock")["frozen"] and stand_in.now().year == 2030


def test_a_fault_takes_the_criteria_of_a_check_and_answers_in_turn(stand_in):
    stand_in.fault(json={"name": "B"}, request_headers={"X-Trace": Decimal("7.10")}, answers=[429, {"status": 503}])
    client = stand_in.client(max_retries=0, default_headers={"X-Trace": "7.10"})

    def create(name):
        try:
            client.workers.create(name=name, description=None, status=None)
        except APIStatusError as error:
            return error.status_code
        return 201

    assert [create(name) for name in ["A", "B", "B", "B"]] == [201, 429, 503, 201]
    assert stand_in.unused_faults() == []


def test_a_removed_fault_applies_no_longer(stand_in):
    id = stand_in.fault(path="/api/workers", status=503)
    stand_in.remove_fault(id)
    assert stand_in.client(max_retries=0).workers.list() == [] and stand_in.unused_faults() == []
    with pytest.raises(DrylineError):
        stand_in.remove_fault(id)


def test_requests_of_a_program_in_the_background_are_waited_for(stand_in):
    client = stand_in.client()
    sender = threading.Timer(0.05, lambda: [client.workers.create(**NEW_WORKER) for _ in range(2)])
    sender.start()
    entries = stand_in.wait_for_request(method="POST", path="/api/workers", json={"name": "Front desk"}, count=2)
    assert [entry["status"] for entry in entries] == [201, 201]
    sender.join()


@pytest.mark.parametrize("call", ["simulate_calls", "simulate_chats"])
def test_a_deployment_has_one_name_and_the_former_one_warns(stand_in, call):
    kind = "voice" if call == "simulate_calls" else "chat"
    getattr(stand_in, call)()
    line = stand_in.state()[f"{kind}Deployments"][0]["id"]
    assert len(getattr(stand_in, call)(2, deployment_id=line)) == 2
    with pytest.warns(DeprecationWarning, match="deployment is now deployment_id"):
        assert len(getattr(stand_in, call)(deployment=line)) == 1


@pytest.mark.parametrize(
    ("helper", "options", "says"),
    [
        ("simulate_calls", {"outcom": "busy"}, "outcom: Unknown field; did you mean outcome?"),
        ("simulate_chats", {"outcome": "busy"}, "outcome: Unknown field."),
        ("verify", {"pth": "/api/workers"}, "pth: Unknown field; did you mean path?"),
        ("wait_for_request", {"timeout": 1}, "timeout: Unknown field; did you mean timeoutMs?"),
    ],
)
def test_an_argument_that_a_helper_does_not_have_is_refused(stand_in, helper, options, says):
    with pytest.raises(DrylineError, match=re.escape(says)):
        getattr(stand_in, helper)(**options)


@pytest.mark.parametrize(
    ("row", "schema"),
    [
        (rows.LoggedRequest, EntrySchema),
        (rows.FaultRule, FaultSchema),
        (rows.Delivery, WebhookDeliverySchema),
        (rows.RuntimeValues, SettingsSchema),
        (rows.ExportRow, ExportSchema),
    ],
)
def test_the_types_of_rows_have_the_members_that_answers_have(row, schema):
    fields = {field.data_key or name: field for name, field in schema().dump_fields.items()}
    assert set(row.__annotations__) == set(fields)
    nullable = {name for name, kind in row.__annotations__.items() if "None" in str(kind)}
    free = {name for name, kind in row.__annotations__.items() if kind is Any}
    assert {name for name, field in fields.items() if field.allow_none} - free == nullable


@pytest.mark.parametrize(
    "url", ["127.0.0.1:4999", "http://127.0.0.1:4120x", "http://", "ftp://127.0.0.1", "", "http://[::1"]
)
def test_a_text_that_is_no_address_is_named(url):
    with pytest.raises(DrylineError, match=re.escape(f"{url!r} is not the address of a server, such as")):
        connect(url)


def test_an_async_client_works_in_one_event_loop_after_the_other():
    import asyncio

    with DrylineServer() as server:
        client = server.async_client(max_retries=0)

        async def add_and_list(count):
            await asyncio.gather(*(client.workers.create(**NEW_WORKER) for _ in range(count)))
            return len(await client.workers.list())

        assert [asyncio.run(add_and_list(5)) for _ in range(3)] == [5, 10, 15]
        sync = [server.client().workers.list() for _ in range(2)]
        assert [len(workers) for workers in sync] == [15, 15]


def test_the_server_closes_connections_of_the_vendors_client_and_keeps_others_open():
    with DrylineServer() as server, server.client() as client, httpx.Client(base_url=server.url) as http:
        assert client.workers.with_raw_response.list().headers["connection"] == "close"
        assert "connection" not in http.get("/_dryline/health").headers


@pytest.mark.parametrize("make", [DrylineServer, DrylineInProcess])
def test_the_end_of_a_stand_in_reports_rules_that_were_not_applied(make):
    stand_in = make().start()
    stand_in.fault(path="/api/workers", status=503)
    stand_in.fault(path="/api/team", status=503, unused_ok=True)
    with pytest.raises(DrylineError, match=r"^The fault on /api/workers was never applied") as raised:
        stand_in.stop()
    assert "/api/team" not in str(raised.value)
    stand_in.stop()
    with make() as stand_in:
        stand_in.fault(path="/api/workers", status=503, times=1)
        with pytest.raises(InternalServerError):
            stand_in.client(max_retries=0).workers.list()


def test_an_error_of_the_block_is_not_hidden_by_rules_that_were_not_applied():
    with pytest.raises(KeyError), DrylineInProcess() as stand_in:
        stand_in.fault(path="/api/workers", status=503)
        raise KeyError("own")
