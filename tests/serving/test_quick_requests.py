"""The event loop answers quick requests, and threads answer all others."""

import contextlib
import http.client
import json
import sqlite3
import threading

import pytest

from dryline.blueprints.teams import TeamView
from dryline.serving.dispatcher import LONG_ADDRESS
from dryline.storage.current_world import current
from dryline.tests.serving.conftest import NEW_WORKER, PATIENCE_S
from dryline.world.request_log import RequestLog


@pytest.fixture
def answered_by(monkeypatch):
    """Return who answered each request to the API, in order: "loop" or "thread"."""
    names, add = [], RequestLog.add

    def add_and_note(*args):
        names.append("loop" if threading.current_thread().name == "loop" else "thread")
        return add(*args)

    monkeypatch.setattr(RequestLog, "add", add_and_note)
    return names


@pytest.mark.parametrize(
    ("method", "path", "body", "who"),
    [
        ("GET", "/api/team", None, "loop"),
        ("HEAD", "/api/team/", None, "loop"),
        ("GET", "/api/workers/worker_1", None, "loop"),
        ("GET", "/api/workers/worker%5F1", None, "thread"),
        ("GET", "/api/workers/a%2Fflows", None, "thread"),
        ("GET", "/api/workers", None, "loop"),
        ("GET", "/api/workers/worker_1/flows", None, "thread"),
        ("GET", "/api/no-such-path", None, "thread"),
        ("GET", "/api/team", b"{}", "thread"),
        ("GET", f"/api/team?x={'x' * LONG_ADDRESS}", None, "thread"),
        ("OPTIONS", "/api/team", None, "thread"),
        ("POST", "/api/workers", NEW_WORKER, "thread"),
        ("DELETE", "/api/workers/worker_1", None, "thread"),
    ],
)
def test_the_loop_answers_a_short_get_without_a_body_of_a_quick_view(ask, answered_by, method, path, body, who):
    ask(method, path, body)
    assert answered_by == [who]


@pytest.mark.parametrize("fault", [{"delayMs": 1}, {"bytesPerSecond": 9_999}, {"status": 503}])
def test_while_there_is_a_fault_rule_threads_answer_everything(ask, answered_by, control, fault):
    control.post("/faults", {"path": "/api/workers", **fault})
    assert ask("GET", "/api/team") == 200
    control.delete("/faults")
    assert ask("GET", "/api/team") == 200
    assert answered_by == ["thread", "loop"]


def test_a_quick_request_that_meets_a_lock_is_answered_by_a_thread_that_waits(
    app, ask, begin, answered_by, monkeypatch
):
    begun, get = threading.Semaphore(0), TeamView.get

    def write_and_get(*args):
        begun.release()
        current().db.execute_sql("DELETE FROM server WHERE name = 'nothing'")
        return get(*args)

    monkeypatch.setattr(TeamView, "get", write_and_get)
    with contextlib.closing(sqlite3.connect(app.world.db.path, isolation_level=None)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        outcome = begin("GET", "/api/team")
        for _ in ("loop", "thread"):
            assert begun.acquire(timeout=PATIENCE_S)
        assert ask("GET", "/_dryline/health") == 200
        other_program.execute("ROLLBACK")
    assert (outcome(), answered_by) == (200, ["thread"])


def test_pipelined_requests_are_answered_in_order(raw):
    connection = raw()
    paths = ["/api/team", "/api/workers", "/api/team", "/_dryline/health", "/api/no-such-path"] * 20
    requests = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: dryline-local-key\r\n\r\n" for path in paths]
    connection.sendall("".join(requests).encode())
    statuses = []
    with connection.makefile("rb") as answers:
        for _ in paths:
            statuses.append(answers.readline().split()[1])
            headers = http.client.parse_headers(answers)
            json.loads(answers.read(int(headers["Content-Length"])))
    assert statuses == [b"200", b"200", b"200", b"200", b"404"] * 20
