"""The event loop answers fast requests only, and no slow or stalled request delays a fast one."""

import contextlib
import http.client
import sqlite3
import threading
from unittest.mock import Mock

import orjson
import pytest
from peewee import OperationalError

from dryline.serving import lanes
from dryline.serving.lanes import SMALL_BODY, Lane, lane_for
from dryline.serving.thread_pool import ThreadPool
from dryline.storage.database import WorldDatabase
from dryline.tests.connections.conftest import NEW_WORKER, PATIENCE_S
from dryline.traffic.faults import FaultRules

W = "/api/workers/worker_1"
FAST = (("GET", "/_dryline/health"), ("GET", "/api/workers"), ("GET", "/api/team"))

LOOP = [
    ("GET", "/_dryline/health"),
    ("GET", "/api/workers"),
    ("HEAD", W),
    ("GET", f"{W}/deploymentLogs/voice/log_1"),
    ("GET", f"{W}/llm-logs/log_1"),
    ("POST", "/api/workers"),
    ("PATCH", W),
    ("PUT", "/api/workers/business-hours/hours_1"),
    ("POST", "/api/team/exports"),
]
READ = [
    ("GET", f"{W}/deploymentLogs/voice"),
    ("GET", f"{W}/deploymentLogs/chat-embed/"),
    ("GET", f"{W}/runtime-errors"),
    ("GET", f"{W}/llm-logs"),
    ("GET", f"{W}/llm-logs/by-session/session_1"),
]
WRITE = [
    ("DELETE", W),
    ("POST", f"{W}/flows"),
    ("PATCH", f"{W}/flows/flow_1"),
    ("POST", "/api/voice-analysis"),
    ("POST", f"{W}/resources/query"),
    ("POST", f"{W}/tests/test_1/run"),
    ("POST", f"{W}/deployments/voice/d_1/make-batch-calls"),
    ("POST", f"{W}/deployments/voice/d_1/outbound-campaigns"),
    ("PATCH", f"{W}/deployments/voice/d_1/outbound-campaigns/campaign_1"),
    ("POST", f"{W}/deployments/voicev1/d_1/campaigns/campaign_1/run"),
]
BLOCKING = [
    ("POST", "/_dryline/simulate/calls"),
    ("PUT", "/_dryline/state"),
    ("POST", "/_dryline/reset"),
    ("POST", "/_dryline/snapshots/one/restore"),
    ("POST", "/_dryline/clock/advance"),
    ("POST", "/_dryline/exports/export_1/transition"),
    ("GET", "/downloads/exports/export_1"),
    ("PUT", "/uploads/upload_1/file.txt"),
    ("POST", "/v1/chat/completions"),
    ("GET", "/openapi.json"),
]
LANES = {Lane.LOOP: LOOP, Lane.READ: READ, Lane.WRITE: WRITE, Lane.BLOCKING: BLOCKING}
TABLE = [(lane, *request) for lane, requests in LANES.items() for request in requests]


@pytest.mark.parametrize(("lane", "method", "path"), TABLE)
def test_each_request_has_a_lane(app, lane, method, path):
    assert lane_for(app.world, method, path, "", 0) is lane


@pytest.mark.parametrize(("method", "lane"), [("GET", Lane.READ), ("POST", Lane.WRITE)])
def test_a_large_body_is_not_read_by_the_loop(app, method, lane):
    assert lane_for(app.world, method, "/api/workers", "", SMALL_BODY) is Lane.LOOP
    assert lane_for(app.world, method, "/api/workers", "", SMALL_BODY + 1) is lane


def test_a_text_search_may_block(app):
    assert lane_for(app.world, "GET", f"{W}/deploymentLogs/voice", "limit=5&searchQuery=x", 0) is Lane.BLOCKING


def test_while_a_fault_delays_the_loop_answers_health_alone(app, control):
    control.post("/faults", {"path": "/api/team", "delayMs": 60_000})
    assert lane_for(app.world, "GET", "/api/workers", "", 0) is Lane.BLOCKING
    assert lane_for(app.world, "GET", "/_dryline/health", "", 0) is Lane.LOOP


def test_the_loop_applies_a_fault_without_delay(app, control):
    control.post("/faults", {"path": "/api/team", "status": 503})
    assert lane_for(app.world, "GET", "/api/team", "", 0) is Lane.LOOP


@pytest.fixture
def threads(app, monkeypatch):
    """Return the names of the threads that answered requests to the API, in order."""
    names = []
    monkeypatch.setattr(app.world.requests, "add", lambda _: names.append(threading.current_thread().name))
    return names


def test_the_loop_answers_fast_reads_and_writes(ask, threads):
    assert ask("GET", "/api/workers") == 200
    assert ask("POST", "/api/workers", NEW_WORKER) == 201
    assert threads == ["loop", "loop"]


def test_threads_answer_other_requests(ask, threads, make_worker):
    worker = f"/api/workers/{make_worker()['id']}"
    threads.clear()
    assert ask("GET", f"{worker}/deploymentLogs/voice") == 200
    assert ask("DELETE", worker) == 204
    assert ask("GET", f"{worker}/deploymentLogs/voice?searchQuery=x") == 404
    assert threads == ["dryline-read", "dryline-write", "dryline-blocking"]


@pytest.fixture
def queued(monkeypatch):
    """Return a function that waits until a request was queued for a thread."""
    additions, add = threading.Semaphore(0), ThreadPool.add

    def add_and_count(*args):
        add(*args)
        additions.release()

    monkeypatch.setattr(ThreadPool, "add", add_and_count)
    return lambda: additions.acquire(timeout=PATIENCE_S)


def test_a_thread_answers_a_write_that_waits_for_another(app, ask, begin, queued, threads):
    with app.world.write_lock:
        outcome = begin("POST", "/api/workers", NEW_WORKER)
        assert queued()
        assert ask("GET", "/api/workers") == 200
    assert outcome() == 201
    assert threads == ["loop", "dryline-write"]


def test_the_loop_does_not_wait_for_another_program_that_writes(app, ask, begin, queued, threads):
    with contextlib.closing(sqlite3.connect(app.world.db.path, isolation_level=None)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        outcome = begin("POST", "/api/workers", NEW_WORKER)
        assert queued()
        assert [ask(*request) for request in FAST] == [200] * 3
        other_program.execute("ROLLBACK")
    assert outcome() == 201
    assert threads == ["loop", "loop", "dryline-write"]


def test_a_refused_write_leaves_the_database_unlocked(app, ask):
    assert ask("POST", "/api/no-such-path", NEW_WORKER) == 404
    with contextlib.closing(sqlite3.connect(app.world.db.path, timeout=0, isolation_level=None)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        other_program.execute("ROLLBACK")


def test_the_loop_answers_the_first_of_pipelined_requests(raw, threads):
    connection = raw()
    connection.sendall(b"GET /api/workers HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3)
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
    adding = threading.Thread(target=control.post, args=("/faults", {"delayMs": 60_000, "path": "/api/workers"}))

    def add_a_delay(*args, **values):
        coming.set()
        return add(*args, **values)

    def strike_while_adding(*args):
        adding.start()
        assert coming.wait(PATIENCE_S)
        return strike(*args)

    monkeypatch.setattr(FaultRules, "add", add_a_delay)
    monkeypatch.setattr(FaultRules, "apply", strike_while_adding)
    assert ask("GET", "/api/workers") == 200
    adding.join()
    assert threads == ["loop"]
    assert [fault["hits"] for fault in control.get("/faults").json] == [0, 0]
    control.delete("/faults")


def test_a_thread_checkpoints_the_writes_of_the_loop(ask, monkeypatch):
    monkeypatch.setattr(lanes, "WRITES_PER_CHECKPOINT", 2)
    names, done = [], threading.Semaphore(0)
    checkpoint = WorldDatabase.checkpoint

    def checkpoint_and_count(database):
        checkpoint(database)
        names.append(threading.current_thread().name)
        done.release()

    monkeypatch.setattr(WorldDatabase, "checkpoint", checkpoint_and_count)
    for _ in range(4):
        assert ask("POST", "/api/workers", NEW_WORKER) == 201
    for _ in range(2):
        assert done.acquire(timeout=PATIENCE_S)
    assert names == ["dryline-blocking"] * 2


def test_writes_of_the_loop_reach_the_database_file_only_by_a_checkpoint(app, make_worker):
    database = app.world.db
    database.set_nonblocking()  # as the thread of the event loop does
    for _ in range(50):
        make_worker(description="x" * 100_000)
    before = database.path.stat().st_size
    database.checkpoint()
    assert database.path.stat().st_size - before > 4_000_000


def test_a_full_disk_only_puts_a_checkpoint_off(app, monkeypatch):
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    error = OperationalError(full)
    error.__cause__ = full
    monkeypatch.setattr(app.world.db, "execute_sql", Mock(side_effect=error))
    app.world.db.checkpoint()
