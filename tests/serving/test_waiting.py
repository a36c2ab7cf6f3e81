"""No request or client delays another one, however many wait or read slowly."""

import json
import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dryline.serving.server import HttpServer
from dryline.tests.serving.conftest import NEW_WORKER, PATIENCE_S
from dryline.world.request_log import RequestLog

OTHERS = (
    ("GET", "/_dryline/health"),
    ("GET", "/api/team"),
    ("GET", "/api/workers"),
    ("POST", "/api/workers", NEW_WORKER),
)


def test_health_reads_and_writes_are_answered_beside_twenty_delayed_requests(delayed, ask):
    delayed(20, times=20)
    assert [ask(*request) for request in OTHERS] == [200, 200, 200, 201]


def test_requests_whose_answer_is_delayed_hold_no_connection_to_the_database(delayed, monkeypatch):
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: opened.append(args) or connect(*args, **options))
    delayed(50, phase="after")
    assert len(opened) < 10


def test_requests_are_answered_beside_thirty_that_wait_for_a_call(begin, ask, monkeypatch):
    waiting, wait_for_next = threading.Semaphore(0), RequestLog.wait_for_next
    monkeypatch.setattr(RequestLog, "wait_for_next", lambda *args: waiting.release() or wait_for_next(*args))
    wait = b'{"path": "/api/team/exports", "timeoutMs": 10000}'
    outcomes = [begin("POST", "/_dryline/requests/wait", wait) for _ in range(30)]
    for _ in outcomes:
        assert waiting.acquire(timeout=PATIENCE_S)
    assert [ask(*request) for request in OTHERS] == [200, 200, 200, 201]
    ask("GET", "/api/team/exports")
    assert {outcome() for outcome in outcomes} == {200}


def test_the_receivers_of_64_flows_can_call_the_server_back(ask, server):
    class Receiver(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(ask("GET", "/api/workers"))
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as receiver, ThreadPoolExecutor(64) as pool:
        threading.Thread(target=receiver.serve_forever, args=[0.01]).start()
        code = f"import requests\nassert requests.get('http://127.0.0.1:{receiver.server_port}/').status_code == 200"
        body = json.dumps({"code": code}).encode()
        statuses = list(pool.map(lambda _: ask("POST", "/_dryline/talk", body), range(64)))
        receiver.shutdown()
    assert statuses == [201] * 64


def test_taking_the_fault_away_ends_the_delays_and_the_requests_go_on(delayed, ask, api):
    fault, outcomes = delayed()
    assert ask("DELETE", f"/_dryline/faults/{fault}") == 204
    assert {outcome() for outcome in outcomes} == {201}
    assert len(api.get("/workers").json) == len(outcomes)


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


def test_writes_that_wait_for_another_delay_no_read_and_are_in_the_request_log(app, ask, begin, control, arrived):
    with app.world.write_lock:
        outcomes = [begin("POST", "/api/workers", NEW_WORKER) for _ in range(8)]
        for _ in outcomes:
            assert arrived.acquire(timeout=PATIENCE_S)
        assert [ask(*request) for request in OTHERS[:3]] == [200] * 3
        writes = {"method": "POST", "path": "/api/workers", "times": 8}
        assert control.post("/requests/verify", writes).status_code == 200
    assert {outcome() for outcome in outcomes} == {201}


def test_a_request_in_progress_is_finished_when_the_server_stops(app, server, begin, arrived, monkeypatch):
    stopping, is_busy = threading.Event(), HttpServer._is_busy
    monkeypatch.setattr(HttpServer, "_is_busy", lambda server: stopping.set() or is_busy(server))
    with app.world.write_lock:
        outcome = begin("POST", "/api/workers", NEW_WORKER)
        assert arrived.acquire(timeout=PATIENCE_S)
        server.stop()
        assert stopping.wait(PATIENCE_S)
    assert outcome() == 201
