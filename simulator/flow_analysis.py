"""What a flow does at all: found out once for each code, by running it with made-up callers."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import orjson

from dryline.engine.errors import CodeRefused
from dryline.engine.program import Condition, Program
from dryline.engine.simulated_caller import Branch
from dryline.flow_sessions.engines import engine_of
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_runner import FlowRun, FlowRunner
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import Invalid
from dryline.world.world import World

SLOW_S = 2.0  # of real time: a flow of which a run takes longer, as it waits for other servers, is not followed
_EXPLORED_S = 10.0  # what is not found within that time counts as out of reach
_KEPT = 64  # surveys in memory
_MACHINE = re.compile(r"voice ?mail|answering machine", re.IGNORECASE)
_LACKING = ("ModuleNotFoundError", "ImportError")  # of the sandbox alone: the real engine has all of Python's modules
_COMBINATIONS = 16  # of conditions with the same text


@dataclass(frozen=True, slots=True)
class BranchResult:
    """A branch, with what came of it when it was first taken: its outcome, and how often the caller spoke. One whose
    conditions name a voicemail comes out as `voicemail`.

    Where the flow went past a bound, `stopped` is that run, which stands for all of them: each would take a second.
    """

    branch: Branch
    outcome: str
    turns: int
    stopped: FlowRun | None = None


@dataclass(slots=True)
class FlowAnalysis:
    """Either the ways that calls can take, or `why` the flow is not followed: a sentence."""

    stage: FlowRunner | None = None
    ways: tuple[BranchResult, ...] = ()
    why: str | None = None
    _named: dict[tuple[str, ...], tuple[BranchResult, ...]] = field(default_factory=dict)

    def named(self, texts: Sequence[str], state: dict[str, Any]) -> tuple[BranchResult, ...]:
        """The ways that take all of these conditions, in this order. Raises Invalid where there is none; Busy."""
        assert self.stage is not None
        wanted = tuple(_folded(text) for text in texts)
        if wanted not in self._named:
            self._named[wanted] = self._find(self.stage, texts, state)
        return self._named[wanted]

    def _find(self, stage: FlowRunner, texts: Sequence[str], state: dict[str, Any]) -> tuple[BranchResult, ...]:
        meant = [_conditions(stage.program, text) for text in texts]
        if len(meant) == 1:
            ways = tuple(way for way in self.ways if way.branch.path and way.branch.condition in meant[0])
            if not ways:
                raise Invalid(f"No call reaches the condition {texts[0]!r}.", "branch")
            return ways
        known = {way.branch.condition: way.branch.path for way in self.ways if way.branch.path}
        for chosen in list(product(*meant))[:_COMBINATIONS]:
            path = [condition for each in chosen for condition in known.get(each, (each,))]
            branch = stage.engine.reach(stage.program, list(dict.fromkeys(path)), **_options(stage, state))
            if branch is not None:
                return (_tried(stage, branch, state),)
        raise Invalid("No call takes all of these conditions, in this order.", "branch")


ANALYSES: WorldLocal[OrderedDict[Any, FlowAnalysis]] = WorldLocal(lambda world: OrderedDict())


def analyze_flow(world: World, line: DeploymentContext, channel: str, state: dict[str, Any]) -> FlowAnalysis:
    """What the line's flow does with this state, which stands for all that have the same members. Raises Busy."""
    kept = ANALYSES.of(world)
    key = (line.code, orjson.dumps(line.variables, option=orjson.OPT_SORT_KEYS), channel, tuple(sorted(state)))
    found = kept.get(key)
    if found is None:
        found = _surveyed(world, line, channel, state)
        if found.why is None or not found.why.startswith(SLOW):  # another server may be faster the next time
            kept[key] = found
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    return found


SLOW = "A call of the flow took longer than"


def _surveyed(world: World, line: DeploymentContext, channel: str, state: dict[str, Any]) -> FlowAnalysis:
    if line.code is None:
        return FlowAnalysis(why="The flow is gone.")
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
    stage = FlowRunner(engine, program, dict(line.variables), channel)
    began = time.monotonic()
    run = stage.play(Branch(()), 0, state)
    took_s = time.monotonic() - began
    first = _way(Branch(()), run)
    if took_s > SLOW_S and first.stopped is None:
        return FlowAnalysis(why=f"{SLOW} {SLOW_S:g} s.")
    branches = engine.explore(program, within_s=_EXPLORED_S, **_options(stage, state))
    if branches:
        return FlowAnalysis(stage, tuple(_tried(stage, branch, state) for branch in branches))
    if run.fault and run.fault.type in _LACKING:
        return FlowAnalysis(why=f"The flow cannot run here. Line {run.fault.line}: {run.fault.message}.")
    if first.outcome == "failed":  # at once, whatever the caller says: then so does every call
        return FlowAnalysis(stage, (first,))
    return FlowAnalysis(why="No condition of the flow can be reached.")


def _tried(stage: FlowRunner, branch: Branch, state: dict[str, Any]) -> BranchResult:
    """The way as its explorer went it."""
    return _way(branch, stage.play(as_explored(branch), branch.variant, state))


def _way(branch: Branch, run: FlowRun) -> BranchResult:
    run.machine = any(_MACHINE.search(condition.text) for condition in branch.path)
    return BranchResult(branch, run.outcome, run.turns, run if run.stopped else None)


def as_explored(branch: Branch) -> Branch:
    """Return the branch as its explorer took it: with its variant as seed, it is taken again."""
    return Branch(branch.path, branch.variant, brief=branch.brief)


def _options(stage: FlowRunner, state: dict[str, Any]) -> dict[str, Any]:
    return {"state": state, "variables": stage.variables, "channel": stage.channel}


def _conditions(program: Program, text: str) -> list[Condition]:
    """Those with the text. Raises Invalid, which names the nearest."""
    found = [condition for condition in program.conditions if _folded(condition.text) == _folded(text)]
    if found:
        return found
    from difflib import get_close_matches  # imported late: it is only needed for a mistake

    texts = {_folded(condition.text): condition.text for condition in program.conditions}
    nearest = [repr(texts[each]) for each in get_close_matches(_folded(text), texts, n=3, cutoff=0.0)]
    raise Invalid(f"The flow has no condition {text!r}. The nearest: {'; '.join(nearest)}.", "branch")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
