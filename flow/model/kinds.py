"""The kinds of values, and which of them an example, a member's name or a question asks for."""

import re
from functools import lru_cache

from dryline.flow.model.answers.choice import Choice
from dryline.flow.model.answers.code import Code
from dryline.flow.model.answers.date import Date
from dryline.flow.model.answers.email import Email
from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.number import NumberValue
from dryline.flow.model.answers.person_name import PersonName
from dryline.flow.model.answers.phone import Phone
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.time import Time
from dryline.flow.model.answers.words import Words
from dryline.flow.model.answers.yes_no import YesNo

YES_NO, CHOICE, NUMBER, DATE, TIME = YesNo(), Choice(), NumberValue(), Date(), Time()
PHONE, EMAIL, NAME, CODE, WORDS = Phone(), Email(), PersonName(), Code(), Words()
KINDS: tuple[ValueKind, ...] = (YES_NO, CHOICE, NUMBER, DATE, TIME, PHONE, EMAIL, NAME, CODE, WORDS)

_BY_EXAMPLE = (EMAIL, DATE, TIME, NUMBER, PHONE)  # an example of theirs decides, whatever its member is called
_CODE_EXAMPLE = re.compile(r"(?=\D*\d)[A-Za-z\d#-]{3,}")
_QUESTION_WORD = re.compile(r"[\w'\u2019-]+")


def kind_of(slot: Slot) -> ValueKind:
    """Return the kind of value of a slot: by its choices, its example, the end of its name, or the question."""
    if slot.choices:
        return CHOICE
    if isinstance(slot.example, bool):
        return YES_NO
    if isinstance(slot.example, (int, float)):
        return NUMBER
    example = slot.example_text.strip()
    by_example = next((kind for kind in _BY_EXAMPLE if kind.is_example(example)), None)
    if by_example is not None:
        return by_example
    by_name = kind_of_label(slot.label) if slot.label else kind_of_question(slot.question)
    if not example:
        return by_name or WORDS
    if by_name is not None and _is_possible(by_name, example):
        return by_name
    if NAME.is_example(example):
        return NAME
    if example.isdigit():
        return CODE if len(example) > 3 else NUMBER
    return CODE if _CODE_EXAMPLE.fullmatch(example) else WORDS


def _is_possible(kind: ValueKind, example: str) -> bool:
    """Return whether a text can be a value of a kind: {"order": "two pizzas"} is no order number."""
    if kind is NAME:
        return not example[0].islower()
    return kind in (CODE, NUMBER, PHONE) and any(map(str.isdigit, example))


@lru_cache(maxsize=1024)
def kind_of_label(label: str) -> ValueKind | None:
    """Return the kind that the end of a label names: "preferred day" is a date; None for none."""
    words = label.rstrip(" 0123456789").split()
    ends = (" ".join(words[start:]) for start in range(len(words)))
    return next((_KEYS[end] for end in ends if end in _KEYS), None)


def kind_of_question(question: str) -> ValueKind | None:
    """Return the kind that a question asks for: that of the longest of its phrases that is known; None for none."""
    folded = f" {' '.join(_QUESTION_WORD.findall(question[-500:].lower()))} "
    return next((kind for phrase, kind in _PHRASES if f" {phrase} " in folded), None)


_KEYS = {key: kind for kind in KINDS for key in kind.keys}
_PHRASES = sorted(((phrase, kind) for kind in KINDS for phrase in kind.asked_by), key=lambda each: -len(each[0]))
