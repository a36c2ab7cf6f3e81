"""How the conversations of one line follow its flow: which branch each of them takes, and what becomes of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

from dryline.engine.branch_discovery import uses_nothing
from dryline.engine.caller_utterances import closes
from dryline.engine.simulated_caller import NEXT_IN_LOOP as _NEXT_IN_LOOP
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_analysis import SLOW, SLOW_S, BranchResult, analyze_flow, as_explored
from dryline.simulator.flow_runner import FlowRun
from dryline.simulator.script_dialogues import HANG_UP
from dryline.storage.errors import Invalid
from dryline.world.world import World

FLOW, SCRIPT = "flow", "script"
_DECK = 40  # conversations, of which each branch has at least one
_CLOSING = 0.05  # how usual it is to call for nothing
_TRIES = 6  # with other people, before the caller is taken who explored the branch
_NO_BRANCH = {
    "completed": "No branch of the flow completes a call.",
    "transferred": "No branch of the flow transfers.",
    "voicemail": "No branch of the flow meets a voicemail.",
}


def state_of(number: str, row: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a flow finds in `state` on the phone. Contract: based.md, section 2, state."""
    return {"Caller": number, **(row or {})}


class FlowScheduler:
    """For the conversations of one request, or of one round of a job. `why` says why it is none, in a sentence.

    `deals` sees to it that every branch comes up; without, a conversation does not depend on those before it.
    `follow` is what was asked for, `branch` the texts of the conditions to take (then `named` is true, and nothing but
    the flow decides); `state` is that of the first conversation. Raises Invalid for what cannot be; Busy.
    """

    def __init__(
        self,
        world: World,
        line: DeploymentContext,
        channel: str,
        state: dict[str, Any],
        *,
        follow: str | None = None,
        branch: Sequence[str] = (),
        outcome: str | None = None,
        shares: Mapping[str, float] | None = None,
        deals: bool = True,
    ) -> None:
        self.why: str | None = "The script was asked for."
        self.named = bool(branch)
        self._ways: tuple[BranchResult, ...] = ()
        self._shares = shares or {}
        self._deals, self._deck = deals, list[BranchResult]()
        if follow == SCRIPT:
            if branch:
                raise Invalid("A script has no branches.", "branch")
            return
        found = analyze_flow(world, line, channel, state)
        self.why, self._stage = found.why, found.stage
        if found.why is None:
            self._ways = found.named(branch, state) if branch else found.ways
        elif follow == FLOW or branch:
            raise Invalid(found.why, "follow" if follow == FLOW else "branch")
        if branch and outcome is not None and not any(way.outcome == outcome for way in self._ways):
            came = " or ".join(sorted({way.outcome for way in self._ways}))
            raise Invalid(f"A call of this branch comes out as {came}, not as {outcome}.", "outcome")
        if follow == FLOW and outcome == "transferred" and not self._coming_to(outcome):
            raise Invalid(_NO_BRANCH[outcome], "outcome")

    @property
    def fails(self) -> bool:
        """Whether there is a branch on which the flow raises."""
        return bool(self._coming_to("failed"))

    @property
    def meets_machines(self) -> bool:
        """Whether a voicemail is all that its branches are for."""
        return len(self._coming_to("voicemail")) == len(self._ways)

    def _coming_to(self, outcome: str) -> list[BranchResult]:
        return [way for way in self._ways if way.outcome == outcome]

    def converse(
        self,
        outcome: str,
        state: dict[str, Any],
        now: datetime,
        rng: Random,
        *,
        asked: bool = False,
        leaves: float = HANG_UP,
        machine_says: str | None = None,
        known: Mapping[str, Any] | None = None,
    ) -> FlowRun | str:
        """One conversation, or why it follows a script.

        `outcome` is what was drawn for it: completed and transferred leave it to the flow, unless it was `asked` for.
        `leaves` is the share of users who go in the middle; `machine_says` is what a voicemail answers with; `known` is
        what the user says of themselves.
        """
        if self.why is not None:
            return self.why
        given = {"state": state, "now": lambda: now, "known": known, "shares": self._shares}
        if outcome == "voicemail":
            ways = self._coming_to(outcome)
            if not ways:
                return _NO_BRANCH[outcome]
            run = self._taken(ways, None, rng, given | {"first": machine_says})
            run.machine = True
            return run
        ways = [way for way in self._ways if way.outcome != "voicemail"] or list(self._ways)
        long = [way for way in ways if way.turns > 1 and way.stopped is None]
        if outcome == "failed" and not self.fails:
            return self._left(ways, rng, given, loses=True)
        if asked or outcome == "failed":
            fit = self._coming_to(outcome)
            if fit:
                return self._taken(fit, outcome, rng, given)
            if outcome != "completed" or not long:
                return _NO_BRANCH[outcome]
        elif self.named or not long or rng.random() >= leaves:
            return self._taken([self._dealt(ways, rng)], None, rng, given)
        return self._left(long, rng, given)

    def _left(self, ways: list[BranchResult], rng: Random, given: dict[str, Any], *, loses: bool = False) -> FlowRun:
        """A conversation that is over in the middle: the user goes, or, with `loses`, stays without an answer."""
        way = rng.choice(ways)
        turns = int(rng.random() * way.turns) if loses else 1 + int(rng.random() * (way.turns - 1))
        return self._taken([way], None, rng, given | {"patience": turns, "loses": loses})

    def cut(self, run: FlowRun, turns: int) -> FlowRun:
        """The same conversation, over once the user has spoken so often. It is run again: so its state is right."""
        assert self._stage is not None
        return self._stage.play(**{**run.again, "patience": turns})

    def _dealt(self, ways: list[BranchResult], rng: Random) -> BranchResult:
        """Return the next branch: the usual ones more often, and each of them among any _DECK conversations.

        For a job, whose rounds have any number of conversations, chance alone decides.
        """
        if not self._deals:
            return rng.choices(ways, self._weights(ways))[0]
        if not self._deck:
            weights = self._weights(ways)
            copies = [max(1, round(_DECK * weight / sum(weights))) for weight in weights]
            deck = [way for way, count in zip(ways, copies, strict=True) for _ in range(count)]
            rng.shuffle(deck)
            # Every branch once among the first _DECK, which the usual ones may have filled.
            once = [way for way in ways if all(way is not dealt for dealt in deck[:_DECK])]
            for way in once:
                deck.remove(way)
            deck[: len(once)] = [*once, *deck[: len(once)]]
            head = deck[:_DECK]
            rng.shuffle(head)
            self._deck = [*deck[_DECK:], *head]
        return self._deck.pop()

    def _weights(self, ways: list[BranchResult]) -> list[float]:
        """Return how usual each branch is: the first condition of a loop more than the next, if no share says so."""
        return [self._weight(way) for way in ways]

    def _weight(self, way: BranchResult) -> float:
        weight = 1.0
        for condition in way.branch.path:
            usual = _NEXT_IN_LOOP ** condition.loop.conditions.index(condition)
            weight *= self._shares.get(condition.text, _CLOSING if closes(condition.text) else usual)
        return weight

    def _taken(self, ways: list[BranchResult], outcome: str | None, rng: Random, given: dict[str, Any]) -> FlowRun:
        """A conversation on one of these ways; a run that comes out otherwise is made again with another caller."""
        assert self._stage is not None
        for attempt in range(_TRIES + 1):
            way = rng.choice(ways)
            seed, branch = rng.getrandbits(32), way.branch
            if way.stopped is not None:
                return replace(way.stopped)
            if attempt == _TRIES:
                seed, branch, given = branch.variant, as_explored(branch), given | {"known": None}
            began = time.monotonic()
            run = self._stage.play(branch, seed, **given)
            if time.monotonic() - began > SLOW_S and not run.stopped:
                self.why = f"{SLOW} {SLOW_S:g} s."
            if given.get("loses") and run.fault is None:
                given = given | {"patience": 0}  # the conversation was over before the model was lost
                continue
            if "patience" in given or self.why or (outcome in (None, run.outcome) and self._fits(run, way)):
                break
        return run

    def _fits(self, run: FlowRun, way: BranchResult) -> bool:
        lines = [condition.line for condition in way.branch.path]
        if way.branch.brief and uses_nothing(run.events):
            return False
        return not Counter(lines if self.named else lines[-1:]) - Counter(run.taken)


class FlowSchedulers:
    """Those of one round of a job: of each line, and of rows with the same members, one."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[tuple[int, tuple[str, ...]], tuple[DeploymentContext, FlowScheduler]] = {}

    def of(self, line: DeploymentContext, row: Mapping[str, Any] | None) -> FlowScheduler:
        """How calls of the line follow its flow, to rows like this one. Raises Busy."""
        key = id(line), tuple(sorted(row or ()))
        if key not in self._known:  # the line is kept as well, so that its id stays its own
            self._known[key] = line, FlowScheduler(self._world, line, "voice", state_of(line.number, row), deals=False)
        return self._known[key][1]
