"""The reachable branches of a flow with their outcomes, cached by its code: found by running it with random callers."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import orjson

from dryline.engine.branches import Branch
from dryline.engine.caller_utterances import meets_machine
from dryline.engine.errors import CodeRefused
from dryline.engine.program import Condition, Program
from dryline.engine.understanding.lexicon import lexicon
from dryline.flow.model.kinds import language_of
from dryline.flow_sessions.engines import engine_of
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_runner import FlowRun, FlowRunner
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import Invalid
from dryline.world.world import World

SLOW_S = 2.0  # of real time: a flow of which a run takes longer, as it waits for other servers, is not followed
_EXPLORED_S = 10.0  # branches that are not found by then count as unreachable
_CACHED = 64  # analyses in memory
_LACKING = ("ModuleNotFoundError", "ImportError")  # of the sandbox alone: the real engine has all of Python's modules
_COMBINATIONS = 16  # of conditions with the same text


@dataclass(frozen=True, slots=True)
class BranchResult:
    """The outcome of a branch and the number of the caller's turns, as first taken.

    A branch whose conditions name a voicemail has the outcome `voicemail`. Where the flow exceeded a limit, `stopped`
    is that run, which is used again: another one would take a second, too.
    """

    branch: Branch
    outcome: str
    turns: int
    stopped: FlowRun | None = None


@dataclass(slots=True)
class FlowAnalysis:
    """The branches that calls can take, or `why` the flow is not followed: a sentence."""

    runner: FlowRunner | None = None
    results: tuple[BranchResult, ...] = ()
    why: str | None = None
    _named: dict[tuple[str, ...], tuple[BranchResult, ...]] = field(default_factory=dict)

    def named(self, texts: Sequence[str], state: dict[str, Any]) -> tuple[BranchResult, ...]:
        """Return the branches that take all of these conditions, in this order. Raises Invalid; Busy."""
        assert self.runner is not None
        names = tuple(_normalized(text) for text in texts)
        if names not in self._named:
            self._named[names] = self._find_branches(self.runner, texts, state)
        return self._named[names]

    def _find_branches(
        self, runner: FlowRunner, texts: Sequence[str], state: dict[str, Any]
    ) -> tuple[BranchResult, ...]:
        alternatives = [_conditions(runner.program, text) for text in texts]
        if len(alternatives) == 1:
            results = tuple(
                result for result in self.results if result.branch.path and result.branch.condition in alternatives[0]
            )
            if not results:
                raise Invalid(f"No call reaches the condition {texts[0]!r}.", "branch")
            return results
        known = {result.branch.condition: result.branch.path for result in self.results if result.branch.path}
        for chosen in list(product(*alternatives))[:_COMBINATIONS]:
            path = [condition for each in chosen for condition in known.get(each, (each,))]
            branch = runner.engine.reach(runner.program, list(dict.fromkeys(path)), **_options(runner, state))
            if branch is not None:
                return (_tried(runner, branch, state),)
        raise Invalid("No call takes all of these conditions, in this order.", "branch")


ANALYSES: WorldLocal[OrderedDict[Any, FlowAnalysis]] = WorldLocal(lambda world: OrderedDict())


def analyze_flow(world: World, line: DeploymentContext, channel: str, state: dict[str, Any]) -> FlowAnalysis:
    """Return the analysis of a line's flow, for states with the same members as this one. Raises Busy."""
    cache = ANALYSES.of(world)
    inputs = orjson.dumps([line.variables, line.answers, line.http], option=orjson.OPT_SORT_KEYS)
    key = (line.code, inputs, channel, tuple(sorted(state)))
    analysis = cache.get(key)
    if analysis is None:
        analysis = _analyze(world, line, channel, state)
        if analysis.why is None or not analysis.why.startswith(SLOW):  # another server may be faster the next time
            cache[key] = analysis
        while len(cache) > _CACHED:
            cache.popitem(last=False)
    return analysis


SLOW = "A call of the flow took longer than"


def _analyze(world: World, line: DeploymentContext, channel: str, state: dict[str, Any]) -> FlowAnalysis:
    if line.code is None:
        return FlowAnalysis(why="The flow was deleted.")
    engine = engine_of(world)
    try:
        program = engine.checked_program(line.code)
    except CodeRefused as refused:
        fault = refused.findings[0]
        return FlowAnalysis(why=f"The flow cannot run. Line {fault.line}, column {fault.column}: {fault.sentence}")
    if not program.loops:
        return FlowAnalysis(why="The flow has no loop.")
    if not program.conditions:
        return FlowAnalysis(why="The flow's loops have no conditions that a caller could meet.")
    runner = FlowRunner(engine, program, dict(line.variables), channel, line.answers, line.http)
    lexicon(language_of(line.code))  # the first call of a process reads the phrases: the flow is not slow for that
    began = time.monotonic()
    run = runner.play(Branch(()), 0, state)
    took_s = time.monotonic() - began
    first = _result(Branch(()), run)
    if took_s > SLOW_S and first.stopped is None:
        return FlowAnalysis(why=f"{SLOW} {SLOW_S:g} s.")
    branches = engine.explore(program, within_s=_EXPLORED_S, **_options(runner, state))
    if branches:
        return FlowAnalysis(runner, tuple(_tried(runner, branch, state) for branch in branches))
    if run.fault and run.fault.type in _LACKING:
        return FlowAnalysis(why=f"The flow cannot run here. Line {run.fault.line}: {run.fault.message}.")
    if first.outcome == "failed":  # at once, whatever the caller says: then so does every call
        return FlowAnalysis(runner, (first,))
    return FlowAnalysis(why="No condition of the flow can be reached.")


def _tried(runner: FlowRunner, branch: Branch, state: dict[str, Any]) -> BranchResult:
    return _result(branch, runner.play(as_explored(branch), branch.variant, state))


def _result(branch: Branch, run: FlowRun) -> BranchResult:
    run.machine = any(meets_machine(condition.text) for condition in branch.path)
    return BranchResult(branch, run.outcome, run.turns, run if run.stopped else None)


def as_explored(branch: Branch) -> Branch:
    """Return the branch as its explorer took it: with its variant as seed, it is taken again."""
    return Branch(branch.path, branch.variant, brief=branch.brief)


def _options(runner: FlowRunner, state: dict[str, Any]) -> dict[str, Any]:
    stubs = {"answers": runner.answers, "http": runner.http}
    return {"state": state, "variables": runner.variables, "channel": runner.channel, **stubs}


def _conditions(program: Program, text: str) -> list[Condition]:
    """Return the conditions with the text. Raises Invalid, which names the nearest."""
    conditions = [condition for condition in program.conditions if _normalized(condition.text) == _normalized(text)]
    if conditions:
        return conditions
    from difflib import get_close_matches  # imported late: it is only needed for a mistake

    texts = {_normalized(condition.text): condition.text for condition in program.conditions}
    nearest = [repr(texts[each]) for each in get_close_matches(_normalized(text), texts, n=3, cutoff=0.0)]
    raise Invalid(f"The flow has no condition {text!r}. The nearest: {'; '.join(nearest)}.", "branch")


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold()
