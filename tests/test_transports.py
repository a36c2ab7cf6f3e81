"""Clients without a socket meet what they would meet over one: cut connections, timeouts, a loop that goes on."""

import asyncio

import httpx
import pytest
from brainbase_labs import APITimeoutError

from dryline.testing import DrylineInProcess, transport
from dryline.tests.conftest import NEW_WORKER

# Longer than any test takes: who waits for it never ends.
LONG_MS = 600_000


@pytest.fixture(scope="module")
def process():
    with DrylineInProcess() as process:
        yield process


@pytest.fixture
def in_process(process):
    process.reset()
    return process


def http(stand_in, timeout=None):
    """Return a client over the socket, or without one."""
    without = {"transport": stand_in.transport()} if isinstance(stand_in, DrylineInProcess) else {}
    headers = {"x-api-key": stand_in.api_key}
    return httpx.Client(base_url=stand_in.url, headers=headers, timeout=timeout, trust_env=False, **without)


def async_http(stand_in, timeout=None):
    headers = {"x-api-key": stand_in.api_key}
    return httpx.AsyncClient(
        transport=stand_in.async_transport(), base_url=stand_in.url, headers=headers, timeout=timeout
    )


def test_a_dropped_connection_is_a_protocol_error(stand_in):
    stand_in.fault(drop=True)
    with http(stand_in) as client, pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        client.get("/api/workers")


def test_an_answer_that_breaks_off_is_a_protocol_error(stand_in):
    stand_in.fault(malformed="truncated")
    message = r"peer closed connection without sending complete message body \(received 1 bytes, expected 2\)"
    with http(stand_in) as client, pytest.raises(httpx.RemoteProtocolError, match=message):
        client.get("/api/workers")


def test_a_client_that_waits_less_than_the_delay_gives_up(stand_in):
    stand_in.fault(delay_ms=LONG_MS)
    with http(stand_in, httpx.Timeout(5, read=0.01)) as client, pytest.raises(httpx.ReadTimeout, match="timed out"):
        client.get("/api/workers")


@pytest.mark.parametrize("phase", ["before", "after"])
def test_a_request_that_the_client_gave_up_is_still_carried_out(in_process, phase):
    in_process.fault(method="POST", delay_ms=LONG_MS, phase=phase)
    with http(in_process, timeout=1) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/workers", json=NEW_WORKER)
        assert len(client.get("/api/workers").json()) == 1


def test_an_async_answer_breaks_off_likewise(in_process):
    in_process.fault(malformed="truncated")

    async def main():
        async with async_http(in_process) as client:
            with pytest.raises(httpx.RemoteProtocolError, match="received 1 bytes"):
                await client.get("/api/workers")

    asyncio.run(main())


def test_a_delay_never_holds_up_the_loop(in_process):
    rule = in_process.fault(path="/api/workers", delay_ms=LONG_MS)

    async def main():
        async with async_http(in_process) as client:
            slow = [asyncio.create_task(client.get("/api/workers")) for _ in range(3)]
            while in_process.plane("GET", "/faults")[0]["hits"] < 3:
                await asyncio.sleep(0)
            assert (await client.get("/api/team")).status_code == 200
            assert not any(task.done() for task in slow)
            in_process.plane("DELETE", f"/faults/{rule}")
            return [answer.status_code for answer in await asyncio.gather(*slow)]

    assert asyncio.run(main()) == [200, 200, 200]


def test_a_flow_can_call_a_server_of_the_same_event_loop(in_process):
    """Requests that run flows are answered in a thread, so that the loop can answer the flow."""

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfree")
        writer.close()

    async def main():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server, async_http(in_process) as client:
            port = server.sockets[0].getsockname()[1]
            code = f'import requests\nsay(requests.get("http://127.0.0.1:{port}/", timeout=5).text)\n'
            return await client.post("/_dryline/talk", json={"code": code})

    talk = asyncio.run(main()).json()
    assert talk["failure"] is None, talk["failure"]
    assert [event["text"] for event in talk["events"] if event["type"] == "said"] == ["free"]


def test_a_request_that_is_cancelled_leaves_the_loop_at_once(in_process):
    in_process.fault(path="/api/workers", delay_ms=LONG_MS)

    async def main():
        async with async_http(in_process) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.get("/api/workers"), 0.01)

    asyncio.run(main())


def test_a_transport_has_a_world_of_its_own_that_ends_with_it():
    one, two = transport(), transport()
    directory = one.dryline.app.world.directory
    headers = {"x-api-key": one.dryline.api_key}
    with httpx.Client(transport=one, base_url="http://dryline.local", headers=headers) as client:
        client.post("/api/workers", json=NEW_WORKER)
        with httpx.Client(transport=two, base_url="http://dryline.local", headers=headers) as other:
            assert other.get("/api/workers").json() == []
        assert directory.exists()
    assert not directory.exists()


def test_a_delay_of_exactly_the_clients_timeout_takes_no_time(in_process):
    in_process.fault(path="/api/workers", delay_ms=60_000)
    with pytest.raises(APITimeoutError):
        in_process.client(max_retries=0).workers.list()  # whose timeout is 60 s


@pytest.mark.parametrize("address", ["http://dryline.local", "http://user:password@dryline.local"])
def test_webhooks_reach_the_inbox_without_a_socket(in_process, address):
    line = make_line(in_process, url=f"{address}/inbox/calls?from=line")
    in_process.simulate_calls(1, deployment_id=line.id, outcome="completed")
    in_process.advance(1)
    assert {row["status"] for row in in_process.webhooks()} == {"DELIVERED"}
    start, end = reversed(in_process.requests(path="/inbox/calls"))
    assert (start["method"], end["query"], "summary" in end["body"]) == ("POST", {"from": ["line"]}, True)


def test_without_a_socket_a_webhook_reaches_the_inbox_alone(in_process):
    line = make_line(in_process, url="http://dryline.local/_dryline/reset")
    in_process.simulate_calls(1, deployment_id=line.id, outcome="completed")
    in_process.advance(1)
    assert {row["status"] for row in in_process.webhooks()} == {"REFUSED"}
    assert "leads to this server itself" in (in_process.webhooks()[0]["error"] or "")


def test_a_reset_ends_deliveries_to_the_inbox_without_a_socket(in_process):
    line = make_line(in_process, url="http://dryline.local/inbox/calls")
    in_process.simulate_calls(5, deployment_id=line.id)
    in_process.reset()
    in_process.advance(1)
    assert in_process.requests(path="/inbox/*") == []


def make_line(stand_in, *, url):
    """Return a voice deployment that sends webhooks to an address."""
    client = stand_in.client()
    worker = client.workers.create(**NEW_WORKER)
    flow = client.workers.flows.create(worker.id, name="Main", label=None, code='say("Goodbye.")', variables="{}")
    options = {"name": "Line", "phone_number": "+14155550100", "flow_id": flow.id}
    line = client.workers.deployments.voice.create(worker.id, **options)
    client.workers.deployments.voice.custom_webhooks.create(line.id, worker_id=worker.id, url=url, fields="summary")
    return line
