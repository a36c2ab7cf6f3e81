"""Conversations that follow a flow: the caller's choice of conditions, and the one run of the flow for each."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.errors import CodeRefused
from dryline.flow.language.program import Condition, Program
from dryline.flow.model.caller_utterances import closes, meets_machine
from dryline.flow.model.simulated_caller import NEXT_IN_LOOP
from dryline.flow.model.understanding import read_condition
from dryline.flow.sessions.engines import engine_of
from dryline.models.voice_logs import OUTCOMES
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_runner import FlowRun, FlowRunner
from dryline.simulator.script_dialogues import HANG_UP
from dryline.storage.errors import Invalid
from dryline.world.real_time import monotonic
from dryline.world.world import World

FLOW, SCRIPT = "flow", "script"
_ALL_WITHIN = 40  # conversations, of which one at least wants each condition
_CLOSING = 0.05  # weight of a condition that only closes the conversation
_SLOW_S = 2.0  # of real time: a flow of which a run takes longer, as it waits for other servers, is left for scripts
_MOST_STOPPED = 3  # runs that exceed a limit of the engine, before it is left for scripts
_HANGS_UP = (1, 2)  # turns after which a caller hangs up who hangs up in the middle
_UNREACHED = ("no-answer", "busy")
_NO_BRANCH = {
    "transferred": "No branch of the flow transfers.",
    "voicemail": "No branch of the flow meets a voicemail.",
}


class CannotFollow(Exception):
    """A conversation follows a script instead of its flow. The message is the reason, a sentence."""


class FollowedFlow:
    """The flow of a request's conversations, or of those of one round of a job.

    `why` is the reason for using scripts instead, a sentence. With `covers_all` every condition is wanted by some
    caller; without, conversations are independent. `follow` is `flow`, `script` or None, `branch` the texts of the
    conditions to take. Raises Invalid for an unknown branch or an impossible outcome; Busy.
    """

    def __init__(
        self,
        world: World,
        line: DeploymentContext,
        channel: str,
        *,
        follow: str | None = None,
        branch: Sequence[str] = (),
        outcome: str | None = None,
        shares: Mapping[str, float] | None = None,
        covers_all: bool = True,
    ) -> None:
        self.branch, self._shares, self._covers_all = tuple(branch), shares or {}, covers_all
        self._upcoming: list[Condition | None] = []
        self._stopped = 0
        self._route: tuple[Condition, ...] = ()
        self._leading: dict[str, list[Condition]] = {outcome: [] for outcome in OUTCOMES}
        self.why: str | None = "The script was asked for."
        if follow == SCRIPT and branch:
            raise Invalid(
                "Only calls that follow a flow have branches: leave out branch, or follow the flow.", "branch"
            )
        if follow == SCRIPT:
            return
        self.why = self._load(world, line, channel)
        if self.why is not None and (follow == FLOW or branch):
            raise Invalid(self.why, "follow" if follow == FLOW else "branch")
        if self.why is None:
            self._route = self._map.route_to([_condition(self._map.program, text) for text in branch])
        if branch and outcome in (*_UNREACHED, *(() if self.meets_machine else ("voicemail",))):
            raise Invalid(f"A call with the outcome {outcome} takes no branch.", "outcome")
        if follow == FLOW and outcome == "transferred" and not self._map.transfers:
            raise Invalid(_NO_BRANCH[outcome], "outcome")

    @property
    def fails(self) -> bool:
        """Whether there is a condition at which the flow raises."""
        return bool(self._leading["failed"])

    @property
    def meets_machine(self) -> bool:
        """Whether the branch is that of a voicemail."""
        return any(meets_machine(condition.text) for condition in self._route)

    def converse(
        self,
        outcome: str,
        state: dict[str, Any],
        at: datetime,
        rng: Random,
        *,
        outcome_is_fixed: bool = False,
        leaves: float = HANG_UP,
        machine_says: str | None = None,
        **manners: Any,
    ) -> FlowRun:
        """Run the flow for one conversation. Raises CannotFollow; Busy.

        The flow may choose between completed and transferred, unless `outcome_is_fixed`. `leaves` is the share of users
        who leave in the middle; `machine_says` is a voicemail's greeting. `manners` are a RecordedCaller's.
        """
        if self.why is not None:
            raise CannotFollow(self.why)
        is_fixed = outcome_is_fixed or outcome in ("voicemail", "failed")
        fit = self._leading[outcome]
        if is_fixed and outcome in _NO_BRANCH and not (fit or (outcome == "transferred" and self._map.transfers)):
            raise CannotFollow(_NO_BRANCH[outcome])
        if outcome == "voicemail":
            manners["first"] = machine_says
        elif not is_fixed and not self.branch and rng.random() < leaves:
            manners["max_turns"] = rng.choice(_HANGS_UP)
        elif outcome == "failed" and not fit and not self.branch:
            manners |= {"max_turns": 0, "loses_model": True}
        elif is_fixed and outcome in ("transferred", "failed"):
            manners["targets"] = fit
        elif is_fixed and outcome == "completed":
            manners["agrees"] = True
            fit = [each for each in fit if each.fixed and not read_condition(each.text, "en").is_catch_all] or fit
        condition = None if self.branch else self._draw(fit, rng) if is_fixed else self._next_condition(rng)
        route = self._map.route_to([condition]) if condition else self._route
        return self._run(route, rng.getrandbits(32), state, at, outcome == "voicemail", manners)

    def _run(
        self,
        route: Sequence[Condition],
        seed: int,
        state: dict[str, Any],
        at: datetime,
        is_machine: bool,
        manners: dict[str, Any],
    ) -> FlowRun:
        """Run the flow once. If it is slow or exceeds limits, further conversations follow scripts."""
        began = monotonic()
        run = self._runner.play(route, seed, state, lambda: at, shares=self._shares, **manners)
        run.machine = is_machine
        self._stopped += run.stopped
        if monotonic() - began > _SLOW_S and not run.stopped:
            self.why = f"A call of the flow took longer than {_SLOW_S:g} s."
        elif self._stopped == _MOST_STOPPED:
            self.why = f"{_MOST_STOPPED} calls of the flow exceeded a limit."
        return run

    def not_taken(self, taken: Sequence[str]) -> str | None:
        """Return the first condition of the branch that was not taken in its order; None if all were."""
        left = iter([_normalized(text) for text in taken])
        return next((text for text in self.branch if _normalized(text) not in left), None)

    def _load(self, world: World, line: DeploymentContext, channel: str) -> str | None:
        """Read the flow. Return the reason if it cannot be followed."""
        if line.code is None:
            return "The flow was deleted."
        engine = engine_of(world)
        try:
            program = engine.checked_program(line.code)
            lacking = engine.lacking(program)
        except CodeRefused as refused:
            fault = refused.findings[0]
            return f"The flow cannot run. Line {fault.line}, column {fault.column}: {fault.sentence}"
        if lacking:
            return f"The flow cannot run here. Line {lacking.line}: {lacking.sentence}"
        if program.loops and not program.conditions:
            return "The flow's loops have no conditions that a caller could meet."
        if not any(row.strip() and not row.strip().startswith("#") for row in line.code.splitlines()):
            return "The flow is empty."
        self._map = FlowMap(program)
        self._runner = FlowRunner(engine, self._map, dict(line.variables), channel, line.answers, line.http)
        self._weights = {condition: self._weight(condition) for condition in program.conditions}
        for condition in program.conditions:
            outcome = "voicemail" if meets_machine(condition.text) else self._map.outcome_of(condition)
            self._leading[outcome].append(condition)
        return None

    def _draw(self, conditions: Sequence[Condition], rng: Random) -> Condition | None:
        """Return one of the conditions, the usual ones more often."""
        weights = [self._weights[each] for each in conditions]
        if not any(weights):
            return rng.choice(conditions) if conditions else None
        return rng.choices(conditions, weights)[0]

    def _next_condition(self, rng: Random) -> Condition | None:
        """Return what the next caller wants: the usual more often, and each condition among any _ALL_WITHIN calls."""
        conditions = [each for each in self._weights if not meets_machine(each.text)]
        if self._covers_all and conditions and not self._upcoming:
            possible = [each for each in conditions if self._weights[each]]
            self._upcoming = [*possible, *(self._draw(conditions, rng) for _ in range(_ALL_WITHIN - len(possible)))]
            rng.shuffle(self._upcoming)
        return self._upcoming.pop() if self._upcoming else self._draw(conditions, rng)

    def _weight(self, condition: Condition) -> float:
        weight = 1.0
        for each in self._map.path_to[condition]:
            usual = NEXT_IN_LOOP ** each.loop.conditions.index(each)
            weight *= self._shares.get(each.text, _CLOSING if closes(each.text) else usual)
        return weight


class FollowedFlows:
    """The flows of one round of a job: one for each line."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[int, tuple[DeploymentContext, FollowedFlow]] = {}

    def of(self, line: DeploymentContext) -> FollowedFlow:
        """Return the flow of a line. Raises Busy."""
        if id(line) not in self._known:  # the line is stored as well, so that its id is not used again
            self._known[id(line)] = line, FollowedFlow(self._world, line, "voice", covers_all=False)
        return self._known[id(line)][1]


def state_of(number: str, row: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the `state` of a call. Contract: based.md, section 2, state."""
    return {"Caller": number, **(row or {})}


def _condition(program: Program, text: str) -> Condition:
    """Return the first condition with the text. Raises Invalid, which names the nearest."""
    for condition in program.conditions:
        if _normalized(condition.text) == _normalized(text):
            return condition
    from difflib import get_close_matches  # imported late: it is only needed for a mistake

    texts = {_normalized(condition.text): condition.text for condition in program.conditions}
    nearest = [repr(texts[each]) for each in get_close_matches(_normalized(text), texts, n=3, cutoff=0.0)]
    hint = f" The nearest: {'; '.join(nearest)}." if nearest else ""
    raise Invalid(f"The flow has no condition {text!r}.{hint}", "branch")


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold()
