"""Test runs: the conversations that a test's checkpoints ask for, run with its flow.

A checkpoint's description says what the caller wants. Only the result of a conversation is stored.
"""

import re
from random import Random
from typing import Any

import orjson

from dryline.flow.language.language_model import Talk
from dryline.flow.language.program import Condition, Program
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.models.calls_in_progress import transcription
from dryline.models.flows import Flow
from dryline.models.tests import CheckpointRun, Test, TestConversation, TestRun
from dryline.simulator.conversations import Simulator
from dryline.simulator.deployment_context import DeploymentContext, context_of_flow
from dryline.simulator.followed import FollowedFlow, NotFollowed, normalized
from dryline.simulator.request import SimulationRequest
from dryline.storage.current_world import current_task
from dryline.world.real_time import monotonic
from dryline.world.world import World

MAX_CONVERSATIONS = 100  # of one checkpoint; their results are scaled to all that it asks for
TIMEOUT_S = 30.0  # real time for one run: a flow may wait for other servers
_MAX_CHARACTERS = 20_000  # of a stored transcript, extraction or state
_GIVEN_UP = "The run was given up: the flow exceeds the engine's limits or waits for other servers."

_LONGEST_DESCRIPTION = 5_000  # characters in which conditions are searched
_BUILT_IN = BuiltInModel()


class ServerStopping(Exception):
    """The server is stopping, so the run has to wait for the next start."""


def run_checkpoints(world: World, run: TestRun) -> list[CheckpointRun]:
    """Run the conversations of each checkpoint, outside of any transaction.

    The same run and the same flow give the same conversations. Raises ServerStopping, EpochEnded, Busy.
    """
    with world.reading():
        test = Test.find(id=run.test_id)
        flow = Flow.find(id=test.flow_id) if test else None
        deployment = None
        if test is not None and flow is not None:
            channel = "Chat" if "chat" in test.test_mode.lower() else "Voice"
            deployment = context_of_flow(flow, channel)
    runs = [CheckpointRun(checkpoint) for checkpoint in test.checkpoints] if test else []
    if deployment is None:
        return _not_run(runs, "The flow was deleted.")
    followed = FollowedFlow.read(world, deployment)
    if isinstance(followed, NotFollowed):
        return _not_run(runs, followed.why)
    runner = _Runner(world, deployment, followed)
    for number, each in enumerate(runs):
        runner.run(each, f"{run.id} {number}")
    return runs


def _not_run(runs: list[CheckpointRun], reason: str) -> list[CheckpointRun]:
    """Return the runs with the reason why they have no conversations."""
    for each in runs:
        each.notes.append(reason)
    return runs


class _Runner:
    """The conversations of one run."""

    def __init__(self, world: World, deployment: DeploymentContext, flow: FollowedFlow) -> None:
        self._world, self._deployment, self._flow = world, deployment, flow
        self._deadline = monotonic() + TIMEOUT_S

    def run(self, checkpoint: CheckpointRun, seed: str) -> None:
        """Run the conversations of a checkpoint. Raises ServerStopping, EpochEnded, Busy."""
        program = self._flow.flow_map.program
        description = str(checkpoint.checkpoint.get("description") or "")
        purpose = conditions_named(program, description)
        if not purpose:
            purpose = similar_condition(program, description)
            checkpoint.notes.append(_not_named(purpose))
        for number in range(min(checkpoint.runs, MAX_CONVERSATIONS)):
            if self._world.ending.is_set():
                raise ServerStopping
            self._world.epochs.require_current(current_task())
            if self._flow.has_given_up or monotonic() > self._deadline:
                checkpoint.notes.append(_GIVEN_UP)
                break
            checkpoint.conversations.append(self._converse(purpose, f"{seed} {number}"))
        held = len(checkpoint.conversations)
        if checkpoint.runs > held > 0:
            checkpoint.notes.append(f"The result of {held} conversations is scaled to {checkpoint.runs:,}.")

    def _converse(self, purpose: list[Condition], seed: str) -> TestConversation:
        request = SimulationRequest(outcome="completed", direction="inbound", follow="flow")
        simulator = Simulator(self._deployment, Random(seed), self._flow.with_goals(purpose))
        now = self._world.now()
        conversation = simulator.chat(now) if self._deployment.is_chat else simulator.call(request, now)
        record, state = conversation.record, conversation.state or {}
        missed = [condition for condition in purpose if condition.line not in record.lines_taken]
        if record.fault is not None:
            passed, explanation = False, f"The flow raised: {record.fault.sentence.rstrip('.')}."
        elif missed:
            passed, explanation = False, f"The flow did not reach: {_texts(missed)}."
        else:
            passed = True
            explanation = f"The flow reached: {_texts(purpose)}." if purpose else "The flow came to its end."
        return TestConversation(
            passed,
            explanation,
            {
                "purpose": [condition.text for condition in purpose],
                "taken": record.taken,
                "ended": record.ended,
                "transcript": transcription(record.messages)[:_MAX_CHARACTERS],
                "extracted": _bounded(record.extracted),
                "state": _bounded({name: value for name, value in state.items() if name != "variables"}),
            },
        )


def _texts(conditions: list[Condition]) -> str:
    return "; ".join(condition.text for condition in conditions)


def _not_named(similar: list[Condition]) -> str:
    """Return the sentence about a description that names no condition, with the one that was taken instead."""
    sentence = "The description names no condition of the flow"
    if similar:
        return f"{sentence}; the most similar one was taken: {_texts(similar)}."
    return f"{sentence}, so the callers wanted what callers usually want."


def _bounded(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the value, or None if it is too long to be stored."""
    return value if len(orjson.dumps(value)) <= _MAX_CHARACTERS else None


def conditions_named(program: Program, description: str) -> list[Condition]:
    """Return the conditions whose text a checkpoint's description contains, in the order of the code.

    Of two that overlap, the longer one counts. A condition with placeholders has no text of its own before the flow
    runs, so none is named.
    """
    rest = normalized(description[:_LONGEST_DESCRIPTION]).rstrip(".")
    named: dict[str, Condition] = {}  # several loops can have the same condition; a call need not reach each of them
    for condition in sorted(_fixed_conditions(program), key=lambda each: (-len(each.text), each.line)):
        text = normalized(condition.text).rstrip(".")
        without_text = _without(text, rest)
        if without_text != rest:
            named[text] = condition
            rest = without_text
    return sorted(named.values(), key=lambda each: each.line)


def similar_condition(program: Program, description: str) -> list[Condition]:
    """Return the condition that a description resembles most, or none."""
    conditions = _fixed_conditions(program)
    texts, lines = [each.text for each in conditions], [each.line for each in conditions]
    talk = Talk("", texts, {}, [], 0, lines, random=Random(0))
    index = _BUILT_IN.choose(talk, description[:_LONGEST_DESCRIPTION]).index
    return [] if index is None else [conditions[index]]


def _fixed_conditions(program: Program) -> list[Condition]:
    return [condition for condition in program.conditions if condition.fixed]


def _without(piece: str, text: str) -> str:
    """Return the text with a bar in place of a piece wherever the piece stands between words."""
    if not piece:
        return text
    return re.sub(rf"(?<!\w){re.escape(piece)}(?!\w)", " | ", text)
