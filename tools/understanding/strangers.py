"""Figures of talks with the shipped flows: first sentences of strangers, ways out of a question, and traps.

`strangers.json` has what they say to each flow, written without a look at the phrases, by what a sensible agent takes
it for: one or more names of `meets`, the beginnings of conditions of the flow; an empty one stands for none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import orjson

from dryline.flow.engine import Engine
from dryline.flow.language.session import FlowSession
from dryline.flow.language.web import no_network
from dryline.flow.model.encoder import without_subject
from dryline.flow.sessions.engines import with_demo_services
from dryline.tools.content import Program

KINDS = ("openings", "ways out", "traps")
SURE = 0.6  # at least, for a wrong condition to be confident nonsense
_NOW = datetime(2026, 11, 25, 17, 30, tzinfo=UTC)  # a Wednesday morning
_STATE = {"Caller": "+14155550123", "name": "Ada Park", "day": "Friday", "time": "10:15 AM", "car": "van"}


@dataclass(frozen=True, slots=True)
class Heard:
    """An utterance with the decision on it: `taken` is a condition, or empty, `sure` how sure the model was."""

    flow: str
    kind: str
    said: str
    taken: str
    sure: float
    is_right: bool

    @property
    def is_nonsense(self) -> bool:
        return not self.is_right and self.sure >= SURE


def play(programs: dict[str, Program]) -> Iterator[Heard]:
    """Say everything to its flow, and yield what was taken."""
    lines = orjson.loads((Path(__file__).parent / "strangers.json").read_bytes())
    with Engine(fetch=with_demo_services(no_network)) as engine:
        for flow, line in lines.items():
            for kind, before, names, said in _utterances(line):
                taken, sure = _taken(engine, programs[flow], [*before, said])
                beginnings = [text for name in names.split(",") for text in line["meets"][name]]
                is_right = any(taken.startswith(text) if text else not taken for text in beginnings)
                yield Heard(flow, kind, said, taken, sure, is_right)


def agent_sentences(programs: dict[str, Program], utterances: int) -> Iterator[tuple[list[str], str]]:
    """Say what all strangers say to every flow, and yield what the agent says, each with the flow's conditions.

    A flow that ends begins anew. The conditions are in small letters, without the person whom they are about.
    """
    lines = orjson.loads((Path(__file__).parent / "strangers.json").read_bytes())
    said_to_all = [said for line in lines.values() for _, _, _, said in _utterances(line)]
    with Engine(fetch=with_demo_services(no_network)) as engine:
        for number, flow in enumerate(lines):
            program = engine.program(programs[flow].versions[-1].sound_code)
            conditions = [without_subject(each.text).lower() for each in program.conditions if each.fixed]
            session = None
            for said in Random(number).sample(said_to_all, utterances):
                if session is None or session.ended:
                    session = _open(engine, program, programs[flow])
                    events = session.start()
                else:
                    events = []
                events += session.say(said) if not session.ended else []
                for event in events:
                    if event.type == "said":
                        yield conditions, event["text"]


def _open(engine: Engine, program: Any, content: Program) -> FlowSession:
    return engine.open(program, variables=content.variables, state=_STATE, now=lambda: _NOW)


def _utterances(line: dict[str, Any]) -> Iterator[tuple[str, list[str], str, str]]:
    """Yield the kind of each utterance, what is said before it, the names of what it is, and the utterance."""
    for names, all_said in line["openings"].items():
        for said in all_said:
            yield "openings", [], names, said
    for kind in KINDS[1:]:
        for block in line[kind]:
            for names, said in block["says"]:
                yield kind, block["after"], names, said


def _taken(engine: Engine, program: Program, utterances: list[str]) -> tuple[str, float]:
    """Return the condition that the last utterance meets, and how sure that is."""
    session = _open(engine, engine.program(program.versions[-1].sound_code), program)
    events = session.start()
    for said in utterances:
        events = session.say(said) if not session.ended else []
    taken = next((event.details for event in events if event.type == "taken"), None)
    return (str(taken["condition"]), float(taken["sure"])) if taken else ("", 0.0)
