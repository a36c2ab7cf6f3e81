"""Branches of a flow: the conditions that a conversation can take, one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dryline.engine.language_model import Question
from dryline.engine.program import Condition, Loop, Program


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition that a flow can reach, and how callers reach it.

    `path` is the conditions to take, outermost first, the branch's own last. `variant` seeds the answers that the
    flow's `if` statements may look at. With `free`, any answers lead there, so that each caller has their own. With
    `brief`, callers may leave out what the flow asks for again. `asks` is what the flow asks after each condition.
    `before` has the conditions that the explorer's caller took on the way, beside those of the path.
    """

    path: tuple[Condition, ...]
    variant: int = 0
    asks: dict[int, tuple[Question, ...]] = field(default_factory=dict)
    free: bool = False
    brief: bool = False
    before: tuple[Condition, ...] = ()

    def guided(self) -> "Branch":
        """Return the branch with a path on which a caller finds it at once."""
        return replace(self, path=(*self.before, *self.path))

    @property
    def condition(self) -> Condition:
        return self.path[-1]


def paths(program: Program) -> Iterator[tuple[Condition, ...]]:
    """Yield the path to each condition, in the order of the code: outermost first, itself last."""

    def below(loops: list[Loop], before: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
        for loop in loops:
            yield from below(loop.inner, before)
            for condition in loop.conditions:
                yield (*before, condition)
                yield from below(condition.inner, (*before, condition))

    yield from below([loop for loop in program.loops if loop.outermost], ())
