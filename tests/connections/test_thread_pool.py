"""Work that is added to a thread pool is always done: beside threads that end, and where threads cannot be started."""

import threading
import time

import pytest

from dryline.serving import thread_pool
from dryline.serving.thread_pool import ThreadPool
from dryline.tests.connections.conftest import PATIENCE_S


@pytest.fixture
def make_pool():
    """Make pools, and end them after the test."""
    pools = []

    def make(max_threads=1):
        pools.append(ThreadPool("pool", max_threads))
        return pools[-1]

    yield make
    for pool in pools:
        pool.end(time.monotonic() + PATIENCE_S)


@pytest.fixture
def failing_starts(monkeypatch):
    """Let starts of the server's and the pools' threads fail, as often as the list has errors."""
    errors, start = [], threading.Thread.start

    def failing(thread):
        if errors and thread.name in ("pool", "dryline-blocking"):
            raise errors.pop()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", failing)
    return errors


def pool_threads():
    return [thread for thread in threading.enumerate() if thread.name == "pool"]


def test_work_added_after_the_idle_time_and_before_the_thread_ends_is_done(make_pool, monkeypatch):
    monkeypatch.setattr(thread_pool, "IDLE_S", 0)
    pool, done, wait = make_pool(), threading.Event(), threading.Condition.wait

    def wait_then_add(condition, timeout=None):
        has_been_notified = wait(condition, timeout)
        if threading.current_thread().name == "pool" and not done.is_set():
            pool.add(done.set)
        return has_been_notified

    pool.add(lambda: monkeypatch.setattr(threading.Condition, "wait", wait_then_add))
    assert done.wait(PATIENCE_S)


def test_a_request_whose_thread_cannot_be_started_at_first_is_answered(ask, failing_starts):
    failing_starts.append(RuntimeError("can't start new thread"))
    assert ask("DELETE", "/api/workers/worker_1") == 404
    assert ask("DELETE", "/api/workers/worker_1") == 404


def test_work_whose_thread_could_not_be_started_is_done_with_the_next(make_pool, failing_starts, caplog):
    pool, done = make_pool(), threading.Semaphore(0)
    failing_starts.append(RuntimeError("can't start new thread"))
    pool.add(done.release)
    assert "A thread cannot be started (can't start new thread). Requests that wait: 1." in caplog.text
    pool.add(done.release)
    for _ in range(2):
        assert done.acquire(timeout=PATIENCE_S)


def test_there_are_never_more_threads_than_allowed(make_pool):
    pool, over, begun = make_pool(2), threading.Event(), threading.Semaphore(0)

    def work():
        begun.release()
        over.wait(PATIENCE_S)

    for _ in range(5):
        pool.add(work)
    for _ in range(2):
        assert begun.acquire(timeout=PATIENCE_S)
    assert len(pool_threads()) == 2
    over.set()
    for _ in range(3):
        assert begun.acquire(timeout=PATIENCE_S)


def test_work_that_waits_for_later_work_is_no_deadlock_below_the_limit(make_pool):
    pool, barrier, done = make_pool(8), threading.Barrier(8), threading.Semaphore(0)

    def work():
        barrier.wait(PATIENCE_S)
        done.release()

    for _ in range(20):  # idle and new threads mixed
        for _ in range(8):
            pool.add(work)
        for _ in range(8):
            assert done.acquire(timeout=PATIENCE_S)


def test_threads_that_have_no_work_end_and_others_take_their_places(make_pool, monkeypatch):
    monkeypatch.setattr(thread_pool, "IDLE_S", 0)
    pool, threads = make_pool(), []
    done = threading.Event()

    def work():
        threads.append(threading.current_thread())
        done.set()

    pool.add(work)
    assert done.wait(PATIENCE_S)
    threads[0].join(PATIENCE_S)
    assert not threads[0].is_alive()
    done.clear()
    pool.add(work)  # the place of the thread is free
    assert done.wait(PATIENCE_S)


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_a_thread_whose_work_failed_goes_on(make_pool, caplog, error):
    pool, done = make_pool(), threading.Event()

    def work():
        raise error

    pool.add(work)
    pool.add(done.set)
    assert done.wait(PATIENCE_S)
    assert "A request failed outside of the application." in caplog.text


def test_at_the_end_queued_work_is_dropped_and_running_work_is_waited_for(make_pool):
    pool, begun, over, done = make_pool(), threading.Event(), threading.Event(), []

    def work():
        begun.set()
        over.wait(PATIENCE_S)
        done.append("running")

    pool.add(work)
    pool.add(lambda: done.append("queued"))
    assert begun.wait(PATIENCE_S)
    pool.end(time.monotonic())
    pool.add(lambda: done.append("late"))
    over.set()
    pool.end(time.monotonic() + PATIENCE_S)
    assert (done, pool_threads()) == (["running"], [])
