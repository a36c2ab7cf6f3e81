"""A conversation with a flow in a few lines: `talk(code, "what the user says", …)`."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dryline.engine import Engine


class Talked:
    """What came of a conversation."""

    def __init__(self, session, events):
        self.session, self.events = session, events

    def of(self, type):
        return [event for event in self.events if event.type == type]

    @property
    def said(self):
        """What the flow said with say(), in its order."""
        return [event["text"] for event in self.of("said") if event["by"] == "say"]

    @property
    def taken(self):
        return [event["condition"] for event in self.of("taken")]


class Choosing:
    """What the user does by name: takes a condition."""

    def __init__(self, condition):
        self.condition = condition


@pytest.fixture(scope="session")
def shared_engine():
    with Engine() as engine:
        yield engine


@pytest.fixture
def engine(shared_engine):
    return shared_engine


@pytest.fixture
def take():
    return Choosing


@pytest.fixture
def talk(engine):
    """Run a flow. Each turn is what the user says, or takes. The session is kept and loaded before each."""

    def run(code, *turns, start=None, on=engine, **options):
        session = on.open(on.program(code), **options)
        events = session.start(start)
        for turn in turns:
            session = on.load(session.dump(), model=options.get("model"))
            events += session.choose(turn.condition) if isinstance(turn, Choosing) else session.say(turn)
        return Talked(session, events)

    return run


@pytest.fixture
def flow():
    """Flows that several tests use."""
    return SimpleNamespace(
        quiz="""
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
    )
