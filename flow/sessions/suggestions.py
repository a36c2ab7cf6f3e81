"""Sentences that a person who talks to a flow could say next."""

import re
from collections import Counter
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Any

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.caller_words import choose_value, give_value, intent_of, predicate, role_of, utter
from dryline.flow.model.kinds import CODE, DATE, EMAIL, NAME, NUMBER, PHONE, TIME, kind_of
from dryline.flow.model.understanding import Context, understand
from dryline.flow.phrases import load

MAX_SUGGESTIONS = 3
_ATTEMPTS = 8
# Kinds of values of which an example can be made from the question alone.
_KINDS = (NAME, DATE, TIME, PHONE, EMAIL, CODE, NUMBER)
_TIME = re.compile(r"\b\d{1,2}(?::\d{2})? ?[AP]M\b")
_NO_KEY = frozenset(["a", "an", "the", "their", "his", "her", "another", "for", "it"])
_COMMON = 10  # intents whose phrases have a word


def suggest(
    conditions: tuple[str, ...], random: Random, now: datetime, *, opening: bool, about: str = "", question: str = ""
) -> list[str]:
    """Return a sentence for each of the first open conditions, of which the engine takes that condition.

    Of the phrases for a condition, one is chosen that has the fewest words foreign to `about`, the flow's own words. A
    condition that is met by giving a value has an example of it; conditions of no known intent have none. `opening`
    asks for the first words of a conversation, and `question` is what the agent said last.
    """
    known = _words(" ".join((about, *conditions))) | _common_words()
    sentences: list[str] = []
    for condition in conditions:
        if role_of(condition) == "value":
            candidates = _examples(condition, question, random, now)
        elif intent_of(condition, conditions) is not None:
            options: dict[str, Any] = {"opening": opening, "avoid": set(), "menu": conditions}
            says = [utter(condition, {}, random, **options) for _ in range(_ATTEMPTS)]
            fits = {text: (len(_words(text) - known), -len(_words(text) & _words(condition))) for text in says}
            candidates = sorted(fits, key=fits.__getitem__)
        else:
            continue
        sentence = next((text for text in candidates if _takes(text, condition, conditions)), None)
        if sentence and sentence not in sentences:
            sentences.append(sentence)
        if len(sentences) == MAX_SUGGESTIONS:
            break
    return sentences


def _examples(condition: str, question: str, random: Random, now: datetime) -> list[str]:
    """Return sentences that give the value which a condition such as "caller gives their name" names."""
    key = " ".join(word for word in predicate(condition).split()[1:] if word not in _NO_KEY)
    slot = Slot("", key, question=question, choices=tuple(_TIME.findall(question)))
    if kind_of(slot) not in _KINDS and not slot.choices:
        return []
    facts = {"name": "Ada Park"}
    values = [choose_value(slot, random, now, facts=facts, said="", heard="", question=question) for _ in range(3)]
    return [give_value(value, slot, random, set()) for value in values]


def _takes(text: str, condition: str, conditions: tuple[str, ...]) -> bool:
    index = understand(list(conditions), text, Context("", "")).index
    return index is not None and conditions[index] == condition


def _words(text: str) -> set[str]:
    """Return the words of a text without their endings."""
    return {word[:5] for word in re.findall(r"\w{4,}", text.lower())}


@lru_cache(maxsize=1)
def _common_words() -> frozenset[str]:
    """Return the words that phrases of many intents have, which fit any line."""
    intents = load().values()
    counts = Counter(word for intent in intents for word in _words(" ".join((*intent.says, *intent.opens))))
    return frozenset(word for word, count in counts.items() if count >= _COMMON)
