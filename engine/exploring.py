"""Which of a flow's conditions can be come to at all: by running it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from dryline.engine.caller import Branch, Caller, paths
from dryline.engine.program import Condition, Program

if TYPE_CHECKING:
    from dryline.engine.engine import Engine

_STOPPED = 3  # runs that had to be stopped: a flow that runs away is not run again and again
_TRIES = 16  # with other answers each time, before a condition counts as out of reach


def explore(engine: Engine, program: Program, **options: Any) -> list[Branch]:
    """A branch for each condition that a run came to; the options are Engine.open's. Raises Busy."""
    wanted = list(paths(program))
    found: dict[int, Branch] = {}
    stopped = 0
    for path in wanted:
        for twist in range(_TRIES):
            if path[-1].line in found or stopped >= _STOPPED:
                break
            stopped += _try(engine, program, path, twist, found, options)
    return [found[path[-1].line] for path in wanted if path[-1].line in found]


def _try(
    engine: Engine,
    program: Program,
    path: tuple[Condition, ...],
    twist: int,
    found: dict[int, Branch],
    options: dict[str, Any],
) -> bool:
    """Run once. Says whether the flow had to be stopped."""
    caller = Caller(program, Branch(path, twist), Random(twist))
    session = engine.open(program, judge=caller, seed=twist, **options)
    session.play(caller)
    target = path[-1].line
    if target in caller.taken:
        found[target] = Branch(path, twist, {line: tuple(asked) for line, asked in caller.asks.items()})
    return session.failure is not None and session.failure.bound
