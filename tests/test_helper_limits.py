"""The time limit of the helpers, and the message when it is over."""

import asyncio
import json
import re
import threading
import time
from contextlib import contextmanager

import pytest

from dryline import __version__
from dryline.testing import DrylineError, DrylineInProcess, DrylineServer, connect
from dryline.tests.conftest import send


@contextmanager
def held(stand_in):
    """Let no request write in a block, as work that never ends does."""
    begun, ended = threading.Event(), threading.Event()

    def hold():
        with stand_in.app.world.active(), stand_in.app.world.transaction():
            begun.set()
            ended.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.fixture(scope="module", params=[DrylineServer, DrylineInProcess])
def started(request):
    with request.param(timeout_s=0.3) as stand_in:
        yield stand_in


WRITES = {
    "freeze": lambda stand_in: stand_in.freeze("2030-01-01T00:00:00Z"),
    "advance": lambda stand_in: stand_in.advance(minutes=1),
    "settings": lambda stand_in: stand_in.settings(strict=True),
    "team": lambda stand_in: stand_in.team(),
    "plane": lambda stand_in: stand_in.plane("PUT", "/clock", {"frozen": True}),
}


@pytest.mark.parametrize("helper", WRITES)
def test_a_helper_gives_up_and_names_what_the_server_works_on(started, helper):
    with held(started), pytest.raises(DrylineError) as raised:
        WRITES[helper](started)
    own = r"(POST|PUT) http://\S+/_dryline/\S+: No answer within 0\.3 s\."
    work = r" The server was working on: .*(POST|PUT) /_dryline/\S+ \(for 0\.\d s\)"
    assert re.match(own + work, str(raised.value)), raised.value
    assert "timeout_s of the stand-in, or dryline_timeout in pytest's configuration." in str(raised.value)


def test_a_step_of_background_work_is_named(started):
    app = started.app
    begun, ended = threading.Event(), threading.Event()

    def step_that_never_ends(world, now):
        begun.set()
        ended.wait()
        return False

    runner = app.jobs._quick
    steps, runner.steps = runner.steps, (step_that_never_ends,)
    try:
        with pytest.raises(DrylineError, match=r"background work: step_that_never_ends \(for 0\.\d s\)"):
            started.advance(1)
    finally:
        runner.steps = steps
        ended.set()


@pytest.mark.parametrize(
    "helper",
    [
        lambda stand_in: stand_in.reset(),
        lambda stand_in: stand_in.add({"version": 1}),
        lambda stand_in: stand_in.load({"version": 1}),
        lambda stand_in: stand_in.snapshot("one"),
        lambda stand_in: stand_in.simulate_calls(1),
        lambda stand_in: stand_in.advance(hours=2),
        lambda stand_in: stand_in.plane("POST", "/teams", {"name": "A"}, timeout_s=10),
    ],
)
def test_what_may_take_long_is_waited_for(started, helper):
    with held(started):
        waiting = threading.Thread(target=helper, args=(started,))
        waiting.start()
        waiting.join(0.6)
        assert waiting.is_alive()
    waiting.join()


def test_a_wait_for_a_request_has_its_own_time_beside_the_limit(started):
    began = time.monotonic()
    with pytest.raises(DrylineError, match="within 500 ms"):
        started.wait_for_request(path="/api/workers", timeout_s=0.5)
    assert time.monotonic() - began >= 0.5


@pytest.fixture
def silent(http_server):
    """Return the address of a server that answers nothing but its health."""
    ended = threading.Event()
    health = {"status": "ok", "version": __version__, "work": [{"name": "background work: deliver", "seconds": 31.0}]}

    def answer(handler):
        if handler.path != "/_dryline/health":
            ended.wait()
            return
        send(handler, 200, json.dumps(health).encode(), **{"Content-Type": "application/json"})

    yield http_server(answer)
    ended.set()


def test_a_server_of_another_process_is_asked_what_it_works_on(silent):
    stand_in = connect(silent, timeout_s=0.3)
    with pytest.raises(DrylineError, match=r"No answer within 0\.3 s.*background work: deliver \(for 31\.0 s\)"):
        stand_in.now()


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), float("inf"), 86_401])
@pytest.mark.parametrize("make", [DrylineServer, DrylineInProcess])
def test_a_limit_that_is_none_is_refused(make, timeout_s):
    with pytest.raises(DrylineError, match="timeout_s must be a number of seconds above 0 and at most 86,400"):
        make(timeout_s=timeout_s)


NEVER_ENDS = """
    import threading

    def test_it({fixture}):
        world, ended = {fixture}.app.world, threading.Event()

        def hold():
            with world.active(), world.transaction():
                begun.set()
                ended.wait()

        begun = threading.Event()
        threading.Thread(target=hold).start()
        begun.wait()
        try:
            {fixture}.settings(strict=True)
        finally:
            ended.set()
"""


@pytest.mark.parametrize("fixture", ["dryline", "dryline_in_process"])
def test_the_option_of_pytest_sets_the_limit(run_pytest, fixture):
    code = NEVER_ENDS.format(fixture=fixture)
    for flags in (["--dryline-timeout=0.2"], ["-o", "dryline_timeout=0.2"]):
        result = run_pytest(code, *flags)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*No answer within 0.2 s. The server was working on: *"])


def test_an_option_that_is_no_time_is_one_sentence(run_pytest):
    result = run_pytest("def test_it(dryline): pass", "--dryline-timeout=soon")
    text = result.stdout.str() + result.stderr.str()
    assert "dryline_timeout must be a number of seconds above 0 and at most 86,400, not 'soon'." in text


def test_a_helper_that_gives_up_beside_an_event_loop_names_the_way_out(started):
    async def main():
        with held(started), pytest.raises(DrylineError) as raised:
            started.advance(minutes=1)
        return str(raised.value)

    assert "await asyncio.to_thread(dryline.advance, 1)" in asyncio.run(main())
    with held(started), pytest.raises(DrylineError) as raised:
        started.advance(minutes=1)
    assert "to_thread" not in str(raised.value)


@pytest.mark.parametrize(
    ("helper", "criteria"), [("wait_for_request", {"path": "/api/workers"}), ("wait_for_webhook", {})]
)
def test_a_wait_in_vain_beside_an_event_loop_names_the_way_out(started, helper, criteria):
    async def main():
        with pytest.raises(DrylineError) as raised:
            getattr(started, helper)(timeout_s=0, **criteria)
        return str(raised.value)

    assert f"await asyncio.to_thread(dryline.{helper})" in asyncio.run(main())
    with pytest.raises(DrylineError) as raised:
        getattr(started, helper)(timeout_s=0, **criteria)
    assert "to_thread" not in str(raised.value)
