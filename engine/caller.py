"""A caller with a purpose: takes the conditions of one path, in words that fit them and what the flow will ask about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dryline.engine.builtin import BuiltInJudge
from dryline.engine.judge import Answer, Decision, Question, Talk, Words
from dryline.engine.lines import saying, telling
from dryline.engine.made_up import made_up
from dryline.engine.program import Condition, Loop, Program
from dryline.engine.session import Session
from dryline.engine.shapes import Leaf, shaped

MOST_TURNS = 40
_LITERAL = re.compile(
    r"""(?:==|!=|\bin\b|\bcase\b)\s*[\[({]?\s*(["'][^"'\n]{1,60}["'](?:\s*,\s*["'][^"'\n]{1,60}["'])*)"""
)
_BUILT_IN = BuiltInJudge()


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition that a flow can come to. `path` leads there: the conditions to take, outermost first, itself last.
    `twist` seeds the answers that the flow's own `if`s look at; `asks` is what the flow asks after each condition, by
    line."""

    path: tuple[Condition, ...]
    twist: int = 0
    asks: dict[int, tuple[Question, ...]] = field(default_factory=dict)

    @property
    def condition(self) -> Condition:
        return self.path[-1]


class Caller:
    """Is both what Session.play asks for words, and the judge of the session: it knows what it means."""

    def __init__(self, program: Program, branch: Branch, random: Random) -> None:
        self.taken: set[int] = set()  # lines of the conditions that were taken
        self.asks: dict[int, list[Question]] = {}
        self._program = program
        self._branch = branch
        self._left = [condition.line for condition in branch.path]
        self._random = random
        self._twist = Random(branch.twist)
        self._candidates = candidates(program) if branch.twist else []
        self._planned: dict[int, Any] = {}
        self._next: Condition | None = None
        self._turns = 0

    def __call__(self, session: Session) -> str | None:
        """What the caller says now; None to hang up, after more turns than any purpose takes."""
        self._turns += 1
        if self._turns > MOST_TURNS:
            return None
        loop = session.conversation.loop
        if loop is None or loop < 0:
            return "Okay."
        self._next = self._wanted(session.program.loops[loop])
        if self._next is None:
            return None
        told = []
        for question in self._branch.asks.get(self._next.line, ()):
            if question.line is not None and question.line not in self._planned:
                self._planned[question.line] = self._value(question)
                told.append(telling(self._planned[question.line], question.question))
        condition = session.waiting[self._next.loop.conditions.index(self._next)]
        return " ".join(filter(None, (saying(condition, self._random), *told)))

    def _wanted(self, loop: Loop) -> Condition | None:
        for at, line in enumerate(self._left):
            for condition in loop.conditions:
                if condition.line == line:
                    del self._left[: at + 1]
                    return condition
        leading_out = [condition for condition in loop.conditions if condition.leaves]
        fresh = [condition for condition in leading_out if condition.line not in self.taken]
        offered = fresh or leading_out or loop.conditions
        return self._random.choice(offered) if offered else None

    def choose(self, talk: Talk, said: str) -> Decision:
        if self._next is None:
            return Decision(None, "The caller hangs up.", 1.0, "caller")
        condition = self._next
        self.taken.add(condition.line)
        index = condition.loop.conditions.index(condition)
        arguments = _BUILT_IN.arguments(talk, index, said)
        return Decision(index, "It is what the caller is after.", 1.0, "caller", arguments)

    def reply(self, talk: Talk, said: str | None) -> Words:
        return _BUILT_IN.reply(talk, said)

    def ask(self, question: Question) -> Answer:
        after = self._next.line if self._next else 0
        self.asks.setdefault(after, []).append(question)
        if question.line is not None and question.line in self._planned:
            return Answer(self._planned[question.line], {}, "caller")
        return Answer(self._value(question), {}, "caller")

    def summarize(self, question: Question) -> Words:
        return _BUILT_IN.summarize(question)

    def _value(self, question: Question) -> Any:
        if question.example is None and not isinstance(question.schema, dict):
            return _BUILT_IN.ask(question).value
        return shaped(question, self._leaf)

    def _leaf(self, leaf: Leaf) -> Any:
        """A value: those that an `if` can look at come from the branch's twist, the others from this caller's chance."""
        if leaf.choices or isinstance(leaf.example, (bool, int, float)):
            return made_up(leaf.name, leaf.example, leaf.choices, self._twist)[0]
        if self._candidates and isinstance(leaf.example, str) and self._twist.random() < 0.5:
            return self._twist.choice(self._candidates)
        return made_up(leaf.name or leaf.question, leaf.example, leaf.choices, self._random)[0]


def candidates(program: Program) -> list[str]:
    """The texts that the flow compares with: what an answer has to be for one of its `if`s."""
    found = {text for group in _LITERAL.findall(program.source) for text in re.findall(r"""["']([^"']+)["']""", group)}
    return sorted(found)


def paths(program: Program) -> Iterator[tuple[Condition, ...]]:
    """For each condition the conditions that lead to it, outermost first, itself last; in the order of the code."""

    def below(loops: list[Loop], before: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
        for loop in loops:
            yield from below(loop.inner, before)
            for condition in loop.conditions:
                yield (*before, condition)
                yield from below(condition.inner, (*before, condition))

    yield from below([loop for loop in program.loops if loop.outermost], ())
