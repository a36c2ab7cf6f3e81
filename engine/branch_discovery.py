"""Find reachable conditions by running a flow with simulated callers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any

from dryline.engine.branches import Branch, paths
from dryline.engine.events import Event
from dryline.engine.program import Condition, Program
from dryline.engine.simulated_caller import RANDOM_WALKS, Caller
from dryline.traffic.real_time import monotonic

if TYPE_CHECKING:
    from dryline.engine.engine import Engine

_MOST_STOPPED = 3  # exploration stops after so many runs that exceeded a limit
_BRIEF_VARIANTS = 3  # of callers who leave things out
_VARIANTS = 16  # of answers, before a condition counts as not reachable
_MOST_RUNS = 4_000  # of one search: runs are counted, so that the result does not depend on the machine
_NOTHING = re.compile(r"\bNone\b")
_MOST_ROUTES = 10  # runs with other answers, to find a usual route to a branch
_SAMPLES = 3  # runs with other answers that must all reach the goal before a branch counts as free


def explore(engine: Engine, program: Program, *, within_s: float = inf, **options: Any) -> list[Branch]:
    """Return a branch for each condition that a run reached. The options are those of Engine.open. Raises Busy.

    No new run begins `within_s` seconds after the first, because a flow may wait for other servers.
    """
    explorer = _Explorer(engine, program, options, monotonic() + within_s)
    branches: dict[int, Branch] = {}
    for path in paths(program):
        line = path[-1].line
        if line not in branches and (branch := explorer.find(path, path[-1:])):
            branches[line] = branch
    asks = {line: questions for branch in branches.values() for line, questions in branch.asks.items()}
    return [replace(branch, asks=asks | branch.asks) for branch in branches.values()]


def reach(engine: Engine, program: Program, path: tuple[Condition, ...], **options: Any) -> Branch | None:
    """Return a branch on which a run took all of the path; None where no run did. Raises Busy."""
    return _Explorer(engine, program, options, inf).find(path, path)


@dataclass(slots=True)
class _Explorer:
    """A search that runs a program until `deadline` (real_time.monotonic), or until too many runs had to be stopped."""

    engine: Engine
    program: Program
    options: dict[str, Any]
    deadline: float
    stopped: int = 0
    runs: int = 0

    def find(self, path: tuple[Condition, ...], goal: tuple[Condition, ...]) -> Branch | None:
        """Return a branch on which a run took all of `goal`.

        Callers who leave out what the flow asks for again are tried first: a flow that cannot cope with them fails.
        """
        attempts = [(variant, True) for variant in range(_BRIEF_VARIANTS)]
        for variant, brief in (*attempts, *((variant, False) for variant in range(_VARIANTS))):
            if self._is_over():
                break
            branch = Branch(path, variant, brief=brief)
            caller, copes, stopped = self._run(branch, variant)
            self.stopped += stopped
            if _took(caller, goal) and (copes or stopped or not brief):
                if variant >= RANDOM_WALKS:
                    branch = self._shortened(branch, caller, goal)
                asks = {line: tuple(questions) for line, questions in caller.asks.items()}
                branch = replace(branch, asks=asks, before=_conditions_before(branch, caller))
                return branch if stopped else self._with_usual_route(branch, goal)
        return None

    def _shortened(self, branch: Branch, caller: Caller, goal: tuple[Condition, ...]) -> Branch:
        """Return the branch with the path that a random walk took, without the steps that it does not need."""
        end = max(index for index, condition in enumerate(caller.taken) if condition is goal[-1])
        path = caller.taken[: end + 1]
        for index in range(len(path) - 2, -1, -1):
            shorter = replace(branch, path=(*path[:index], *path[index + 1 :]))
            if self._is_over():
                break
            if _took(self._run(shorter, branch.variant)[0], goal):
                path = list(shorter.path)
        whole = replace(branch, path=tuple(path))
        return whole if _took(self._run(whole, branch.variant)[0], goal) else branch

    def _with_usual_route(self, branch: Branch, goal: tuple[Condition, ...]) -> Branch:
        """Return the branch with the most usual of several routes to it, free if any answers lead there."""
        free = replace(branch, free=True)
        routes, is_free = [branch.before], True
        for seed in range(_MOST_ROUTES):
            if seed >= _SAMPLES and not min(map(_rarity, routes)):
                break
            if self._is_over():
                return branch
            caller, copes, stopped = self._run(free, seed)
            leads_there = _took(caller, goal) and not stopped and (copes or not branch.brief)
            if leads_there:
                routes.append(_conditions_before(branch, caller))
            is_free = is_free and (leads_there or seed >= _SAMPLES)
        return replace(branch, free=is_free, before=min(routes, key=_rarity))

    def _is_over(self) -> bool:
        return self.stopped >= _MOST_STOPPED or self.runs >= _MOST_RUNS or monotonic() > self.deadline

    def _run(self, branch: Branch, seed: int) -> tuple[Caller, bool, bool]:
        """Run once. Return the caller, whether the flow copes with its answers, and whether it went past a limit."""
        self.runs += 1
        caller = Caller(self.program, branch, Random(seed))
        session = self.engine.open(self.program, model=caller, seed=seed, **self.options)
        events = session.play(caller)
        stopped = session.failure is not None and session.failure.bound
        return caller, session.failure is None and not uses_missing_answer(events), stopped


def _conditions_before(branch: Branch, caller: Caller) -> tuple[Condition, ...]:
    """Return the conditions that the caller took before that of the branch, and that led out of their loops."""
    taken = caller.taken[: caller.taken.index(branch.condition)]
    return tuple(condition for condition in taken if condition.leaves and condition not in branch.path)


def _rarity(route: tuple[Condition, ...]) -> int:
    """Return how far down its conditions stand in their loops, which begin with what is usual."""
    return sum(condition.loop.conditions.index(condition) for condition in route)


def uses_missing_answer(events: list[Event]) -> bool:
    """Return whether a flow used an answer that it does not have: said it, sent it, or extracted it."""
    return any(
        _NOTHING.search(str(event.details.get("text") or event.details.get("url") or event.details.get("value")))
        for event in events
        if event.type in ("said", "requested", "extracted")
    )


def _took(caller: Caller, goal: tuple[Condition, ...]) -> bool:
    """Return whether a caller took all of the conditions, each as often as it is wanted."""
    return Counter(each.line for each in goal) <= Counter(each.line for each in caller.taken)
