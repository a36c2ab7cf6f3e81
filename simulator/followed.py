"""Flows that conversations follow: whether one can be followed, and what its callers want."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from math import prod
from random import Random
from typing import Any, Self

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap, flow_map_of
from dryline.flow.language.errors import CodeRefused
from dryline.flow.language.events import Event
from dryline.flow.language.program import Condition, Program
from dryline.flow.model.caller_words import UNUSUAL_ROLES, kinds_of_values, role_of
from dryline.flow.model.kinds import WORDS
from dryline.flow.model.simulated_caller import usual
from dryline.flow.sessions.engines import engine_of
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_source import FlowEventSource
from dryline.simulator.record import ConversationRecord
from dryline.simulator.script_source import HANG_UP, LEAVE
from dryline.storage.errors import Invalid
from dryline.world.world import World

_LONGEST_COMPARED = 1_000  # characters of an unknown condition; comparing a longer one with others takes seconds
_MOST_STOPPED = 3  # runs that exceed a limit of the engine, before further calls fail with the same error
_LACKING = {"transferred": "transfers", "voicemail": "meets a voicemail", "failed": "fails"}  # by outcome


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
    stopped: list[Event] = field(default_factory=list)  # errors of runs that exceeded a limit

    @classmethod
    def read(cls, world: World, deployment: DeploymentContext) -> Self | NotFollowed:
        """Return the flow of a deployment, or the reason why it cannot be followed. Raises Busy."""
        code = deployment.code
        if code is None:
            return NotFollowed("The flow was deleted.")
        engine = engine_of(world)
        try:
            program = engine.checked_program(code)
            lacking = engine.first_missing_import(program)
        except CodeRefused as refused:
            fault = refused.findings[0]
            return NotFollowed(f"The flow cannot run. Line {fault.line}, column {fault.column}: {fault.sentence}")
        if lacking:
            return NotFollowed(f"The flow cannot run here. Line {lacking.line}: {lacking.sentence}")
        if program.loops and not program.conditions:
            return NotFollowed("The flow's loops have no conditions that a caller could meet.")
        if not any(row.strip() and not row.strip().startswith("#") for row in code.splitlines()):
            return NotFollowed("The flow is empty.")
        return cls(deployment=deployment, engine=engine, flow_map=flow_map_of(program))

    def taking(self, branch: Sequence[str], shares: Mapping[str, float]) -> Self:
        """Return the flow for callers who take these conditions. Raises Invalid for one that the flow does not have."""
        goals = [_condition_with(text, self.flow_map.program) for text in branch]
        return replace(self, branch=tuple(branch), goals=goals, shares=shares)

    def with_goals(self, goals: Sequence[Condition]) -> Self:
        """Return the flow for callers who want these conditions, which need not have texts of their own."""
        return replace(self, goals=list(goals))

    @property
    def has_given_up(self) -> bool:
        """Whether so many runs have exceeded a limit that no further one is made."""
        return len(self.stopped) >= _MOST_STOPPED

    @property
    def meets_machine(self) -> bool:
        """Whether the branch is that of a voicemail."""
        return any(map(_meets_machine, self.goals))

    def require_possible(self, outcome: str | None, *, never_scripted: bool) -> None:
        """Raise Invalid for an outcome that the branch, or a call that is `never_scripted`, cannot have."""
        needs_machine = outcome == "voicemail" and not self.meets_machine
        if self.branch and (outcome in ("no-answer", "busy") or needs_machine):
            raise Invalid(f"A call with the outcome {outcome} takes no branch.", "outcome")
        if never_scripted and outcome == "transferred" and not self.flow_map.transfers:
            raise Invalid(f"No branch of the flow {_LACKING[outcome]}.", "outcome")

    def source(
        self,
        outcome: str,
        state: dict[str, Any],
        moment: datetime,
        rng: Random,
        *,
        is_fixed: bool = False,
        **options: Any,
    ) -> FlowEventSource:
        """Return a run of the flow for one conversation, with the `options` of a RecordedCaller. Raises CannotFollow.

        The flow may choose between completed and transferred, unless the outcome `is_fixed`. A flow that has exceeded a
        limit several times may do so for each call of a request, which could take hours: further calls fail at once.
        """
        goals = self.goals
        if not goals and (is_fixed or outcome in ("voicemail", "failed")):
            goals = self._goals_of(outcome, rng)
        elif not goals:
            conditions = self.flow_map.program.conditions
            goals = self._draw([each for each in conditions if not _meets_machine(each)], rng)
            if rng.random() < (LEAVE if self.deployment.is_chat else HANG_UP):
                options["max_turns"] = rng.choice((1, 2))
        return FlowEventSource(
            engine=self.engine,
            flow_map=self.flow_map,
            deployment=self.deployment,
            route=self.flow_map.route_to(goals),
            state=state,
            moment=moment,
            random=rng,
            stopped=self.stopped,
            has_given_up=self.has_given_up,
            options={**options, "shares": self.shares},
        )

    def not_taken(self, record: ConversationRecord, outcome: str | None) -> dict[str, str | None] | None:
        """Return the branch and the outcome that were missed if the flow led elsewhere, and where it led."""
        # Each text of the branch is looked for behind the one before it: `in` goes on where it has found that.
        taken = iter([normalized(text) for text in record.taken])
        branch = next((text for text in self.branch if normalized(text) not in taken), None)
        missed_outcome = None if outcome == record.outcome else outcome
        if branch is None and missed_outcome is None:
            return None
        last = record.taken[-1] if record.taken else None
        return {"branch": branch, "outcome": missed_outcome, "taken": last}

    def _goals_of(self, outcome: str, rng: Random) -> list[Condition]:
        """Return conditions whose code leads to an outcome: one to begin with, then those to try where it does not."""
        is_machine = outcome == "voicemail"
        leading = [each for each in self.flow_map.program.conditions if _meets_machine(each) == is_machine]
        if not is_machine:
            leading = [each for each in leading if self.flow_map.outcome_of(each) == outcome]
        leading = [each for each in leading if each.fixed and role_of(each.text) not in UNUSUAL_ROLES] or leading

        transfers_elsewhere = outcome == "transferred" and self.flow_map.transfers
        if not leading and outcome in _LACKING and not transfers_elsewhere:
            raise CannotFollow(f"No branch of the flow {_LACKING[outcome]}.")
        first = self._draw(leading, rng)
        if outcome == "completed":
            return first
        return [*first, *(each for each in leading if each not in first)]

    def _draw(self, conditions: Sequence[Condition], rng: Random) -> list[Condition]:
        """Return what the next caller wants: one of the conditions, the usual ones more often; or nothing."""
        if not conditions:
            return []
        weights = [self._weight(condition) for condition in conditions]
        return rng.choices(conditions, weights if any(weights) else None)

    def _weight(self, condition: Condition) -> float:
        """Return how usual it is that a call is about a condition."""
        if condition.text not in self.shares and self._is_asked_in_matter(condition):
            return 0.0
        leading_there = self.flow_map.conditions_around(condition.line)
        return prod(usual(each, self.shares) for each in leading_there)

    def _is_asked_in_matter(self, condition: Condition) -> bool:
        """Return whether a condition is met by a value, such as a day, that the agent asks for in a matter.

        The matter is a condition before it in the same loop, at which the call does not end.
        """
        if not kinds_of_values(condition.text) - {WORDS}:  # any words may tell a matter: "caller says that it leaks"
            return False
        conditions = condition.loop.conditions
        matters = [each for each in conditions[: conditions.index(condition)] if role_of(each.text) == "matter"]
        endings = {ending for each in self.flow_map.endings.values() for ending in each}
        return any(each not in endings for each in matters)


def _meets_machine(condition: Condition) -> bool:
    return role_of(condition.text) == "machine"


def _condition_with(text: str, program: Program) -> Condition:
    """Return the first condition with the text. Raises Invalid, which names the nearest."""
    texts = {normalized(condition.text): condition for condition in reversed(program.conditions)}
    if normalized(text) in texts:
        return texts[normalized(text)]

    is_short = len(text) <= _LONGEST_COMPARED
    nearest = get_close_matches(normalized(text), texts, n=3, cutoff=0.0) if is_short else []
    hint = f" The nearest: {'; '.join(repr(texts[each].text) for each in nearest)}." if nearest else ""
    raise Invalid(f"The flow has no condition {text!r}.{hint}", "branch")


def normalized(text: str) -> str:
    """Return the text of a condition without what does not matter: its case, line breaks and further blanks."""
    return " ".join(text.split()).casefold()
