"""Scheduling of a flow's branches over conversations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

from dryline.engine.branch_discovery import uses_missing_answer
from dryline.engine.caller_utterances import closes
from dryline.engine.condition_shares import NEXT_IN_LOOP
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_analysis import SLOW, SLOW_S, BranchResult, analyze_flow, as_explored
from dryline.simulator.flow_runner import FlowRun
from dryline.simulator.script_dialogues import HANG_UP
from dryline.storage.errors import Invalid
from dryline.traffic.real_time import monotonic
from dryline.world.world import World

FLOW, SCRIPT = "flow", "script"
_ALL_WITHIN = 40  # conversations, of which each branch has at least one
_CLOSING = 0.05  # weight of a condition that only closes the conversation
_TRIES = 6  # with other people, before the caller is taken who explored the branch
_NO_BRANCH = {
    "completed": "No branch of the flow completes a call.",
    "transferred": "No branch of the flow transfers.",
    "voicemail": "No branch of the flow meets a voicemail.",
}


def state_of(number: str, row: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the `state` of a call. Contract: based.md, section 2, state."""
    return {"Caller": number, **(row or {})}


class FlowScheduler:
    """Chooses the branch of each conversation of a request, or of one round of a job, and runs the flow.

    `why` is the reason for using scripts instead, a sentence. With `covers_all` every branch comes up; without,
    conversations are independent. `follow` is `flow`, `script` or None, `branch` the texts of the conditions to
    take (then `named` is true, and the flow alone decides the outcome); `state` is that of the first conversation.
    Raises Invalid for impossible branches and outcomes; Busy.
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
        covers_all: bool = True,
    ) -> None:
        self.why: str | None = "The script was asked for."
        self.named = bool(branch)
        self._results: tuple[BranchResult, ...] = ()
        self._shares = shares or {}
        self._covers_all, self._upcoming = covers_all, list[BranchResult]()
        if follow == SCRIPT:
            if branch:
                raise Invalid(
                    "Only calls that follow a flow have branches: leave out branch, or follow the flow.", "branch"
                )
            return
        analysis = analyze_flow(world, line, channel, state)
        self.why, self._runner = analysis.why, analysis.runner
        if analysis.why is None:
            self._results = analysis.named(branch, state) if branch else analysis.results
        elif follow == FLOW or branch:
            raise Invalid(analysis.why, "follow" if follow == FLOW else "branch")
        if branch and outcome is not None and not any(result.outcome == outcome for result in self._results):
            came = " or ".join(sorted({result.outcome for result in self._results}))
            raise Invalid(f"A call on this branch has the outcome {came}, not {outcome}.", "outcome")
        if follow == FLOW and outcome == "transferred" and not self._with_outcome(outcome):
            raise Invalid(_NO_BRANCH[outcome], "outcome")

    @property
    def fails(self) -> bool:
        """Whether there is a branch on which the flow raises."""
        return bool(self._with_outcome("failed"))

    @property
    def has_only_voicemail(self) -> bool:
        """Whether every branch ends in a voicemail."""
        return len(self._with_outcome("voicemail")) == len(self._results)

    def _with_outcome(self, outcome: str) -> list[BranchResult]:
        return [result for result in self._results if result.outcome == outcome]

    def converse(
        self,
        outcome: str,
        state: dict[str, Any],
        now: datetime,
        rng: Random,
        *,
        outcome_is_fixed: bool = False,
        leaves: float = HANG_UP,
        machine_says: str | None = None,
        known: Mapping[str, Any] | None = None,
    ) -> FlowRun | str:
        """Run the flow for one conversation, or return the reason for following a script.

        The flow may choose between completed and transferred, unless `outcome_is_fixed`. `leaves` is the share of users
        who leave in the middle; `machine_says` is a voicemail's greeting; `known` are the user's own name, number, ….
        """
        if self.why is not None:
            return self.why
        options = {"state": state, "now": lambda: now, "known": known, "shares": self._shares}
        if outcome == "voicemail":
            results = self._with_outcome(outcome)
            if not results:
                return _NO_BRANCH[outcome]
            run = self._run_branch(results, None, rng, options | {"first": machine_says})
            run.machine = True
            return run
        results = [result for result in self._results if result.outcome != "voicemail"] or list(self._results)
        long = [result for result in results if result.turns > 1 and result.stopped is None]
        if outcome == "failed" and not self.fails:
            return self._run_until_hang_up(results, rng, options, loses_model=True)
        if outcome_is_fixed or outcome == "failed":
            fit = self._with_outcome(outcome)
            if fit:
                return self._run_branch(fit, outcome, rng, options)
            if outcome != "completed" or not long:
                return _NO_BRANCH[outcome]
        elif self.named or not long or rng.random() >= leaves:
            return self._run_branch([self._next_branch(results, rng)], None, rng, options)
        return self._run_until_hang_up(long, rng, options)

    def _run_until_hang_up(
        self, results: list[BranchResult], rng: Random, options: dict[str, Any], *, loses_model: bool = False
    ) -> FlowRun:
        """Run a conversation that ends in the middle: the user leaves, or, with `loses_model`, the model is lost."""
        result = rng.choice(results)
        turns = int(rng.random() * result.turns) if loses_model else 1 + int(rng.random() * (result.turns - 1))
        return self._run_branch([result], None, rng, options | {"max_turns": turns, "loses_model": loses_model})

    def cut(self, run: FlowRun, turns: int) -> FlowRun:
        """Run the same conversation again, until the user has spoken `turns` times."""
        assert self._runner is not None
        return self._runner.play(**{**run.again, "max_turns": turns})

    def _next_branch(self, results: list[BranchResult], rng: Random) -> BranchResult:
        """Return the next branch: the usual ones more often, and each of them among any _ALL_WITHIN conversations.

        For a job, whose rounds have any number of conversations, chance alone decides.
        """
        if not self._covers_all:
            return rng.choices(results, self._weights(results))[0]
        if not self._upcoming:
            weights = self._weights(results)
            copies = [max(1, round(_ALL_WITHIN * weight / sum(weights))) if weight else 0 for weight in weights]
            upcoming = [result for result, count in zip(results, copies, strict=True) for _ in range(count)]
            rng.shuffle(upcoming)
            # Every branch once among the first _ALL_WITHIN, which the usual ones may have filled.
            possible = [result for result, count in zip(results, copies, strict=True) if count]
            once = [result for result in possible if all(result is not other for other in upcoming[:_ALL_WITHIN])]
            for result in once:
                upcoming.remove(result)
            upcoming[: len(once)] = [*once, *upcoming[: len(once)]]
            head = upcoming[:_ALL_WITHIN]
            rng.shuffle(head)
            self._upcoming = [*upcoming[_ALL_WITHIN:], *head]
        return self._upcoming.pop()

    def _weights(self, results: list[BranchResult]) -> list[float]:
        """Return how usual each branch is: the first condition of a loop more than the next, if no share says so.

        Where no branch is wanted, all are as usual.
        """
        weights = [self._weight(result) for result in results]
        return weights if any(weights) else [1.0] * len(results)

    def _weight(self, result: BranchResult) -> float:
        weight = 1.0
        for condition in result.branch.path:
            usual = NEXT_IN_LOOP ** condition.loop.conditions.index(condition)
            weight *= self._shares.get(condition.text, _CLOSING if closes(condition.text) else usual)
        return weight

    def _run_branch(
        self, results: list[BranchResult], outcome: str | None, rng: Random, options: dict[str, Any]
    ) -> FlowRun:
        """Run a conversation on one of these branches, again with another caller where the outcome is another one."""
        assert self._runner is not None
        for attempt in range(_TRIES + 1):
            result = rng.choice(results)
            seed, branch = rng.getrandbits(32), result.branch
            if result.stopped is not None:
                return replace(result.stopped)
            # Each caller's own answers are tried first, then the route and the answers by which the branch was found.
            has_own_answers = attempt < _TRIES - 2
            branch = replace(branch, free=has_own_answers, variant=0 if has_own_answers else branch.variant)
            branch = branch.guided() if attempt >= _TRIES // 2 else branch
            if attempt == _TRIES:
                seed, branch, options = branch.variant, as_explored(result.branch), options | {"known": None}
            began = monotonic()
            run = self._runner.play(branch, seed, **options)
            if monotonic() - began > SLOW_S and not run.stopped:
                self.why = f"{SLOW} {SLOW_S:g} s."
            if options.get("loses_model") and run.fault is None:
                options = options | {"max_turns": 0}  # the conversation was over before the model was lost
                continue
            if "max_turns" in options or self.why or (outcome in (None, run.outcome) and self._fits(run, result)):
                break
            may_differ = attempt == _TRIES - 1 and not self.named and outcome in (None, run.outcome)
            if may_differ and not uses_missing_answer(run.events):
                break  # a conversation that took another turn is better than one that repeats the explorer's
        return run

    def _fits(self, run: FlowRun, result: BranchResult) -> bool:
        lines = [condition.line for condition in result.branch.path]
        if result.branch.brief and uses_missing_answer(run.events):
            return False
        return not Counter(lines if self.named else lines[-1:]) - Counter(run.taken)


class FlowSchedulers:
    """The schedulers of one round of a job: one for each line and set of the row's members."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[tuple[int, tuple[str, ...]], tuple[DeploymentContext, FlowScheduler]] = {}

    def of(self, line: DeploymentContext, row: Mapping[str, Any] | None) -> FlowScheduler:
        """Return the scheduler for a line and rows like this one. Raises Busy."""
        key = id(line), tuple(sorted(row or ()))
        if key not in self._known:  # the line is stored as well, so that its id is not used again
            self._known[key] = (
                line,
                FlowScheduler(self._world, line, "voice", state_of(line.number, row), covers_all=False),
            )
        return self._known[key][1]
