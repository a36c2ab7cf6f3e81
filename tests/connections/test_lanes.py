"""Who answers what: the loop's own thread what cannot wait; whatever is slow or stalls delays no quick one."""

import http.client
import threading

import orjson
import pytest

from dryline.serving import lanes
from dryline.serving.lanes import SMALL_BODY, Lane, lane
from dryline.serving.thread_pool import ThreadPool
from dryline.storage.database import WorldDatabase
from dryline.traffic.faults import Faults
from dryline.world.world import World

PATIENCE_S = 20  # before a test counts as stuck
NEW_WORKER = b'{"name": "Front desk", "description": null, "status": null}'
W = "/api/workers/worker_1"
QUICK = (("GET", "/_dryline/health"), ("GET", "/api/workers"), ("GET", "/api/team"))

AT_ONCE = [
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
WAITING = [
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
TABLE = [
    (answered_by, *request)
    for answered_by, requests in (
        (Lane.AT_ONCE, AT_ONCE),
        (Lane.READ, READ),
        (Lane.WRITE, WRITE),
        (Lane.WAITING, WAITING),
    )
    for request in requests
]


@pytest.mark.parametrize(("answered_by", "method", "path"), TABLE)
def test_who_answers(app, answered_by, method, path):
    assert lane(app.world, method, path, "", 0) is answered_by


@pytest.mark.parametrize(("method", "answered_by"), [("GET", Lane.READ), ("POST", Lane.WRITE)])
def test_a_large_body_is_not_read_in_the_loop(app, method, answered_by):
    assert lane(app.world, method, "/api/workers", "", SMALL_BODY) is Lane.AT_ONCE
    assert lane(app.world, method, "/api/workers", "", SMALL_BODY + 1) is answered_by


def test_a_text_search_waits_for_nobody(app):
    assert lane(app.world, "GET", f"{W}/deploymentLogs/voice", "limit=5&searchQuery=x", 0) is Lane.WAITING


def test_while_a_fault_delays_only_health_is_answered_at_once(app, control):
    control.post("/faults", {"path": "/api/team", "delayMs": 60_000})
    assert lane(app.world, "GET", "/api/workers", "", 0) is Lane.WAITING
    assert lane(app.world, "GET", "/_dryline/health", "", 0) is Lane.AT_ONCE


def test_a_fault_that_delays_nothing_is_struck_at_once(app, control):
    control.post("/faults", {"path": "/api/team", "status": 503})
    assert lane(app.world, "GET", "/api/team", "", 0) is Lane.AT_ONCE


@pytest.fixture
def threads(app, monkeypatch):
    """The names of the threads that answered requests of the API, in order."""
    names = []
    monkeypatch.setattr(app.world.metrics, "answered", lambda *_: names.append(threading.current_thread().name))
    return names


def test_short_reads_and_writes_are_answered_by_the_loop(ask, threads):
    assert ask("GET", "/api/workers") == 200
    assert ask("POST", "/api/workers", NEW_WORKER) == 201
    assert threads == ["loop", "loop"]


def test_others_are_answered_by_threads(ask, threads, make_worker):
    worker = f"/api/workers/{make_worker()['id']}"
    threads.clear()
    assert ask("GET", f"{worker}/deploymentLogs/voice") == 200
    assert ask("DELETE", worker) == 204
    assert ask("GET", f"{worker}/deploymentLogs/voice?searchQuery=x") == 404
    assert threads == ["dryline-read", "dryline-write", "dryline-waiting"]


@pytest.fixture
def queued(monkeypatch):
    """Wait until a thread was given a request."""
    given, add = threading.Semaphore(0), ThreadPool.add

    def told(*args):
        add(*args)
        given.release()

    monkeypatch.setattr(ThreadPool, "add", told)
    return lambda: given.acquire(timeout=PATIENCE_S)


def test_a_write_beside_a_writer_is_answered_by_a_thread(app, ask, begin, queued, threads):
    with app.world.held():
        outcome = begin("POST", "/api/workers", NEW_WORKER)
        assert queued()
        assert ask("GET", "/api/workers") == 200
    assert outcome() == 201
    assert threads == ["loop", "dryline-write"]


def test_what_took_long_is_answered_by_a_thread_until_it_is_short_again(ask, threads, monkeypatch):
    for limit in (0, 60):
        monkeypatch.setattr(lanes, "LONG_S", limit)
        ask("GET", "/api/workers")
    assert threads == ["loop", "dryline-read"]
    while threads[-1] != "loop":  # the thread notes it after the answer
        ask("GET", "/api/workers")


def test_of_requests_that_come_together_the_loop_answers_one(raw, threads):
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
    """Make the `calls`th call of a function wait until `held_up.over`. Gives what waits until it has come to that."""
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


def test_delays_on_many_connections_delay_no_quick_one(delayed, ask):
    _, outcomes = delayed(path="/api/workers", method="POST", delayMs=60_000)
    assert [ask(*request) for request in QUICK] == [200] * 3
    assert len(outcomes) == 50  # all of which wait: `delayed` ends them


def test_a_simulation_delays_no_quick_one(begin, ask, held_up, make_voice_deployment):
    from dryline.simulator import calls

    deployment = make_voice_deployment()
    body = b'{"workerId": "%s", "deploymentId": "%s", "count": 10000}' % (
        deployment["workerId"].encode(),
        deployment["id"].encode(),
    )
    reached = held_up(calls, "store", calls=100)
    outcome = begin("POST", "/_dryline/simulate/calls", body)
    assert reached()
    assert [ask(*request) for request in QUICK] == [200] * 3
    held_up.over.set()
    assert outcome() == 201


def test_a_state_of_50_mb_delays_no_quick_one(begin, ask, held_up, control):
    from dryline.state import document

    reached = held_up(document, "wipe")
    team = control.get("/state").json["teams"][0]
    worker = {"id": "worker_1", "teamId": team["id"], "name": "x" * 50_000_000}
    document_of_50_mb = {"version": 1, "teams": [team], "workers": [worker]}
    outcome = begin("PUT", "/_dryline/state", orjson.dumps(document_of_50_mb))
    assert reached()
    assert [ask(*request) for request in QUICK] == [200] * 3
    held_up.over.set()
    assert outcome() == 204


@pytest.mark.parametrize("by_hand", [False, True])
def test_an_export_delays_no_quick_one(begin, ask, held_up, api, control, by_hand):
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
    assert [ask(*request) for request in QUICK] == [200] * 3
    assert ask("POST", "/api/workers", NEW_WORKER) == 201
    held_up.over.set()
    assert outcome() == 200
    assert api.get(f"/team/exports/{id}").json["status"] == "COMPLETED"


@pytest.mark.parametrize("path", ["/api/workers", "/_dryline/state", "/uploads/upload_1/file"])
def test_a_body_that_trickles_in_delays_no_quick_one(raw, ask, path):
    connection = raw()
    connection.sendall(
        b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n" % path.encode()
    )
    for _ in range(10):
        connection.sendall(b"x" * 99_999)
        assert [ask(*request) for request in QUICK] == [200] * 3
    connection.sendall(b"x" * 10)
    assert connection.recv(12) in (b"HTTP/1.1 401", b"HTTP/1.1 415", b"HTTP/1.1 405")


def test_a_large_answer_that_nobody_reads_delays_no_quick_one(raw, ask, make_worker):
    for _ in range(100):
        make_worker(description="x" * 100_000)
    raw().sendall(b"GET /api/workers HTTP/1.1\r\nHost: localhost\r\nx-api-key: dryline-local-key\r\n\r\n")
    assert [ask(*request) for request in QUICK] == [200] * 3


def test_a_fault_that_comes_while_the_loop_answers_is_not_struck_by_it(app, control, ask, monkeypatch, threads):
    control.post("/faults", {"path": "/api/team", "status": 503})
    coming, strike, add = threading.Event(), Faults.strike, Faults.add
    adding = threading.Thread(target=control.post, args=("/faults", {"delayMs": 60_000, "path": "/api/workers"}))

    def told(*args, **values):
        coming.set()
        return add(*args, **values)

    def struck(*args):
        adding.start()
        assert coming.wait(PATIENCE_S)
        return strike(*args)

    monkeypatch.setattr(Faults, "add", told)
    monkeypatch.setattr(Faults, "strike", struck)
    assert ask("GET", "/api/workers") == 200
    adding.join()
    assert threads == ["loop"]
    assert [fault["hits"] for fault in control.get("/faults").json] == [0, 0]
    control.delete("/faults")


def test_what_a_fault_delays_in_the_queue_delays_nothing_behind_it(app, begin, queued, control, monkeypatch):
    at_work, transaction = threading.Semaphore(0), World.transaction

    def told(world):
        at_work.release()
        return transaction(world)

    monkeypatch.setattr(World, "transaction", told)
    with app.world.held():
        outcomes = []
        for number in range(3):
            outcomes.append(begin("DELETE", f"/api/workers/worker_{number}"))
            assert queued()
        assert at_work.acquire(timeout=PATIENCE_S)
        fault = control.post("/faults", {"path": "/api/workers/worker_1", "delayMs": 600_000}).json["id"]
    assert (outcomes[0](), outcomes[2]()) == (404, 404)
    control.delete(f"/faults/{fault}")
    assert outcomes[1]() == 404


def test_the_loops_writes_leave_the_disk_to_a_thread(ask, monkeypatch):
    monkeypatch.setattr(lanes, "WRITES_A_CHECKPOINT", 2)
    names, done = [], threading.Semaphore(0)
    checkpoint = WorldDatabase.checkpoint

    def told(database):
        checkpoint(database)
        names.append(threading.current_thread().name)
        done.release()

    monkeypatch.setattr(WorldDatabase, "checkpoint", told)
    for _ in range(4):
        assert ask("POST", "/api/workers", NEW_WORKER) == 201
    for _ in range(2):
        assert done.acquire(timeout=PATIENCE_S)
    assert names == ["dryline-waiting"] * 2


def test_what_the_loop_writes_comes_into_the_database_by_a_checkpoint_alone(app, make_worker):
    database = app.world.db
    database.hurry()  # as if the loop were to run in this thread
    for _ in range(50):
        make_worker(description="x" * 100_000)
    before = database.path.stat().st_size
    database.checkpoint()
    assert database.path.stat().st_size - before > 4_000_000
