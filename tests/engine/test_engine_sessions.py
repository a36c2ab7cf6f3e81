"""A session is kept as bytes, goes on from them, and shares nothing with others; processes are the engine's to end."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from dryline.engine import Engine, NotLoadable, SessionOver

CODE = """
import random
n = random.randint(1, 10 ** 9)
state["n"] = n
async def twice(x):
    return x * 2
loop:
    r = talk("p", False)
until "user says banana":
    for i in [1, 2]:
        try:
            if i == 2:
                n = n + await twice(1)
                return
        finally:
            say(f"finally {i}")
until "stop":
    say(f"{n - state['n']} {random.randint(1, 10 ** 9)} {r.ask('?', {'phone': ''})['phone']}")
"""


def run(engine, kept, seed=1):
    session = engine.open(engine.program(CODE), seed=seed)
    events = session.start()
    for turn in ("banana please", "what", "banana again"):
        session = engine.load(session.dump()) if kept else session
        events += session.say(turn)
    session = engine.load(session.dump()) if kept else session
    events += session.choose("stop")
    return [event.as_dict() for event in events]


def test_a_session_that_is_kept_at_every_wait_goes_as_one_that_is_not(engine):
    assert run(engine, kept=True) == run(engine, kept=False)


def test_the_same_seed_gives_the_same_conversation_and_another_another(engine):
    assert run(engine, kept=False, seed=1) == run(engine, kept=False, seed=1)
    assert run(engine, kept=False, seed=1) != run(engine, kept=False, seed=2)


def test_a_session_goes_on_in_another_process(tmp_path, engine):
    session = engine.open(engine.program(CODE))
    session.start()
    (tmp_path / "kept").write_bytes(session.dump())
    script = """
        import sys
        from dryline.engine import Engine
        with Engine() as engine:
            session = engine.load(open(sys.argv[1], "rb").read())
            print(*[event.type for event in session.choose("stop")])
    """
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "kept")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["taken", "asked", "said", "ended"]


def test_an_ended_session_can_be_kept_and_says_nothing_more(engine):
    session = engine.open(engine.program("1 / 0\n"))
    session.start()
    again = engine.load(session.dump())
    assert again.failure == session.failure
    with pytest.raises(SessionOver, match="failed"):
        again.say("hello")


def test_a_choice_that_is_not_offered_is_refused_with_what_is(engine):
    session = engine.open(engine.program(CODE))
    session.start()
    with pytest.raises(LookupError, match="user says banana; stop"):
        session.choose("go")


def test_a_condition_can_be_chosen_by_its_index(engine):
    session = engine.open(engine.program(CODE))
    session.start()
    session.choose(1)
    assert session.ended == "end of the flow"


@pytest.mark.parametrize("data", [b"", b"nothing", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_bytes_that_are_no_session_are_refused(engine, data):
    with pytest.raises(NotLoadable):
        engine.load(data)


def test_the_flow_sees_the_time_that_the_engine_is_given():
    moments = iter([datetime(2020, 1, 2, 3, 4, tzinfo=UTC), datetime(2021, 1, 2, 3, 4, tzinfo=UTC)])
    code = "from datetime import datetime\nsay(str(datetime.now()))\ndone()\nsay(str(datetime.now().year))\n"
    with Engine(now=lambda: next(moments)) as engine:
        session = engine.open(engine.program(code))
        first = session.start()
        session = engine.load(session.dump())
        assert [event["text"] for event in first + session.say("x") if event.type == "said"] == [
            "2020-01-02 03:04:00",
            "2021",
        ]


def test_many_threads_run_flows_side_by_side(engine):
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda seed: run(engine, kept=True, seed=seed), [1, 2] * 20))
    assert all(one == runs[0] for one in runs[::2])
    assert all(one == runs[1] for one in runs[1::2])


def test_no_process_is_there_before_the_first_flow_runs_and_none_after_close():
    others = children()
    engine = Engine()
    program = engine.program(CODE)
    engine.paths(CODE)
    assert not engine.running
    session = engine.open(program)
    session.start()
    assert engine.running
    workers = children() - others
    assert workers
    engine.close()
    engine.close()
    assert not workers & children()


def children():
    """The worker processes below this one."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == os.getpid() and name == "monty":
            found.add(int(pid))
    return found


def test_workers_do_not_outlive_a_server_that_is_killed():
    script = """
        import os
        from dryline.engine import Engine
        engine = Engine()
        with engine._sandbox.worker() as worker:
            print(worker.worker_pid, flush=True)
            os.kill(os.getpid(), 9)
    """
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    worker = int(told.stdout)
    try:
        process = os.pidfd_open(worker)
    except ProcessLookupError:
        return  # it is gone already
    try:
        assert select.select([process], [], [], 30)[0]
    finally:
        os.close(process)


OPENED = """say("Hello.")
loop:
    res = talk("Ask how to help.", {first})
until "caller wants to book an appointment":
    extract("day", res.ask("For when?", {{"day": ""}}))
"""


@pytest.mark.parametrize("first", [True, False])
def test_a_message_that_opens_the_conversation_can_meet_a_condition_of_the_first_talk(talk, first):
    done = talk(OPENED.format(first=first), start="I want to book an appointment for Monday")
    assert [event["text"] for event in done.of("said")] == ["Hello."]
    assert done.session.extracted == {"day": {"day": "Monday"}}


def test_an_opening_message_that_meets_no_condition_is_followed_by_the_agents_own_opening(talk):
    talked = talk(OPENED.format(first=True), start="good day to you")
    assert [event["text"] for event in talked.of("said")] == ["Hello.", "How can I help you?"]
    assert talked.session.waiting == ["caller wants to book an appointment"]


def test_an_opening_message_outlives_a_talk_outside_of_a_loop(talk):
    done = talk('talk("Say welcome.")\n' + OPENED.format(first=True), start="book an appointment for Monday")
    assert done.session.extracted == {"day": {"day": "Monday"}}
