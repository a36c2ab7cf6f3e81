"""No client delays another one: requests that wait, slow readers, the limit of connections."""

import http.client
import logging
import os
import threading

import pytest

from dryline.serving import listener
from dryline.tests.conftest import serve
from dryline.tests.connections.conftest import NEW_WORKER, PATIENCE_S


def test_taking_the_fault_away_ends_the_delays_and_the_requests_go_on(delayed, ask, api):
    fault, outcomes = delayed()
    assert ask("DELETE", f"/_dryline/faults/{fault}") == 204
    assert {outcome() for outcome in outcomes} == {201}
    assert len(api.get("/workers").json) == len(outcomes)


def test_a_reset_leaves_no_delayed_request_to_write_into_the_new_world(delayed, ask, api, control):
    _, outcomes = delayed()
    assert ask("POST", "/_dryline/reset") == 204
    assert {outcome() for outcome in outcomes} == {"RemoteDisconnected"}
    assert (api.get("/workers").json, [entry["method"] for entry in control.get("/requests").json]) == ([], ["GET"])


def test_a_teams_reset_drops_that_teams_delayed_requests(delayed, ask, make_worker):
    team = make_worker()["teamId"]
    _, outcomes = delayed(1, teamId=team)
    assert ask("POST", f"/_dryline/reset?team={team}") == 204
    assert outcomes[0]() == "RemoteDisconnected"


def test_the_servers_end_drops_delayed_requests(delayed, server):
    _, outcomes = delayed()
    server.stop()
    assert {outcome() for outcome in outcomes} == {"RemoteDisconnected"}


def test_reads_are_answered_beside_writes_that_wait_for_the_writer(app, ask, begin, api):
    with app.world.write_lock:
        outcomes = [begin("POST", "/api/workers", NEW_WORKER) for _ in range(8)]
        assert [ask("GET", path) for path in ("/api/workers", "/_dryline/health", "/_dryline/faults")] == [200] * 3
    assert {outcome() for outcome in outcomes} == {201}


@pytest.mark.alone
def test_everything_is_answered_beside_calls_on_the_clock_that_wait_for_long_work(app, ask, begin):
    begun, over = threading.Semaphore(0), threading.Event()

    def long_work():
        begun.release()
        over.wait()

    app.world.run_due = long_work
    outcomes = [begin("POST", "/_dryline/clock/advance", b'{"seconds": 1}') for _ in range(8)]
    try:
        for _ in outcomes:
            assert begun.acquire(timeout=PATIENCE_S)
        assert ask("GET", "/_dryline/health") == 200
        assert ask("POST", "/api/workers", NEW_WORKER) == 201
        assert ask("POST", "/_dryline/reset") == 204
    finally:
        over.set()
    assert {outcome() for outcome in outcomes} == {200}


@pytest.fixture
def large_file(api, advance):
    """Return the path of a download of 40 MB, more than sockets and buffers hold."""
    window = {"startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}
    made = api.post("/team/exports", {"format": "CSV", **window}).json

    def enlarge(world):
        advance()
        (path,) = world.exports.glob("*.csv")
        os.truncate(path, 40_000_000)
        return api.get(f"/team/exports/{made['id']}").json["downloadUrl"].partition("localhost")[2]

    return enlarge


@pytest.mark.parametrize("header", ["", "Range: bytes=1-\r\n"])
def test_slow_readers_of_a_download_hold_up_nothing(app, raw, ask, large_file, header):
    path = large_file(app.world)
    for _ in range(8):
        reader = raw()
        reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n".encode())
        assert reader.recv(9) == b"HTTP/1.1 "
    assert ask("GET", "/_dryline/health") == 200
    assert ask("GET", "/api/workers") == 200


def test_a_part_of_a_file_is_sent_byte_for_byte(app, server, large_file):
    path = large_file(app.world)
    (file,) = app.world.exports.glob("*.csv")
    with file.open("r+b") as content:
        content.seek(20_000_000)
        content.write(b"here it is")
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE_S)
    connection.request("GET", path, headers={"Range": "bytes=20000000-20000009"})
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (206, b"here it is")
    connection.close()


def test_no_thread_waits_for_a_client_that_reads_none_of_its_answers(app, raw, make_worker, monkeypatch):
    for _ in range(10):
        make_worker(description="x" * 100_000)
    answered = threading.Semaphore(0)
    monkeypatch.setattr(app.world.requests, "add", lambda _: answered.release())
    raw().sendall(b"GET /api/workers HTTP/1.1\r\nHost: localhost\r\nx-api-key: dryline-local-key\r\n\r\n" * 40)
    for _ in range(40):
        assert answered.acquire(timeout=PATIENCE_S)


def test_file_numbers_beyond_1023_are_no_end(app, monkeypatch):
    listener.raise_file_limit()
    taken = [os.dup(1) for _ in range(1100)]
    try:
        with serve(app) as server:
            connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE_S)
            connection.request("GET", "/_dryline/health")
            assert connection.getresponse().status == 200
            connection.close()
    finally:
        for number in taken:
            os.close(number)


class TestAtTheLimit:
    """A server of at most four connections."""

    @pytest.fixture
    def server(self, monkeypatch, request):
        # waitress counts the listening socket and the pipe that wakes the loop, too.
        monkeypatch.setattr(listener, "MAX_CONNECTIONS", 6)
        return request.getfixturevalue("server")

    def test_a_new_connection_waits_until_one_is_closed(self, server, raw, begin):
        connections = [raw() for _ in range(4)]
        for connection in connections:
            connection.sendall(b"GET /_dryline/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
        outcome = begin("GET", "/_dryline/health")
        connections[0].close()
        assert outcome() == 200

    def test_the_limit_is_logged(self, server, delayed, begin, control, caplog):
        with caplog.at_level(logging.WARNING, "dryline"):
            fault, outcomes = delayed(4)
            last = begin("GET", "/_dryline/health")
            control.delete(f"/faults/{fault}")
            assert {last(), *(outcome() for outcome in outcomes)} == {200, 201}
        assert "All 4 connections are in use" in caplog.text
