"""Conversations that follow a flow: the caller's choice of conditions, the one run for each, and its dialogue."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from math import prod
from random import Random
from typing import Any, Self

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap
from dryline.flow.language.errors import CodeRefused
from dryline.flow.language.program import Condition, Program
from dryline.flow.model.caller_words import first_clause, predicate, role_of
from dryline.flow.model.simulated_caller import usual
from dryline.flow.sessions.engines import engine_of
from dryline.simulator.analysis import KNOWN, KNOWN_CONTACT, WANTED_TRANSFER, fact_of, milestones_of
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.facts import Facts
from dryline.simulator.flow_runner import HUNG_UP, FlowRun, run_flow
from dryline.simulator.script_dialogues import DONE, HANG_UP, LEAVE, Dialogue
from dryline.storage.errors import Invalid
from dryline.world.world import World

_LONGEST_COMPARED = 1_000  # characters of an unknown condition; comparing a longer one with others takes seconds
_MOST_STOPPED = 3  # runs that exceed a limit of the engine, before further calls fail with the same error
_LACKING = {"transferred": "transfers", "voicemail": "meets a voicemail", "failed": "fails"}  # by outcome
_ENDINGS = {"transfer": "call_transfer", "failed": "error"}
_RARE = ("closing", "else", "small talk")  # roles of conditions that no call is about
_BY_ENDING = {"done", "transferred", "voicemail"}  # milestones that a run's end reaches, whatever its words are
_NOT = re.compile(r"^(no|not|never)\b|\b(not|cannot|can't|declin\w+|refus\w+|without|unable)\b", re.IGNORECASE)


class CannotFollow(Exception):
    """A conversation follows a script instead of its flow. The message is the reason, a sentence."""


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """A flow that no conversation can follow. `why` is the reason, a sentence."""

    why: str


@dataclass(slots=True, kw_only=True)
class FollowedFlow:
    """The flow of a request's conversations, or of those of one round of a job.

    `branch` has the texts of the conditions to take, `goals` these conditions, and `shares` says how usual conditions
    are.
    """

    deployment: DeploymentContext
    engine: Engine
    flow_map: FlowMap
    branch: tuple[str, ...] = ()
    goals: list[Condition] = field(default_factory=list)
    shares: Mapping[str, float] = field(default_factory=dict)
    stopped: list[FlowRun] = field(default_factory=list)  # runs that exceeded a limit

    @classmethod
    def read(cls, world: World, deployment: DeploymentContext) -> Self | NotFollowed:
        """Return the flow of a deployment, or the reason why it cannot be followed. Raises Busy."""
        code = deployment.code
        if code is None:
            return NotFollowed("The flow was deleted.")
        engine = engine_of(world)
        try:
            program = engine.checked_program(code)
            lacking = engine.lacking(program)
        except CodeRefused as refused:
            fault = refused.findings[0]
            return NotFollowed(f"The flow cannot run. Line {fault.line}, column {fault.column}: {fault.sentence}")
        if lacking:
            return NotFollowed(f"The flow cannot run here. Line {lacking.line}: {lacking.sentence}")
        if program.loops and not program.conditions:
            return NotFollowed("The flow's loops have no conditions that a caller could meet.")
        if not any(row.strip() and not row.strip().startswith("#") for row in code.splitlines()):
            return NotFollowed("The flow is empty.")
        return cls(deployment=deployment, engine=engine, flow_map=FlowMap(program))

    def taking(self, branch: Sequence[str], shares: Mapping[str, float]) -> Self:
        """Return the flow for callers who take these conditions. Raises Invalid for one that the flow does not have."""
        goals = [_condition(self.flow_map.program, text) for text in branch]
        return replace(self, branch=tuple(branch), goals=goals, shares=shares)

    @property
    def meets_machine(self) -> bool:
        """Whether the branch is that of a voicemail."""
        return any(role_of(condition.text) == "machine" for condition in self.goals)

    def require_possible(self, outcome: str | None, *, never_scripted: bool) -> None:
        """Raise Invalid for an outcome that the branch, or a call that is `never_scripted`, cannot have."""
        needs_machine = outcome == "voicemail" and not self.meets_machine
        if self.branch and (outcome in ("no-answer", "busy") or needs_machine):
            raise Invalid(f"A call with the outcome {outcome} takes no branch.", "outcome")
        if never_scripted and outcome == "transferred" and not self.flow_map.transfers:
            raise Invalid(f"No branch of the flow {_LACKING[outcome]}.", "outcome")

    def converse(
        self, outcome: str, state: dict[str, Any], at: datetime, rng: Random, *, is_fixed: bool = False, **options: Any
    ) -> FlowRun:
        """Run the flow for one conversation, with the `options` of a RecordedCaller. Raises CannotFollow; Busy.

        The flow may choose between completed and transferred, unless the outcome `is_fixed`. A flow that has exceeded a
        limit several times may do so for each call of a request, which could take hours: further calls fail at once.
        """
        if len(self.stopped) == _MOST_STOPPED:
            return self.stopped[-1].failed_at_once(state)
        goals = self.goals
        if not goals and (is_fixed or outcome in ("voicemail", "failed")):
            goals = self._goals_of(outcome, rng)
        elif not goals:
            conditions = self.flow_map.program.conditions
            goals = self._draw([each for each in conditions if role_of(each.text) != "machine"], rng)
            if rng.random() < (LEAVE if self.deployment.is_chat else HANG_UP):
                options["max_turns"] = rng.choice((1, 2))
        route = self.flow_map.route_to(goals)
        options |= {"shares": self.shares, "is_machine": outcome == "voicemail"}
        run = run_flow(self.engine, self.flow_map, self.deployment, route, state, at, rng, **options)
        if run.stopped:
            self.stopped.append(run)
        return run

    def not_taken(self, run: FlowRun, outcome: str | None) -> dict[str, str | None] | None:
        """Return the branch and the outcome that were missed if the flow led elsewhere, and where it led."""
        taken = iter([_normalized(text) for text in run.taken])
        branch = next((text for text in self.branch if _normalized(text) not in taken), None)
        missed = {"branch": branch, "outcome": outcome if outcome != run.outcome else None}
        last = run.taken[-1] if run.taken else None
        return {**missed, "taken": last} if any(missed.values()) else None

    def _goals_of(self, outcome: str, rng: Random) -> list[Condition]:
        """Return conditions whose code leads to an outcome: one to begin with, then those to try where it does not."""
        is_machine, conditions = outcome == "voicemail", self.flow_map.program.conditions
        fit = [each for each in conditions if (role_of(each.text) == "machine") == is_machine]
        fit = [each for each in fit if is_machine or self.flow_map.outcome_of(each) == outcome]
        fit = [each for each in fit if each.fixed and role_of(each.text) not in _RARE] or fit
        if not fit and outcome in _LACKING and not (outcome == "transferred" and self.flow_map.transfers):
            raise CannotFollow(f"No branch of the flow {_LACKING[outcome]}.")
        first = self._draw(fit, rng)
        return first if outcome == "completed" else [*first, *(each for each in fit if each not in first)]

    def _draw(self, conditions: Sequence[Condition], rng: Random) -> list[Condition]:
        """Return what the next caller wants: one of the conditions, the usual ones more often; or nothing."""
        ways = [self.flow_map.conditions_around(condition.line) for condition in conditions]
        weights = [prod(usual(each, self.shares) for each in way) for way in ways]
        return rng.choices(conditions, weights if any(weights) else None) if conditions else []


def _condition(program: Program, text: str) -> Condition:
    """Return the first condition with the text. Raises Invalid, which names the nearest."""
    texts = {_normalized(condition.text): condition for condition in reversed(program.conditions)}
    if _normalized(text) in texts:
        return texts[_normalized(text)]

    is_short = len(text) <= _LONGEST_COMPARED
    nearest = get_close_matches(_normalized(text), texts, n=3, cutoff=0.0) if is_short else []
    hint = f" The nearest: {'; '.join(repr(texts[each].text) for each in nearest)}." if nearest else ""
    raise Invalid(f"The flow has no condition {text!r}.{hint}", "branch")


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold()


def dialogue_of(run: FlowRun, facts: Facts, *, left: str) -> Dialogue:
    """Return the dialogue of a run, with its results, and add the facts that the caller gave to `facts`.

    `left` is the ending of a conversation that the user, or the channel, broke off.
    """
    last = run.taken[-1] if run.taken else ""
    ending = left if run.ended == HUNG_UP or run.is_late else _ENDINGS.get(run.ended, DONE)
    steps = [("U" if event.type == "heard" else "A", event["text"], frozenset[str]())
             for event in run.events if event.type in ("said", "heard")]  # fmt: skip
    intent = "_".join(re.findall(r"\w+", predicate(run.taken[0]).lower())) if run.taken else "unknown"
    dialogue = Dialogue(intent, last, "voicemail_reached" if run.machine else ending, steps)
    dialogue.mentioned |= _learn(run, facts)
    dialogue.reached = {"voicemail"} if run.machine else _reached(run, last)
    summary = "Reached a voicemail." if run.machine else _summary(run)
    dialogue.summary = f"{summary} {dialogue.summary}".strip()
    return dialogue


def _reached(run: FlowRun, last: str) -> set[str]:
    """Return the milestones that the end, the conditions and the extracted values name, but for those denied."""
    is_transferred = run.ended == "transfer"
    if run.is_late or not (is_transferred or run.came_to_its_end):
        return set()
    if last and not is_transferred and role_of(last) == "missed":
        return {"missed"}
    texts = [text for text in run.taken if not _NOT.search(text)]
    texts += [key for key, value in run.extracted.items() if value not in (False, None, "")]
    denied = {name for key, value in run.extracted.items() if value is False for name in milestones_of(key)}
    reached = {name for text in texts for name in milestones_of(text)} - denied - _BY_ENDING
    return reached | ({"transferred", WANTED_TRANSFER} if is_transferred else {"done"})


def _learn(run: FlowRun, facts: Facts) -> set[str]:
    """Add the facts that the caller gave to the flow, and return their names."""
    learned: set[str] = set()
    for event in (each for each in run.events if each.type in ("asked", "extracted")):
        key, question = (str(event.details.get(name, "")) for name in ("key", "question"))
        members = event["value"] if isinstance(event["value"], dict) else {key: event["value"]}
        for name, value in members.items():
            fact = fact_of(str(name), question)
            if value and fact not in learned | KNOWN and (isinstance(value, str) or fact == "rating"):
                facts[fact] = value
                learned.add(fact)
    return learned | KNOWN_CONTACT if "name" in learned else learned


def _summary(run: FlowRun) -> str:
    """Return the summary that the flow extracts, else what the caller wants; and whether a person took over."""
    wishes = [text for text in dict.fromkeys(run.wishes or run.taken) if role_of(text) not in (*_RARE, "value")]
    wish = ", and then ".join(map(first_clause, wishes))
    summary = str(run.extracted.get("summary") or f"The caller {wish or 'does not say what it is about'}.")
    return f"{summary} A person took over." if run.ended == "transfer" else summary
