"""Which conditions of a flow a sentence is about."""

from __future__ import annotations

import re
from random import Random

from dryline.engine.builtin_model import BuiltInJudge
from dryline.engine.language_model import Talk
from dryline.engine.program import Condition, Program

_FIELD = re.compile(r"{[^{}]*}")
_LITERAL = re.compile(r"""^[fFrR]*("{3}|'{3}|"|')(?P<text>.*)\1$""", re.DOTALL)
_LONGEST, _MOST_PIECES = 5_000, 3  # of a sentence, in characters, and of a condition: more would take long to match
_BUILT_IN = BuiltInJudge()


def named(program: Program, sentence: str) -> list[Condition]:
    """The conditions whose text it holds, in the order of the code; of two that share words, the longer one. Else the
    one that it is likest to, as if a user had said it; else none. In a condition that is an f-string, a field stands
    for any words."""
    left = _folded(sentence[:_LONGEST])
    found: dict[str, Condition] = {}  # by its text: loops can share one, and a call need not come to all of them
    for condition in sorted(program.conditions, key=lambda each: (-len(each.text), each.line)):
        pattern = _pattern(condition)
        if pattern is not None and pattern.search(left):
            found[_folded(condition.text)] = condition
            left = pattern.sub(" | ", left)
    return sorted(found.values(), key=lambda each: each.line) if found else _likest(program, sentence)


def _likest(program: Program, sentence: str) -> list[Condition]:
    conditions = program.conditions
    texts = [condition.text for condition in conditions]
    talk = Talk("", texts, {}, [], 0, [condition.line for condition in conditions], random=Random(0))
    decision = _BUILT_IN.choose(talk, sentence)
    return [] if decision.index is None else [conditions[decision.index]]


def _pattern(condition: Condition) -> re.Pattern[str] | None:
    text = condition.text
    if not condition.fixed:
        literal = _LITERAL.match(text)
        if literal is None:
            return None
        text = literal["text"]
    pieces = [re.escape(_folded(piece)) for piece in (_FIELD.split(text) if not condition.fixed else [text])]
    if not any(pieces) or len(pieces) > _MOST_PIECES:
        return None
    return re.compile(r"(?<!\w)" + ".{1,80}?".join(pieces) + r"(?!\w)")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
