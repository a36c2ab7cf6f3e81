"""Runs of tests: the conversations that a test's checkpoints ask for, held with its flow.

A checkpoint's description is what the caller is after. Nothing is kept of a conversation but its result.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from dryline.engine.builtin_model import BuiltInJudge
from dryline.engine.engine import Engine
from dryline.engine.errors import CodeRefused
from dryline.engine.events import Event, transcript
from dryline.engine.language_model import Talk
from dryline.engine.program import Condition, Program
from dryline.engine.session import Session
from dryline.engine.simulated_caller import Branch, Caller, paths
from dryline.flow_sessions.engines import engine_of
from dryline.models.flows import Flow
from dryline.models.tests import Conversation, Held, Test, TestRun
from dryline.world.world import World

MOST = 100  # conversations of one checkpoint; what they gave stands for all
_STOPPED = 3  # of a run, that went past a bound: a flow that runs away is not run again and again
LONGEST_S = 30.0  # of real time for one run: a flow may wait for other servers
_SHOWN = 20_000  # characters of a transcript, and of what a flow extracted or left as its state

_PLACEHOLDER = re.compile(r"{[^{}]*}")
_LITERAL = re.compile(r"""^[fFrR]*("{3}|'{3}|"|')(?P<text>.*)\1$""", re.DOTALL)
_LONGEST_DESCRIPTION = 5_000  # characters; the regular expressions would take long on more
_MOST_PIECES = 3  # literal pieces of a condition that is an f-string, likewise
_BUILT_IN = BuiltInJudge()


class Ending(Exception):
    """The server ends, and the run has to wait."""


@dataclass(slots=True)
class _Stage:
    """What all conversations of one run share."""

    world: World
    engine: Engine
    program: Program
    options: dict[str, Any]
    until: float  # on the monotonic clock
    stopped: int = 0

    def go_on(self) -> bool:
        """Whether there is to be a further conversation. Raises Ending."""
        if self.world.ending.is_set():
            raise Ending
        return self.stopped < _STOPPED and time.monotonic() < self.until


def hold(world: World, run: TestRun) -> list[Held]:
    """The conversations of each checkpoint. Outside of any transaction.

    The same run and the same flow give the same conversations. Raises Ending, Busy.
    """
    with world.reading():
        test = Test.find(id=run.test_id)
        flow = Flow.find(id=test.flow_id) if test else None
    held = [Held(checkpoint) for checkpoint in test.checkpoints] if test else []
    if test is None or flow is None:
        return _not_held(held, "The flow is gone.")
    engine = engine_of(world)
    try:
        program = engine.demand_sound(flow.code, f"{flow.id}.based")
    except CodeRefused as refused:
        return _not_held(held, f"The flow cannot run: {refused.findings[0]}")
    voice = "chat" not in test.test_mode.lower()
    state = {"Caller": f"+1415555{Random(run.id).randrange(100, 200):04d}"} if voice else {}
    options = {"variables": flow.variables, "state": state, "channel": "voice" if voice else "chat"}
    stage = _Stage(world, engine, program, options, time.monotonic() + LONGEST_S)
    for number, each in enumerate(held):
        _converse(stage, each, f"{run.id} {number}")
    return held


def _not_held(held: list[Held], why: str) -> list[Held]:
    for each in held:
        each.why = f"No conversation was held, the result is drawn. {why}"
    return held


def _converse(stage: _Stage, held: Held, seed: str) -> None:
    purpose = conditions_in(stage.program, str(held.checkpoint.get("description") or ""))
    branch = (_branch(stage, purpose) if held.runs else None) or _untried(stage.program, purpose)
    for number in range(min(held.runs, MOST)):
        if not stage.go_on():
            held.why = "The flow runs away, or waits for other servers: it was given up."
            if not held.conversations:
                held.conversations.append(Conversation(f"No conversation took place. {held.why}", {}))
                return
            break
        held.conversations.append(_conversation(stage, purpose, branch, f"{seed} {number}"))
    if held.runs > len(held.conversations):
        told = f"The conversations that were held, {len(held.conversations)}, stand for all {held.runs:,}."
        held.why = f"{held.why} {told}" if held.why else told


def _branch(stage: _Stage, purpose: list[Condition]) -> Branch | None:
    """The way to all that the purpose names, where one is found."""
    if not purpose or not stage.go_on():
        return None
    return stage.engine.reach(stage.program, _untried(stage.program, purpose).path, **stage.options)


def _untried(program: Program, purpose: list[Condition]) -> Branch:
    """The way there as the code nests it, before any run has found it."""
    ways = {path[-1]: path for path in paths(program)} if purpose else {}
    return Branch(tuple(dict.fromkeys(step for condition in purpose for step in ways[condition])))


def _conversation(stage: _Stage, purpose: list[Condition], branch: Branch, seed: str) -> Conversation:
    caller, session, events = _play(stage, branch, Random(seed), seed)
    if session.failure is None and not _reached(caller, purpose):  # its own words led elsewhere: as it was found, then
        caller, session, events = _play(stage, Branch(branch.path, branch.twist), Random(branch.twist), branch.twist)
    if session.failure is not None and session.failure.bound:
        stage.stopped += 1
    return Conversation(
        _fault(session, [condition.text for condition in purpose if condition.line not in caller.taken]),
        {
            "purpose": [condition.text for condition in purpose],
            "taken": [event["condition"] for event in events if event.type == "taken"],
            "ended": session.ended,
            "transcript": transcript(session.messages)[:_SHOWN],
            "extracted": _shown(session.extracted),
            "state": _shown({name: value for name, value in session.state.items() if name != "variables"}),
        },
    )


def _fault(session: Session, missed: list[str]) -> str | None:
    if session.failure is not None:
        return f"The flow raised: {session.failure.sentence}"
    return f"The flow never came to: {'; '.join(missed)}." if missed else None


def _play(stage: _Stage, branch: Branch, random: Random, seed: int | str) -> tuple[Caller, Session, list[Event]]:
    caller = stage.engine.caller(stage.program, branch, random)
    session = stage.engine.open(stage.program, judge=caller, seed=seed, **stage.options)
    return caller, session, session.play(caller)


def _reached(caller: Caller, purpose: list[Condition]) -> bool:
    return all(condition.line in caller.taken for condition in purpose)


def _shown(value: dict[str, Any]) -> dict[str, Any] | None:
    """The value; None where it is too long to be kept."""
    return value if len(orjson.dumps(value)) <= _SHOWN else None


def conditions_in(program: Program, description: str) -> list[Condition]:
    """Return the conditions that a checkpoint's description quotes, in the order of the code.

    Of two that overlap, the longer one counts. A placeholder of a condition that is an f-string matches any words. With
    no quoted condition, the most similar one is returned, if there is one.
    """
    rest = _folded(description[:_LONGEST_DESCRIPTION])
    by_text: dict[str, Condition] = {}  # several loops can have the same condition; a call need not reach each of them
    for condition in sorted(program.conditions, key=lambda each: (-len(each.text), each.line)):
        pattern = _pattern(condition)
        if pattern is not None and pattern.search(rest):
            by_text[_folded(condition.text)] = condition
            rest = pattern.sub(" | ", rest)
    return sorted(by_text.values(), key=lambda each: each.line) if by_text else _most_similar(program, description)


def _most_similar(program: Program, description: str) -> list[Condition]:
    conditions = program.conditions
    texts = [condition.text for condition in conditions]
    talk = Talk("", texts, {}, [], 0, [condition.line for condition in conditions], random=Random(0))
    decision = _BUILT_IN.choose(talk, description)
    return [] if decision.index is None else [conditions[decision.index]]


def _pattern(condition: Condition) -> re.Pattern[str] | None:
    text = condition.text
    if not condition.fixed:
        literal = _LITERAL.match(text)
        if literal is None:
            return None
        text = literal["text"]
    pieces = [re.escape(_folded(piece)) for piece in (_PLACEHOLDER.split(text) if not condition.fixed else [text])]
    if not any(pieces) or len(pieces) > _MOST_PIECES:
        return None
    return re.compile(r"(?<!\w)" + ".{1,80}?".join(pieces) + r"(?!\w)")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
