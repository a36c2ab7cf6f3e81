"""A caller with a purpose: takes the conditions of one path, in words that fit them and what the flow asks about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dryline.engine.answer_filling import Leaf, shaped
from dryline.engine.builtin_model import BuiltInJudge
from dryline.engine.caller_utterances import names_the_speaker, saying, telling
from dryline.engine.fake_values import made_up
from dryline.engine.language_model import Answer, Decision, Question, Talk, Words
from dryline.engine.program import Condition, Loop, Program
from dryline.engine.session import Session
from dryline.engine.slot_extraction import kind_of, part_of_name

MOST_TURNS = 40
MOST_IDLE = 8  # turns after the purpose is reached: a flow without a way out is left
# From this twist on the way leads anywhere, again and again, and answers are the numbers that the code has: an `if` can
# want two items in a cart, or a budget of 50,000.
_ROUNDABOUT = 8
_QUOTED = r"""["'][^"'\n]{1,60}["']"""
_COMPARED = re.compile(rf"(?:==|!=|\bin\b|\bcase\b)\s*[\[({{]?\s*({_QUOTED}(?:\s*,\s*{_QUOTED})*)")
_COUNTED = re.compile(r"(?:[=!<>]=|[<>])\s*(\d[\d_]{0,11}(?:\.\d{1,6})?)")
_BUILT_IN = BuiltInJudge()


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition that a flow can come to. `path` leads there: the conditions to take, outermost first, itself last.
    `twist` seeds the answers that the flow's own `if`s look at; where the branch is `free`, no answer leads away from
    it, and each caller has their own. `asks` is what the flow asks after each condition, by line."""

    path: tuple[Condition, ...]
    twist: int = 0
    asks: dict[int, tuple[Question, ...]] = field(default_factory=dict)
    free: bool = False

    @property
    def condition(self) -> Condition:
        return self.path[-1]


class Caller:
    """Is both what Session.play asks for words, and the judge of the session: it knows what it means.

    `known` is what is certain about this caller, under the names of members that a flow may ask for, or `name`, `first`
    and `last` (names), `phone`, `email`."""

    def __init__(
        self, program: Program, branch: Branch, random: Random, known: Mapping[str, Any] | None = None
    ) -> None:
        self.taken: set[int] = set()  # lines of the conditions that were taken
        self.asks: dict[int, list[Question]] = {}
        self._program = program
        self._branch = branch
        self._left = [condition.line for condition in branch.path]
        self._random = random
        self._known = known or {}
        self._twist = Random(random.getrandbits(32) if branch.free else branch.twist)
        self._candidates = candidates(program) if branch.twist and not branch.free else []
        self._numbers = numbers(program) if branch.twist >= _ROUNDABOUT and not branch.free else []
        self._counted = 0
        self._planned: dict[int, Any] = {}
        self._next: Condition | None = None
        self._detours = branch.twist % 4
        self._turns = self._idle = 0

    def __call__(self, session: Session) -> str | None:
        """What the caller says now; None to hang up, after more turns than any purpose takes."""
        self._turns += 1
        self._idle += not self._left
        if self._turns > MOST_TURNS or self._idle > MOST_IDLE:
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
                told.append(telling(self._planned[question.line]))
        condition = session.waiting[self._next.loop.conditions.index(self._next)]
        return " ".join(filter(None, (saying(condition, self._random, first=self._turns == 1), *told)))

    def _wanted(self, loop: Loop) -> Condition | None:
        for at, line in enumerate(self._left):
            for condition in loop.conditions:
                if condition.line == line:
                    first = self._detour(loop)
                    if first is None:
                        del self._left[: at + 1]
                    return first or condition
        if self._branch.twist >= _ROUNDABOUT:
            return self._twist.choice(loop.conditions) if loop.conditions else None
        fresh = [condition for condition in loop.conditions if condition.line not in self.taken]
        offered = [condition for condition in fresh if condition.leaves] or fresh or loop.conditions
        return self._random.choice(offered) if offered else None

    def _detour(self, loop: Loop) -> Condition | None:
        """Something else to do first: a purpose can need that, as an order needs an item before it is confirmed."""
        if not self._detours:
            return None
        self._detours -= 1
        others = [each for each in loop.conditions if not each.leaves and each.line not in {*self.taken, *self._left}]
        return self._twist.choice(others) if others else None

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
        """A value. What an `if` can look at comes from the branch's twist, all else from this caller's chance."""
        number = isinstance(leaf.example, (int, float)) and not isinstance(leaf.example, bool)
        if number and self._numbers and not leaf.choices:
            self._counted += 1
            return type(leaf.example)(self._numbers[self._branch.twist * self._counted % len(self._numbers)])
        if leaf.choices or isinstance(leaf.example, (bool, int, float)):
            return made_up(leaf.name, leaf.example, leaf.choices, self._twist)[0]
        kind = kind_of(leaf.name or leaf.question, leaf.example)
        known = self._known.get(leaf.name)
        if known is None and (kind != "name" or names_the_speaker(leaf.name or leaf.question)):
            known = self._known.get((kind == "name" and part_of_name(leaf.name)) or kind or "")
        if isinstance(known, str):
            return known
        any_text = isinstance(leaf.example, str) and kind is None
        if self._candidates and any_text and self._twist.random() < 0.5:
            return self._twist.choice(self._candidates)
        return made_up(leaf.name or leaf.question, leaf.example, leaf.choices, self._random)[0]


def candidates(program: Program) -> list[str]:
    """The texts that the flow compares with: what an answer has to be for one of its `if`s."""
    groups = _COMPARED.findall(program.source)
    return sorted({quoted[1:-1] for group in groups for quoted in re.findall(_QUOTED, group)})


def numbers(program: Program) -> list[float]:
    """The numbers that the flow compares with, and behind them those beside them."""
    compared = sorted({float(number) for number in _COUNTED.findall(program.source)})
    return list(dict.fromkeys(number + more for more in (0, 1, -1) for number in compared))


def paths(program: Program) -> Iterator[tuple[Condition, ...]]:
    """For each condition the conditions that lead to it, outermost first, itself last; in the order of the code."""

    def below(loops: list[Loop], before: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
        for loop in loops:
            yield from below(loop.inner, before)
            for condition in loop.conditions:
                yield (*before, condition)
                yield from below(condition.inner, (*before, condition))

    yield from below([loop for loop in program.loops if loop.outermost], ())
