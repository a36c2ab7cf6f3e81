"""Sessions are stored as bytes and share nothing; worker processes end with their engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from dryline.flow.engine import Engine
from dryline.flow.language import sandbox
from dryline.storage.errors import Busy

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


def run(engine, is_stored, seed=1):
    """Return the events of a conversation, stored and loaded before each turn or not."""
    session = engine.open(engine.program(CODE), seed=seed)
    events = session.start()
    for turn in ("banana please", "what", "banana again"):
        session = engine.load(session.dump()) if is_stored else session
        events += session.say(turn)
    session = engine.load(session.dump()) if is_stored else session
    events += session.choose("stop")
    return [event.as_dict() for event in events]


def test_a_stored_session_goes_on_as_one_that_was_not_stored(engine):
    assert run(engine, is_stored=True) == run(engine, is_stored=False)


def test_only_the_same_seed_gives_the_same_conversation_also_in_many_threads(engine):
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda seed: run(engine, is_stored=True, seed=seed), [1, 2] * 20))
    assert all(one == runs[0] for one in runs[::2])
    assert all(one == runs[1] for one in runs[1::2])
    assert runs[0] != runs[1]


def test_a_flow_reads_the_engines_clock_in_each_turn():
    moments = iter([datetime(2020, 1, 2, 3, 4, tzinfo=UTC), datetime(2021, 1, 2, 3, 4, tzinfo=UTC)])
    code = "from datetime import datetime\nsay(str(datetime.now()))\ndone()\nsay(str(datetime.now().year))\n"
    with Engine(now=lambda: next(moments)) as engine:
        session = engine.open(engine.program(code))
        first = session.start()
        session = engine.load(session.dump())
        texts = [event["text"] for event in first + session.say("x") if event.type == "said"]
    assert texts == ["2020-01-02 03:04:00", "2021"]


OPENED = """say("Hello.")
loop:
    res = talk("Ask how to help.", {first})
until "caller wants to book an appointment":
    extract("day", res.ask("For when?", {{"day": ""}}))
"""


@pytest.mark.parametrize("before", ["", 'talk("Say welcome.")\n'])
@pytest.mark.parametrize("first", [True, False])
def test_an_opening_message_can_meet_a_condition_of_the_first_loop(talk, first, before):
    talked = talk(before + OPENED.format(first=first), start="I want to book an appointment for Monday")
    assert talked.said == ["Hello."]
    assert talked.session.extracted == {"day": {"day": "Monday"}}


def test_an_opening_message_that_meets_no_condition_gets_the_agents_own_opening(talk):
    talked = talk(OPENED.format(first=True), start="good day to you")
    assert [event["text"] for event in talked.of("said")] == ["Hello.", "How can I help you?"]
    assert talked.session.waiting == ["caller wants to book an appointment"]


# Worker processes


def test_a_flow_waits_only_so_long_for_a_free_worker(monkeypatch):
    monkeypatch.setattr(sandbox, "_WAIT_S", 0.05)
    pool = sandbox.Sandbox(processes=1)
    with pool.worker(), pytest.raises(Busy, match="No worker was free"), pool.worker():
        pass
    with pool.worker():
        pool.close()
