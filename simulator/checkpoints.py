"""Test runs: the conversations that a test's checkpoints ask for, run with its flow.

A checkpoint's description says what the caller wants. Only the result of a conversation is stored.
"""

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
from dryline.simulator.followed import FollowedFlow, NotFollowed
from dryline.simulator.request import SimulationRequest
from dryline.storage.current_world import current_task
from dryline.world.real_time import monotonic
from dryline.world.world import World

MAX_CONVERSATIONS = 100  # of one checkpoint; their results are scaled to all that it asks for
TIMEOUT_S = 30.0  # real time for one run: a flow may wait for other servers
_MAX_CHARACTERS = 20_000  # of a stored transcript, extraction or state
_GIVEN_UP = "The run was given up: the flow exceeds the engine's limits or waits for other servers."

_LONGEST_DESCRIPTION = 5_000  # characters in which conditions are searched
_LONGEST_GAP = 80  # characters that a placeholder of a condition stands for
_MOST_STARTS = 100  # beginnings of one condition that are tried
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
        is_chat = test is not None and "chat" in test.test_mode.lower()
        deployment = context_of_flow(flow, "Chat" if is_chat else "Voice") if flow else None
    runs = [CheckpointRun(checkpoint) for checkpoint in test.checkpoints] if test else []
    followed: FollowedFlow | NotFollowed = NotFollowed("The flow was deleted.")
    if deployment is not None:
        followed = FollowedFlow.read(world, deployment)
    if deployment is None or isinstance(followed, NotFollowed):
        why = followed.why if isinstance(followed, NotFollowed) else ""
        for each in runs:
            each.reason = f"No conversation was run, so the result is random. {why}"
        return runs
    runner = _Runner(world, deployment, followed)
    for number, each in enumerate(runs):
        runner.run(each, f"{run.id} {number}")
    return runs


class _Runner:
    """The conversations of one run."""

    def __init__(self, world: World, deployment: DeploymentContext, flow: FollowedFlow) -> None:
        self._world, self._deployment, self._flow = world, deployment, flow
        self._deadline = monotonic() + TIMEOUT_S

    def run(self, checkpoint: CheckpointRun, seed: str) -> None:
        """Run the conversations of a checkpoint. Raises ServerStopping, EpochEnded, Busy."""
        program = self._flow.flow_map.program
        purpose = conditions_in(program, str(checkpoint.checkpoint.get("description") or ""))
        reasons = []
        for number in range(min(checkpoint.runs, MAX_CONVERSATIONS)):
            if self._world.ending.is_set():
                raise ServerStopping
            self._world.epochs.require_current(current_task())
            if self._flow.has_given_up or monotonic() > self._deadline:
                reasons.append(_GIVEN_UP)
                break
            checkpoint.conversations.append(self._converse(purpose, f"{seed} {number}"))
        held = len(checkpoint.conversations)
        if reasons and not held:
            checkpoint.conversations.append(TestConversation(f"No conversation was run. {_GIVEN_UP}", {}))
        elif checkpoint.runs > held:
            reasons.append(f"The result of {held} conversations is scaled to {checkpoint.runs:,}.")
        checkpoint.reason = " ".join(reasons) or None

    def _converse(self, purpose: list[Condition], seed: str) -> TestConversation:
        request = SimulationRequest(outcome="completed", is_drawn=True, direction="inbound", follow="flow")
        simulator = Simulator(self._deployment, Random(seed), self._flow.with_goals(purpose))
        now = self._world.now()
        conversation = simulator.chat(now) if self._deployment.is_chat else simulator.call(request, now)
        record, state = conversation.record, conversation.state or {}
        missed = [
            condition.text if condition.fixed else f"the condition of line {condition.line}"
            for condition in purpose
            if condition.line not in record.lines_taken
        ]
        failure = f"The flow did not reach: {'; '.join(missed)}." if missed else None
        if record.fault is not None:
            failure = f"The flow raised: {record.fault.sentence}"
        return TestConversation(
            failure,
            {
                "purpose": [condition.text for condition in purpose],
                "taken": record.taken,
                "ended": record.ended,
                "transcript": transcription(record.messages)[:_MAX_CHARACTERS],
                "extracted": _bounded(record.extracted),
                "state": _bounded({name: value for name, value in state.items() if name != "variables"}),
            },
        )


def _bounded(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the value, or None if it is too long to be stored."""
    return value if len(orjson.dumps(value)) <= _MAX_CHARACTERS else None


def conditions_in(program: Program, description: str) -> list[Condition]:
    """Return the conditions that a checkpoint's description quotes, in the order of the code.

    Of two that overlap, the longer one counts. A placeholder of a condition that is an f-string matches any words. With
    no quoted condition, the most similar one is returned, if there is one.
    """
    conditions = program.conditions
    description = description[:_LONGEST_DESCRIPTION]
    rest = _normalized(description)
    by_text: dict[str, Condition] = {}  # several loops can have the same condition; a call need not reach each of them
    for condition in sorted(conditions, key=lambda each: (-len(each.text), each.line)):
        without_quotes = _without(_fixed_pieces(condition), rest)
        if without_quotes != rest:
            by_text[_normalized(condition.text)] = condition
            rest = without_quotes
    if by_text:
        return sorted(by_text.values(), key=lambda each: each.line)
    texts, lines = [each.text for each in conditions], [each.line for each in conditions]
    index = _BUILT_IN.choose(Talk("", texts, {}, [], 0, lines, random=Random(0)), description).index
    return [] if index is None else [conditions[index]]


def _fixed_pieces(condition: Condition) -> list[str]:
    """Return the texts of a condition that are fixed: those between the placeholders of an f-string.

    A placeholder at the beginning or the end stands for anything, and is left out.
    """
    if condition.fixed:
        return [_normalized(condition.text)]
    without_prefix = condition.text.lstrip("fFrR")
    is_string = without_prefix.startswith(("'", '"'))
    text = _normalized(without_prefix.strip("\"'") if is_string else condition.text)

    pieces, at = [], 0
    while (start := text.find("{", at)) >= 0 and (end := text.find("}", start)) >= 0:
        pieces.append(text[at:start])
        at = end + 1
    pieces.append(text[at:])

    while pieces and not pieces[0].strip():
        del pieces[0]
    while pieces and not pieces[-1].strip():
        del pieces[-1]
    return pieces


def _without(pieces: list[str], text: str) -> str:
    """Return the text with a bar in place of each stretch that consists of the pieces with some words between."""
    if not pieces:
        return text
    parts: list[str] = []
    at = start = 0
    for _ in range(_MOST_STARTS):
        start = text.find(pieces[0], start)
        if start < 0:
            break
        end = _end_of(pieces, text, start) if _is_between_words(text, start) else None
        if end is None:
            start += 1
        else:
            parts += [text[at:start], " | "]
            at = start = end
    return "".join([*parts, text[at:]])


def _end_of(pieces: list[str], text: str, start: int) -> int | None:
    """Return the end of a stretch that starts with the first piece, or None. A gap between pieces is the shortest.

    This uses no regular expression: with some placeholders, one would try all their lengths with each other.
    """
    end = start + len(pieces[0])
    for piece in pieces[1:]:
        start_of_piece = text.find(piece, end + 1, end + _LONGEST_GAP + len(piece))
        if start_of_piece < 0:
            return None
        end = start_of_piece + len(piece)
    return end if _is_between_words(text, end) else None


def _is_between_words(text: str, at: int) -> bool:
    """Return whether no word has characters on both sides of an offset."""
    return not (0 < at < len(text) and _is_of_word(text[at - 1]) and _is_of_word(text[at]))


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
