"""Requests that are not answered yet, in the request log."""

import contextlib
import threading

import pytest
from brainbase_labs import APITimeoutError

from dryline.testing import DrylineError
from dryline.tests.conftest import NEW_WORKER, Api
from dryline.world import request_search
from dryline.world.faults import ConnectionCut
from dryline.world.request_log import RequestLog

CREATION = {"method": "POST", "path": "/api/workers"}


@pytest.fixture
def finish(app, control, arrived):
    """Begin a creation that a fault delays. Returns a function that lets it end and waits for that."""
    control.post("/faults", {**CREATION, "delayMs": 600_000})

    def create():
        with contextlib.suppress(ConnectionCut):
            Api(app.test_client(), "dryline-local-key").post("/workers", NEW_WORKER)

    thread = threading.Thread(target=create)
    thread.start()
    assert arrived.acquire(timeout=20)

    def finish():
        control.delete("/faults")
        thread.join(20)

    yield finish
    finish()


def test_a_request_in_progress_is_listed_before_others_and_marked(api, control, finish):
    api.get("/team")
    entry, other = control.get("/requests").json
    assert (entry["path"], entry["inProgress"], entry["body"]) == ("/api/workers", True, NEW_WORKER)
    assert entry["teamId"] == api.get("/team").json["id"]
    assert {entry[name] for name in ("number", "status", "durationMs", "answer", "answeredAt")} == {None}
    assert other["inProgress"] is False
    finish()
    assert [(each["path"], each["inProgress"]) for each in control.get("/requests?limit=1").json] == [
        ("/api/workers", False)
    ]


def test_a_request_in_progress_counts_once(control, finish):
    assert control.get("/requests/count?method=POST").json == {"count": 1}
    assert control.post("/requests/verify", CREATION | {"times": 1}).json == {"count": 1}
    answer = control.post("/requests/verify", CREATION | {"times": 0})
    assert (answer.status_code, [each["inProgress"] for each in answer.json["surplus"]]) == (409, [True])
    finish()
    assert control.post("/requests/verify", CREATION | {"times": 1}).json == {"count": 1}


@pytest.mark.parametrize("times", [0, 1, {"max": 3}, {"min": 1}])
def test_a_check_fails_while_the_answer_of_a_request_in_progress_decides(control, finish, monkeypatch, times):
    monkeypatch.setattr(request_search, "MAX_PENDING_S", 0)
    answer = control.post("/requests/verify", CREATION | {"status": 201, "times": times})
    assert (answer.status_code, answer.json["nearest"][0]["misses"]) == (409, ["status"])
    assert answer.json["error"].endswith("found 0. 1 still in progress may match.")


def test_a_check_waits_for_the_answer_of_a_request_in_progress(control, finish, monkeypatch):
    wait = RequestLog.wait_for_next

    def finish_and_wait(*args):
        finish()
        wait(*args)

    monkeypatch.setattr(RequestLog, "wait_for_next", finish_and_wait)
    assert control.post("/requests/verify", CREATION | {"status": 201, "times": 1}).json == {"count": 1}


def test_a_wait_ends_with_the_answer_and_not_before(control, finish):
    assert control.post("/requests/wait", CREATION | {"timeoutMs": 0}).status_code == 409
    finish()
    assert control.post("/requests/wait", CREATION | {"timeoutMs": 0}).status_code == 200


def test_a_request_is_forgotten_if_the_log_is_cleared_before_its_answer(api, control, finish):
    control.delete("/requests")
    finish()
    api.get("/team")
    assert [entry["path"] for entry in control.get("/requests").json] == ["/api/team"]


@pytest.fixture(params=["dryline", "dryline_in_process"])
def stand_in(request):
    return request.getfixturevalue(request.param)


def test_a_request_whose_client_gave_up_counts_in_both_fixtures(stand_in):
    stand_in.fault(path="/api/workers", delay_ms=60_000)
    with pytest.raises(APITimeoutError):
        stand_in.client(max_retries=0, timeout=0.3).workers.list()
    assert stand_in.verify(path="/api/workers", times=1) == 1
    with pytest.raises(DrylineError, match="found 1"):
        stand_in.verify(path="/api/workers", times=0)


def test_the_answer_that_a_client_did_not_wait_for_counts_in_both_fixtures(stand_in):
    stand_in.fault(method="POST", path="/api/workers", delay_ms=500)
    with pytest.raises(APITimeoutError):
        stand_in.client(max_retries=0, timeout=0.2).workers.create(name="X", description=None, status=None)
    assert stand_in.verify(method="POST", path="/api/workers", status=201, times=1) == 1
    assert len(stand_in.client().workers.list()) == 1
