"""Background work: steps that fail, slow steps, and rounds without work."""

import threading
import time
from contextlib import closing

import pytest

from dryline.app import create_app
from dryline.jobs import export_files
from dryline.jobs.runner import Jobs, Runner
from dryline.models import due
from dryline.models.echo_runs import EchoRun
from dryline.models.exports import Export
from dryline.serving.server import running_app
from dryline.settings import DEFAULT_API_KEY, Settings

ASK = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}


@pytest.fixture
def export(api):
    """Create an export. Returns a function that returns its status."""

    def create(api=api):
        answer = api.post("/team/exports", ASK)
        assert answer.status_code == 201, answer.text
        return lambda: api.get(f"/team/exports/{answer.json['id']}").json["status"]

    return create


@pytest.fixture
def call(api, make_voice_deployment):
    """Create a batch of one call. Returns a function that counts the calls that were placed."""

    def place():
        line = make_voice_deployment()
        path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/make-batch-calls"
        assert api.post(path, {"data": [{"phoneNumber": "+14155550100"}]}).status_code == 200
        return lambda: api.get(f"/workers/{line['workerId']}/deploymentLogs/voice").json["pagination"]["total"]

    return place


@pytest.fixture
def failing(monkeypatch):
    """Let a step fail."""

    def fail(*args):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(EchoRun, "due", fail)


def test_a_step_that_fails_does_not_stop_the_others(failing, export, call, advance):
    status, calls = export(), call()
    advance()
    assert (status(), calls()) == ("COMPLETED", 1)


@pytest.fixture
def failed(export, other_api, advance, monkeypatch, caplog):
    """Let the work on an export fail once. Return a function that returns the export's status."""
    failures = iter([ValueError("a fault of the row")])
    transition = Export.transition

    def fail_once(row, *args, **values):
        for error in failures:
            raise error
        return transition(row, *args, **values)

    monkeypatch.setattr(Export, "transition", fail_once)
    status, status_of_another = export(), export(other_api)
    advance()
    assert (status(), status_of_another()) == ("PENDING", "COMPLETED")
    assert "a fault of the row" in caplog.text
    return status


@pytest.mark.alone
def test_a_row_that_failed_stops_no_other_and_is_left_alone_for_a_minute(app, failed, monkeypatch):
    with app.world.active():
        app.jobs._slow[0].run()
        assert failed() == "PENDING"
        in_a_minute = time.monotonic() + 61
        monkeypatch.setattr(due, "monotonic", lambda: in_a_minute)
        app.jobs._slow[0].run()
    assert failed() == "COMPLETED"


@pytest.mark.alone
def test_a_row_that_failed_is_tried_again_when_the_clock_is_moved(failed, advance):
    advance()
    assert failed() == "COMPLETED"


@pytest.fixture
def stuck(app, monkeypatch):
    """Make exports last until the event is set, and shorten the wait for slow steps."""
    go_on, write = threading.Event(), export_files.write

    def slowly(*args):
        go_on.wait(30)
        return write(*args)

    monkeypatch.setattr(export_files, "write", slowly)
    monkeypatch.setattr(Jobs, "TIMEOUT_S", 0.05)
    app.jobs.start()
    yield go_on
    go_on.set()


@pytest.mark.alone
def test_a_slow_export_delays_neither_calls_nor_requests_that_move_the_clock(stuck, export, call, advance):
    status = export()
    calls = call()
    while calls() == 0:
        advance()
    assert status() == "PROCESSING"


@pytest.mark.alone
def test_a_request_that_moves_the_clock_waits_for_work_in_progress(app, export, other_api, api, advance):
    app.jobs.start()
    mine, others = export(), export(other_api)
    advance()
    assert (mine(), others()) == ("COMPLETED", "COMPLETED")


class WatchedLock:
    """A lock that says when a number of threads have asked for it."""

    def __init__(self, count):
        self._lock, self._count, self.all_have_asked = threading.Lock(), count, threading.Event()

    def acquire(self, timeout):
        self._count -= 1
        if self._count == 0:
            self.all_have_asked.set()
        return self._lock.acquire(timeout=timeout)

    def release(self):
        self._lock.release()


def test_one_round_does_the_work_of_all_who_wait_for_the_round_before(app):
    done = []

    def step(world, now):
        if not done:
            assert lock.all_have_asked.wait(30)
        done.append(now)
        return False

    runner = Runner(app.world, "test", (step,))
    lock = runner._running = WatchedLock(4)

    def run():
        with app.world.active():
            runner.run()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 2


def test_a_start_does_the_work_that_the_last_server_has_left(tmp_path):
    settings, key = Settings(data_dir=tmp_path, scenario="empty"), {"x-api-key": DEFAULT_API_KEY}
    with closing(create_app(settings)) as app:
        assert app.test_client().post("/api/team/exports", json=ASK, headers=key).status_code == 201
    with running_app(settings) as app:
        while app.test_client().get("/api/team/exports", headers=key).json[0]["status"] != "COMPLETED":
            time.sleep(0.01)
