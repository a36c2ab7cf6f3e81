"""Which of a flow's conditions can be come to at all: by running it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any

from dryline.engine.program import Condition, Program
from dryline.engine.simulated_caller import Branch, Caller, paths

if TYPE_CHECKING:
    from dryline.engine.engine import Engine

_STOPPED = 3  # runs that had to be stopped: a flow that runs away is not run again and again
_TRIES = 16  # with other answers each time, before a condition counts as out of reach
_SAMPLES = 3  # callers with answers of their own who all have to come there, for a branch to count as free


def explore(engine: Engine, program: Program, *, within_s: float = inf, **options: Any) -> list[Branch]:
    """A branch for each condition that a run came to; the options are Engine.open's. Raises Busy.

    No new run begins `within_s` seconds after the first: a flow may wait for other servers."""
    explorer = _Explorer(engine, program, options, time.monotonic() + within_s)
    found: dict[int, Branch] = {}
    for path in paths(program):
        line = path[-1].line
        if line not in found and (branch := explorer.branch(path, [line])):
            found[line] = branch
    asked = {line: questions for branch in found.values() for line, questions in branch.asks.items()}
    return [replace(branch, asks=asked | branch.asks) for branch in found.values()]


def reach(engine: Engine, program: Program, path: tuple[Condition, ...], **options: Any) -> Branch | None:
    """A branch on which a run took all of the path; None where none did. Raises Busy."""
    return _Explorer(engine, program, options, inf).branch(path, [each.line for each in path])


@dataclass(slots=True)
class _Explorer:
    """Runs a program again and again, until `late` (time.monotonic) or until too many runs had to be stopped."""

    engine: Engine
    program: Program
    options: dict[str, Any]
    late: float
    stopped: int = 0

    def branch(self, path: tuple[Condition, ...], lines: Iterable[int]) -> Branch | None:
        """A branch on which a run came to all of these lines, free if callers come there whatever they answer."""
        for twist in range(_TRIES):
            if self.stopped >= _STOPPED or self._is_late():
                break
            caller, stopped = self._run(Branch(path, twist), twist)
            self.stopped += stopped
            if caller.taken.issuperset(lines):
                branch = Branch(path, twist, {line: tuple(asked) for line, asked in caller.asks.items()})
                return replace(branch, free=not stopped and self._is_free(branch, lines))
        return None

    def _is_free(self, branch: Branch, lines: Iterable[int]) -> bool:
        free = replace(branch, free=True)
        for seed in range(_SAMPLES):
            if self._is_late():
                return False
            caller, stopped = self._run(free, seed)
            if stopped or not caller.taken.issuperset(lines):
                return False
        return True

    def _is_late(self) -> bool:
        return time.monotonic() > self.late

    def _run(self, branch: Branch, seed: int) -> tuple[Caller, bool]:
        """Run once: the caller, and whether the run had to be stopped."""
        caller = Caller(self.program, branch, Random(seed))
        session = self.engine.open(self.program, judge=caller, seed=seed, **self.options)
        session.play(caller)
        return caller, session.failure is not None and session.failure.bound
