"""Figures of talks with the shipped flows: first sentences of strangers, ways out of a question, and traps.

`strangers.json` has what they say to each flow, written without a look at the phrases, by what a sensible agent takes
it for: one or more names of `meets`, the beginnings of conditions of the flow; an empty one stands for none.
"""

from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence of an agent. `by` is `say` for one that the flow says, else the model that made it.

    `conditions` are the flow's, in small letters, without the person whom they are about.
    """

    conditions: list[str]
    text: str
    by: str


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


def all_said() -> list[str]:
    """Return what all strangers say, to whichever flow."""
    lines = orjson.loads((Path(__file__).parent / "strangers.json").read_bytes())
    return [said for line in lines.values() for _, _, _, said in _utterances(line)]


def agent_sentences(programs: dict[str, Program], sources: Sequence[list[str]], utterances: int) -> Iterator[Spoken]:
    """Say a number of utterances of each source to every flow, and yield what the agent says.

    A flow that ends begins anew.
    """
    with Engine(fetch=with_demo_services(no_network)) as engine:
        for number, content in enumerate(programs.values()):
            program = engine.program(content.versions[-1].sound_code)
            conditions = [without_subject(each.text).lower() for each in program.conditions if each.fixed]
            random = Random(number)
            utterances_of_all = [said for source in sources for said in random.sample(source, utterances)]
            session = None
            for said in random.sample(utterances_of_all, len(utterances_of_all)):
                if session is None or session.ended:
                    session = _open(engine, program, content)
                    events = session.start()
                else:
                    events = []
                events += session.say(said) if not session.ended else []
                for event in events:
                    if event.type == "said":
                        yield Spoken(conditions, event["text"], event["by"])


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
