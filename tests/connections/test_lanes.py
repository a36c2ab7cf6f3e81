"""The event loop answers fast requests only, and no slow or stalled request delays a fast one."""

import contextlib
import http.client
import sqlite3
import threading

import orjson
import pytest

from dryline.blueprints.teams import TeamView
from dryline.blueprints.workers import Workers
from dryline.serving.lanes import LONG_ADDRESS, Lane, lane_for
from dryline.tests.connections.conftest import NEW_WORKER, PATIENCE_S
from dryline.traffic.faults import FaultRules
from dryline.traffic.request_log import RequestLog

W = "/api/workers/worker_1"
FAST = (("GET", "/_dryline/health"), ("GET", "/api/workers"), ("GET", "/api/team"))

LOOP = [
    ("GET", "/_dryline/health"),
    ("GET", "/api/team"),
    ("GET", W),
    ("HEAD", f"{W}/"),
]
READ = [
    ("GET", "/api/workers"),
    ("GET", f"{W}/deploymentLogs/voice"),
    ("GET", f"{W}/runtime-errors"),
    ("GET", "/api/no-such-path"),
    ("GET", "/api/workers/worker%5F1"),
    ("GET", "/api/workers/a%2Fflows"),
    ("OPTIONS", W),
]
BLOCKING = [
    ("POST", "/api/workers"),
    ("PATCH", W),
    ("DELETE", W),
    ("POST", f"{W}/flows"),
    ("POST", "/api/voice-analysis"),
    ("POST", f"{W}/tests/test_1/run"),
    ("GET", f"{W}/deploymentLogs/voice?limit=5&searchQuery=x"),
    ("GET", "/_dryline/state"),
    ("POST", "/_dryline/simulate/calls"),
    ("GET", "/downloads/exports/export_1"),
    ("PUT", "/uploads/upload_1/file.txt"),
    ("POST", "/v1/chat/completions"),
    ("GET", "/openapi.json"),
]
LANES = {Lane.LOOP: LOOP, Lane.READ: READ, Lane.BLOCKING: BLOCKING}
TABLE = [(lane, *request) for lane, requests in LANES.items() for request in requests]


@pytest.mark.parametrize(("lane", "method", "target"), TABLE)
def test_each_request_has_a_lane(app, lane, method, target):
    assert lane_for(app, method, target, 0) is lane


def test_a_quick_view_is_for_a_thread_if_its_request_has_a_body_or_a_long_address(app):
    assert lane_for(app, "GET", W, 1) is Lane.READ
    assert lane_for(app, "GET", f"{W}?q={'x' * LONG_ADDRESS}", 0) is Lane.READ


@pytest.mark.parametrize(
    "delay",
    [
        {"delayMs": 60_000},
        {"delayDistribution": {"type": "uniform", "lowerMs": 0, "upperMs": 9}},
        {"bytesPerSecond": 9},
    ],
)
def test_while_a_fault_may_delay_the_loop_answers_nothing(app, control, delay):
    control.post("/faults", {"path": "/api/team", **delay})
    assert lane_for(app, "GET", W, 0) is Lane.BLOCKING
    assert lane_for(app, "GET", "/_dryline/health", 0) is Lane.BLOCKING


def test_the_loop_applies_a_fault_without_delay(app, control):
    control.post("/faults", {"path": "/api/team", "status": 503})
    assert lane_for(app, "GET", "/api/team", 0) is Lane.LOOP


def test_a_view_that_nobody_marked_is_for_a_thread(ask, threads, monkeypatch):
    assert ask("GET", "/api/team") == 200
    monkeypatch.delattr(TeamView, "quick")
    assert ask("GET", "/api/team") == 200
    assert threads == ["loop", "dryline-read"]


@pytest.fixture
def threads(app, monkeypatch):
    """Return the names of the threads that answered requests to the API, in order."""
    names = []
    monkeypatch.setattr(app.world.requests, "add", lambda _: names.append(threading.current_thread().name))
    return names


def test_threads_answer_other_requests(ask, threads, make_worker):
    worker = f"/api/workers/{make_worker()['id']}"
    threads.clear()
    assert ask("GET", worker) == 200
    assert ask("GET", f"{worker}/deploymentLogs/voice") == 200
    assert ask("DELETE", worker) == 204
    assert ask("GET", f"{worker}/deploymentLogs/voice?searchQuery=x") == 404
    assert threads == ["loop", "dryline-read", "dryline-blocking", "dryline-blocking"]


def test_the_loop_reads_while_another_program_writes(app, ask, begin, threads):
    with contextlib.closing(sqlite3.connect(app.world.db.path, isolation_level=None)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        outcome = begin("POST", "/api/workers", NEW_WORKER)
        assert [ask(*request) for request in FAST] == [200] * 3
        other_program.execute("ROLLBACK")
    assert outcome() == 201
    assert sorted(threads) == ["dryline-blocking", "dryline-read", "loop"]


def test_writes_that_wait_for_another_are_in_the_request_log(app, begin, control, monkeypatch):
    arrivals, log_begin = threading.Semaphore(0), RequestLog.begin

    def begin_and_count(*args):
        log_begin(*args)
        arrivals.release()

    monkeypatch.setattr(RequestLog, "begin", begin_and_count)
    with app.world.write_lock:
        outcomes = [begin("POST", "/api/workers", NEW_WORKER) for _ in range(3)]
        for _ in outcomes:
            assert arrivals.acquire(timeout=PATIENCE_S)
        assert control.post("/requests/verify", {"path": "/api/workers", "times": 3}).status_code == 200
    assert [outcome() for outcome in outcomes] == [201] * 3


def test_the_loop_answers_the_first_of_pipelined_requests(raw, threads):
    connection = raw()
    connection.sendall(b"GET /api/team HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3)
    with connection.makefile("rb") as answers:
        for _ in range(3):
            assert answers.readline().startswith(b"HTTP/1.1 401")
            headers = http.client.parse_headers(answers)
            answers.read(int(headers["Content-Length"]))
    assert threads == ["loop", "dryline-read", "dryline-read"]


@pytest.fixture
def held_up(monkeypatch):
    """Let the `calls`th call of a function wait for `held_up.over`. Returns a function that waits until it does."""
    over = threading.Event()

    def hold_up(where, name, calls=1):
        begun = threading.Semaphore(0)
        go_on = getattr(where, name)
        left = iter(range(calls - 1))

        def waiting(*args, **kwargs):
            if next(left, None) is None:
                begun.release()
                over.wait()
            return go_on(*args, **kwargs)

        monkeypatch.setattr(where, name, waiting)
        return lambda: begun.acquire(timeout=PATIENCE_S)

    hold_up.over = over
    yield hold_up
    over.set()


def test_delays_on_many_connections_delay_no_fast_one(delayed, ask):
    _, outcomes = delayed(path="/api/workers", method="POST", delayMs=60_000)
    assert [ask(*request) for request in FAST] == [200] * 3
    assert len(outcomes) == 50  # `delayed` ends them


def test_a_slow_view_that_nobody_marked_delays_no_fast_one(begin, ask, held_up):
    reached = held_up(Workers, "post")
    outcome = begin("POST", "/api/workers", NEW_WORKER)
    assert reached()
    assert [ask(*request) for request in FAST] == [200] * 3
    held_up.over.set()
    assert outcome() == 201


def test_a_simulation_delays_no_fast_one(begin, ask, held_up, make_voice_deployment):
    from dryline.simulator import calls

    deployment = make_voice_deployment()
    body = b'{"workerId": "%s", "deploymentId": "%s", "count": 1000}' % (
        deployment["workerId"].encode(),
        deployment["id"].encode(),
    )
    reached = held_up(calls, "store", calls=5)
    outcome = begin("POST", "/_dryline/simulate/calls", body)
    assert reached()
    assert [ask(*request) for request in FAST] == [200] * 3
    held_up.over.set()
    assert outcome() == 201


def test_a_large_state_delays_no_fast_one(begin, ask, held_up, control):
    from dryline.state import document

    reached = held_up(document, "wipe")
    team = control.get("/state").json["teams"][0]
    worker = {"id": "worker_1", "teamId": team["id"], "name": "x" * 5_000_000}
    body = orjson.dumps({"version": 1, "teams": [team], "workers": [worker]})
    outcome = begin("PUT", "/_dryline/state", body)
    assert reached()
    assert [ask(*request) for request in FAST] == [200] * 3
    held_up.over.set()
    assert outcome() == 204


@pytest.mark.parametrize("by_hand", [False, True])
def test_an_export_delays_no_fast_one(begin, ask, held_up, api, control, by_hand):
    from dryline.jobs import exports

    if by_hand:
        control.put("/settings", {"exportMode": "manual"})
    window = {"startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}
    id = api.post("/team/exports", {"format": "CSV", **window}).json["id"]
    reached = held_up(exports.export_files, "write")
    if by_hand:
        control.post(f"/exports/{id}/transition", {"status": "PROCESSING"})
        outcome = begin("POST", f"/_dryline/exports/{id}/transition", b'{"status": "COMPLETED"}')
    else:
        outcome = begin("POST", "/_dryline/clock/advance", b'{"seconds": 0}')
    assert reached()
    assert [ask(*request) for request in FAST] == [200] * 3
    assert ask("POST", "/api/workers", NEW_WORKER) == 201
    held_up.over.set()
    assert outcome() == 200
    assert api.get(f"/team/exports/{id}").json["status"] == "COMPLETED"


@pytest.mark.parametrize("path", ["/api/workers", "/_dryline/state", "/uploads/upload_1/file"])
def test_a_body_that_trickles_in_delays_no_fast_one(raw, ask, path):
    connection = raw()
    connection.sendall(
        b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n" % path.encode()
    )
    for _ in range(10):
        connection.sendall(b"x" * 99_999)
        assert [ask(*request) for request in FAST] == [200] * 3
    connection.sendall(b"x" * 10)
    assert connection.recv(12) in (b"HTTP/1.1 401", b"HTTP/1.1 415", b"HTTP/1.1 405")


def test_a_large_response_that_nobody_reads_delays_no_fast_one(raw, ask, make_worker):
    for _ in range(100):
        make_worker(description="x" * 100_000)
    raw().sendall(b"GET /api/workers HTTP/1.1\r\nHost: localhost\r\nx-api-key: dryline-local-key\r\n\r\n")
    assert [ask(*request) for request in FAST] == [200] * 3


def test_a_fault_added_while_the_loop_answers_does_not_apply_to_that_request(app, control, ask, monkeypatch, threads):
    control.post("/faults", {"path": "/api/team", "status": 503})
    coming, strike, add = threading.Event(), FaultRules.apply, FaultRules.add
    adding = threading.Thread(target=control.post, args=("/faults", {"delayMs": 60_000, "path": "/api/team"}))

    def add_a_delay(*args, **values):
        coming.set()
        return add(*args, **values)

    def strike_while_adding(*args):
        adding.start()
        assert coming.wait(PATIENCE_S)
        return strike(*args)

    monkeypatch.setattr(FaultRules, "add", add_a_delay)
    monkeypatch.setattr(FaultRules, "apply", strike_while_adding)
    assert ask("GET", "/api/team") == 503
    adding.join()
    assert threads == ["loop"]
    assert [fault["hits"] for fault in control.get("/faults").json] == [0, 1]
    control.delete("/faults")
