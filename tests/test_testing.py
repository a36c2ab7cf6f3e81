"""What dryline gives to other projects' tests."""

from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest

from dryline.settings import BadSetting
from dryline.testing import DrylineError, DrylineInProcess, DrylineServer
from dryline.tests.control.test_talk import CLINIC

NEW = {"name": "Front desk", "description": None, "status": None}


@pytest.fixture(params=[DrylineServer, DrylineInProcess])
def stand_in(request):
    with request.param(seed=1) as stand_in:
        yield stand_in


def test_the_vendors_client_speaks_to_it(stand_in):
    made = stand_in.client(_strict_response_validation=True).workers.create(**NEW)
    assert stand_in.requests(method="POST")[0]["body"] == NEW
    assert [row["id"] for row in stand_in.state()["workers"]] == [made.id]


def test_the_vendors_async_client_speaks_to_it(stand_in):
    import asyncio

    async def main():
        async with stand_in.async_client(_strict_response_validation=True) as client:
            await client.workers.create(**NEW)
            return await client.workers.list()

    assert [worker.name for worker in asyncio.run(main())] == ["Front desk"]


def test_a_reset_forgets_everything(stand_in):
    stand_in.client().workers.create(**NEW)
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


def test_time_is_moved_by_seconds_or_days(stand_in):
    start = datetime(2030, 1, 1, tzinfo=UTC)
    assert stand_in.freeze("2030-01-01T00:00:00Z") == start
    assert stand_in.advance(1.5) == start + timedelta(seconds=1.5)
    assert stand_in.advance(days=1) == stand_in.now() == start + timedelta(days=1, seconds=1.5)


def test_time_is_given_as_a_text_or_as_a_moment_of_some_zone(stand_in):
    moment = datetime(2030, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert stand_in.freeze(moment) == datetime(2030, 1, 1, tzinfo=UTC)
    with pytest.raises(ValueError, match="no time zone"):
        stand_in.freeze(datetime(2030, 1, 1))


def test_a_state_can_be_kept_and_gone_back_to(stand_in):
    stand_in.client().workers.create(**NEW)
    stand_in.snapshot("one worker")
    kept = stand_in.state()
    stand_in.client().workers.create(**NEW)
    stand_in.restore("one worker")
    assert stand_in.state() == kept


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


def test_a_failure_of_a_flow_names_its_line(stand_in):
    assert stand_in.talk(code="x = 1\ny = x / 0\n").failure["line"] == 2


def test_verify_raises_with_what_was_found(stand_in):
    stand_in.client().workers.list()
    assert stand_in.verify(path="/api/workers") == 1
    with pytest.raises(DrylineError, match="found 1"):
        stand_in.verify(path="/api/workers", at_least=2)


def test_two_servers_live_in_one_process():
    with DrylineServer() as one, DrylineServer() as two:
        one.client().workers.create(**NEW)
        assert (len(one.client().workers.list()), len(two.client().workers.list())) == (1, 0)


def test_a_server_whose_port_is_taken_gives_its_world_free(tmp_path):
    with DrylineServer() as other, pytest.raises(BadSetting, match="Cannot listen"):
        DrylineServer(data_dir=tmp_path, port=int(other.url.rsplit(":", 1)[1])).start()
    with DrylineServer(data_dir=tmp_path) as server:
        assert server.client().workers.list() == []


def test_an_admin_token_does_not_lock_the_fixture_out():
    with DrylineServer(admin_token="secret") as server:
        server.reset()
        assert httpx.get(server.url + "/_dryline/clock").status_code == 403
