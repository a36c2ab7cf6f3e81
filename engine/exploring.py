"""Which of a flow's conditions can be come to at all: by running it."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any

from dryline.engine.caller import Branch, Caller, paths
from dryline.engine.program import Condition, Program

if TYPE_CHECKING:
    from dryline.engine.engine import Engine

_STOPPED = 3  # runs that had to be stopped: a flow that runs away is not run again and again
_TRIES = 16  # with other answers each time, before a condition counts as out of reach
_SAMPLES = 3  # callers with answers of their own who all have to come there, for a branch to count as free


def explore(engine: Engine, program: Program, *, within_s: float = inf, **options: Any) -> list[Branch]:
    """A branch for each condition that a run came to; the options are Engine.open's. Raises Busy.

    No new run begins `within_s` seconds after the first: a flow may wait for other servers."""
    late = time.monotonic() + within_s
    wanted = list(paths(program))
    found: dict[int, Branch] = {}
    stopped = 0
    for path in wanted:
        for twist in range(_TRIES):
            if path[-1].line in found or stopped >= _STOPPED or time.monotonic() > late:
                break
            branch, was_stopped = _try(engine, program, path, {path[-1].line}, twist, options)
            stopped += was_stopped
            if branch:
                found[path[-1].line] = branch
    asked = {line: questions for branch in found.values() for line, questions in branch.asks.items()}
    return [
        replace(branch, asks=asked | branch.asks) for path in wanted if (branch := found.get(path[-1].line)) is not None
    ]


def reach(engine: Engine, program: Program, path: tuple[Condition, ...], **options: Any) -> Branch | None:
    """A branch on which a run took all of the path; None where none did. Raises Busy."""
    stopped = 0
    for twist in range(_TRIES):
        branch, was_stopped = _try(engine, program, path, {each.line for each in path}, twist, options)
        stopped += was_stopped
        if branch or stopped >= _STOPPED:
            return branch
    return None


def _try(
    engine: Engine,
    program: Program,
    path: tuple[Condition, ...],
    targets: set[int],
    twist: int,
    options: dict[str, Any],
) -> tuple[Branch | None, bool]:
    """Run once. The branch, if the run came to the lines of all targets; and whether it had to be stopped."""
    caller, stopped = _run(engine, program, Branch(path, twist), twist, options)
    if not targets <= caller.taken:
        return None, stopped
    branch = Branch(path, twist, {line: tuple(asked) for line, asked in caller.asks.items()})
    free = replace(branch, free=True)
    if not stopped and all(_comes(engine, program, free, targets, seed, options) for seed in range(_SAMPLES)):
        branch = free
    return branch, stopped


def _comes(
    engine: Engine, program: Program, branch: Branch, targets: set[int], seed: int, options: dict[str, Any]
) -> bool:
    caller, stopped = _run(engine, program, branch, seed, options)
    return targets <= caller.taken and not stopped


def _run(engine: Engine, program: Program, branch: Branch, seed: int, options: dict[str, Any]) -> tuple[Caller, bool]:
    caller = Caller(program, branch, Random(seed))
    session = engine.open(program, judge=caller, seed=seed, **options)
    session.play(caller)
    return caller, session.failure is not None and session.failure.bound
