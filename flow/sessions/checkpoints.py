"""Test runs: the conversations that a test's checkpoints ask for, run with its flow.

A checkpoint's description says what the caller wants. Only the result of a conversation is stored.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap
from dryline.flow.language.errors import CodeRefused
from dryline.flow.language.events import transcript
from dryline.flow.language.language_model import Talk
from dryline.flow.language.program import Condition, Program
from dryline.flow.language.session import FlowSession
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.simulated_caller import Caller
from dryline.flow.sessions.engines import engine_of
from dryline.models.flows import Flow
from dryline.models.tests import CheckpointRun, Test, TestConversation, TestRun
from dryline.world.real_time import monotonic
from dryline.world.world import World

MAX_CONVERSATIONS = 100  # of one checkpoint; their results are scaled to all that it asks for
_MAX_STOPPED = 3  # conversations of a run that exceed a limit of the engine, before the run gives up
TIMEOUT_S = 30.0  # real time for one run: a flow may wait for other servers
_MAX_CHARACTERS = 20_000  # of a stored transcript, extraction or state

_PLACEHOLDER = re.compile(r"{[^{}]*}")
_LITERAL = re.compile(r"""^[fFrR]*("{3}|'{3}|"|')(?P<text>.*)\1$""", re.DOTALL)
_LONGEST_DESCRIPTION = 5_000  # characters; the regular expressions would take long on more
_MOST_PIECES = 3  # literal pieces of a condition that is an f-string, likewise
_BUILT_IN = BuiltInModel()


class ServerStopping(Exception):
    """The server is stopping, so the run has to wait for the next start."""


@dataclass(slots=True)
class _RunContext:
    """The values that all conversations of one run share."""

    world: World
    engine: Engine
    map: FlowMap
    options: dict[str, Any]
    deadline: float  # on the monotonic clock
    stopped: int = 0

    def may_continue(self) -> bool:
        """Return whether to run another conversation. Raises ServerStopping."""
        if self.world.ending.is_set():
            raise ServerStopping
        return self.stopped < _MAX_STOPPED and monotonic() < self.deadline


def run_checkpoints(world: World, run: TestRun) -> list[CheckpointRun]:
    """Run the conversations of each checkpoint, outside of any transaction.

    The same run and the same flow give the same conversations. Raises ServerStopping, Busy.
    """
    with world.reading():
        test = Test.find(id=run.test_id)
        flow = Flow.find(id=test.flow_id) if test else None
    runs = [CheckpointRun(checkpoint) for checkpoint in test.checkpoints] if test else []
    if test is None or flow is None:
        return _without_conversations(runs, "The flow was deleted.")
    engine = engine_of(world)
    try:
        program = engine.checked_program(flow.code, f"{flow.id}.based")
    except CodeRefused as refused:
        return _without_conversations(runs, f"The flow cannot run: {refused.findings[0]}")
    voice = "chat" not in test.test_mode.lower()
    state = {"Caller": f"+1415555{Random(run.id).randrange(100, 200):04d}"} if voice else {}
    options = {"variables": flow.variables, "state": state, "channel": "voice" if voice else "chat"}
    context = _RunContext(world, engine, FlowMap(program), options, monotonic() + TIMEOUT_S)
    for number, each in enumerate(runs):
        _run_checkpoint(context, each, f"{run.id} {number}")
    return runs


def _without_conversations(runs: list[CheckpointRun], reason: str) -> list[CheckpointRun]:
    for each in runs:
        each.reason = f"No conversation was run, so the result is random. {reason}"
    return runs


def _run_checkpoint(context: _RunContext, checkpoint: CheckpointRun, seed: str) -> None:
    purpose = conditions_in(context.map.program, str(checkpoint.checkpoint.get("description") or ""))
    route = context.map.route_to(purpose)
    for number in range(min(checkpoint.runs, MAX_CONVERSATIONS)):
        if not context.may_continue():
            checkpoint.reason = "The run was given up: the flow exceeds the engine's limits or waits for other servers."
            if not checkpoint.conversations:
                checkpoint.conversations.append(TestConversation(f"No conversation was run. {checkpoint.reason}", {}))
                return
            break
        checkpoint.conversations.append(_run_conversation(context, purpose, route, f"{seed} {number}"))
    if checkpoint.runs > len(checkpoint.conversations):
        scaled = f"The result of {len(checkpoint.conversations)} conversations is scaled to {checkpoint.runs:,}."
        checkpoint.reason = f"{checkpoint.reason} {scaled}" if checkpoint.reason else scaled


def _run_conversation(
    context: _RunContext, purpose: list[Condition], route: Sequence[Condition], seed: str
) -> TestConversation:
    caller = Caller(context.map, route, Random(seed))
    session = context.engine.open(context.map.program, model=caller, seed=seed, **context.options)
    events = session.play(caller)
    if session.failure is not None and session.failure.bound:
        context.stopped += 1
    return TestConversation(
        _failure(session, [condition.text for condition in purpose if condition not in caller.taken]),
        {
            "purpose": [condition.text for condition in purpose],
            "taken": [event["condition"] for event in events if event.type == "taken"],
            "ended": session.ended,
            "transcript": transcript(session.messages)[:_MAX_CHARACTERS],
            "extracted": _bounded(session.extracted),
            "state": _bounded({name: value for name, value in session.state.items() if name != "variables"}),
        },
    )


def _failure(session: FlowSession, missed: list[str]) -> str | None:
    if session.failure is not None:
        return f"The flow raised: {session.failure.sentence}"
    return f"The flow did not reach: {'; '.join(missed)}." if missed else None


def _bounded(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the value, or None if it is too long to be stored."""
    return value if len(orjson.dumps(value)) <= _MAX_CHARACTERS else None


def conditions_in(program: Program, description: str) -> list[Condition]:
    """Return the conditions that a checkpoint's description quotes, in the order of the code.

    Of two that overlap, the longer one counts. A placeholder of a condition that is an f-string matches any words. With
    no quoted condition, the most similar one is returned, if there is one.
    """
    rest = _normalized(description[:_LONGEST_DESCRIPTION])
    by_text: dict[str, Condition] = {}  # several loops can have the same condition; a call need not reach each of them
    for condition in sorted(program.conditions, key=lambda each: (-len(each.text), each.line)):
        pattern = _condition_pattern(condition)
        if pattern is not None and pattern.search(rest):
            by_text[_normalized(condition.text)] = condition
            rest = pattern.sub(" | ", rest)
    return sorted(by_text.values(), key=lambda each: each.line) if by_text else _most_similar(program, description)


def _most_similar(program: Program, description: str) -> list[Condition]:
    conditions = program.conditions
    texts = [condition.text for condition in conditions]
    talk = Talk("", texts, {}, [], 0, [condition.line for condition in conditions], random=Random(0))
    decision = _BUILT_IN.choose(talk, description)
    return [] if decision.index is None else [conditions[decision.index]]


def _condition_pattern(condition: Condition) -> re.Pattern[str] | None:
    text = condition.text
    if not condition.fixed:
        literal = _LITERAL.match(text)
        if literal is None:
            return None
        text = literal["text"]
    pieces = [re.escape(_normalized(piece)) for piece in (_PLACEHOLDER.split(text) if not condition.fixed else [text])]
    if not any(pieces) or len(pieces) > _MOST_PIECES:
        return None
    return re.compile(r"(?<!\w)" + ".{1,80}?".join(pieces) + r"(?!\w)")


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
