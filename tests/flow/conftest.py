"""A conversation with a flow in a few lines: `talk(code, "what the user says", …)`."""

from __future__ import annotations

from random import Random

import pytest

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap
from dryline.flow.model.simulated_caller import Caller

QUIZ = """
loop:
    r = talk("Host a quiz.", False)
until "player wants a question":
    loop:
        q = talk("Ask question one.", True)
    until "answer is yes":
        say("Right.")
    until "player needs time":
        return "player has 10 more seconds"
say("after")
"""


class Talked:
    """The session of a conversation, and its events."""

    def __init__(self, session, events):
        self.session, self.events = session, events

    def of(self, type):
        return [event for event in self.events if event.type == type]

    @property
    def said(self):
        """Return the texts of the flow's say()s in their order."""
        return [event["text"] for event in self.of("said") if event["by"] == "say"]


@pytest.fixture(scope="session")
def engine():
    with Engine() as engine:
        yield engine


@pytest.fixture
def talk(engine):
    """Run a flow. A turn is an utterance, or `/` and a condition. The session is stored and loaded before each."""

    def run(code, *turns, start=None, on=engine, **options):
        session = on.open(on.program(code), **options)
        events = session.start(start)
        for turn in turns:
            session = on.load(session.dump(), model=options.get("model"))
            events += session.choose(turn[1:]) if turn.startswith("/") else session.say(turn)
        return Talked(session, events)

    return run


@pytest.fixture
def play(engine):
    """Let a simulated caller take a condition, by default the last one; return the caller and the session."""

    def play(code, condition=None, seed=1, **facts):
        flow_map = FlowMap(engine.program(code))
        conditions = [each for each in flow_map.program.conditions if condition in (None, each.text)][-1:]
        caller = Caller(flow_map, flow_map.route_to(conditions), Random(seed), facts)
        session = engine.open(flow_map.program, model=caller, seed=seed)
        session.play(caller)
        return caller, session

    return play
