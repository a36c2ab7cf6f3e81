"""One of several given values."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot, label_of
from dryline.flow.model.answers.time import Time
from dryline.flow.model.number_words import to_digits
from dryline.storage.files import read_json

_AROUND_MEANING = re.compile(r"^(?:an?|the|your|my|our|some) | one$")


class Choice(ValueKind):
    """One of the values that the example lists ("small | medium | large"), or with which the flow compares.

    It is chosen by its own words or, where the values are times, by the time or the half of the day ("the morning
    one"). Where the agent asked for it or named one, also by words that mean it (`synonyms.json`) and by its position
    ("the second one"). Of several the last one counts.
    """

    name = "choice"
    asked_by = ("which of", "which one", "do you prefer", "would you prefer")
    question = "Which one would you like?"
    sentences = ("{value}, please.", "{value} would be best.", "{value} is fine.")

    ordinals: ClassVar[dict[str, int]] = {
        **{"first": 0, "1st": 0, "former": 0, "earlier": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3},
        **{"fifth": 4, "last": -1, "latter": -1, "later": -1},
    }
    by_ordinal = re.compile(
        rf"(?<!on )(?<!by )(?<!of )(?<!until )\bthe (?P<the>{'|'.join(ordinals)})\b"
        r"(?! (?:week|month|day|time|name|of)\b)"
        rf"|\b(?P<one>{'|'.join(ordinals)}) (?:one|option)\b|^\W*(?P<bare>{'|'.join(ordinals)})(?:,? please)?\W*$"
    )
    degree = re.compile(r"\bnot (?:very|so|super|that|really|too|all that) (?=\w)")

    CASES = (
        ("I need a filling", "cleaning | filling | consultation", "filling"),
        ("the biggest you have", "small | medium | large", "large"),
        ("small, or rather medium", "small | medium | large", "medium"),
        ("just text me", "email | phone | sms", "sms"),
        ("I'll pay with my Visa", "cash | card", "card"),
        ("a check up", "cleaning | check-up", "check-up"),
        ("the second one", "cleaning | check-up | filling", "check-up"),
        ("the last one, please", "cleaning | check-up | filling", "filling"),
        ("half past three", "10 AM | 3:30 PM", "3:30 PM"),
        ("the morning one", "10 AM | 3:30 PM", "10 AM"),
        ("something later in the afternoon", "10 AM | 3:30 PM", "3:30 PM"),
        ("a dental cleaning", "cleaning | dental cleaning", "dental cleaning"),
        ("money back, please", "your money back | another one", "your money back"),
        ("on the third", "cleaning | check-up | filling", None),
        ("blue elephants", "cleaning | check-up", None),
        ("either is fine", "small | medium | large", None),
        ("at five", "10 AM | 3:30 PM", None),
        ("the first week", "cleaning | check-up", None),
        ("I don't know", "cash | card", None),
        ("cardinal rules", "cash | card", None),
    )

    def read(self, said: str, context: Slot) -> Any:
        texts = [str(choice) for choice in context.choices]
        times = self._times_of(texts)
        folded = self.degree.sub("not ", said.casefold().replace("\u2019", "'"))
        index = self._index_by_time(said, times) if times else None
        if index is None:
            index = _last_named(folded, [_wordings_of(text) for text in texts])

        is_offered = any(text.casefold() in context.agent.casefold() for text in texts)
        if index is None and (context.is_asked or is_offered):
            index = _last_named(folded, [_synonyms().get(label_of(text), []) for text in texts])
            if index is None:
                index = self._index_by_ordinal(folded, len(texts))
        return None if index is None else context.choices[index]

    def make(self, random: Random, context: Slot) -> Any:
        return random.choice(context.choices)

    def _times_of(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        """Return the times that the choices are, on a clock of 24 hours; none where one of them is no time."""
        times_of_each = [Time().find(text) for text in texts]
        is_time = all(len(times) == 1 for times in times_of_each)
        return [times[0].on_clock("") for times in times_of_each] if is_time else []

    def _index_by_time(self, said: str, times: list[tuple[int, int]]) -> int | None:
        """Return the index of the time that was said, or of the only one in the half of the day that was said."""
        spoken = Time().find(to_digits(said), is_asked=True)
        if spoken:
            last = spoken[-1]
            fits = [last.on_clock("")] if last.half else [(last.hour % 12 + half, last.minute) for half in (0, 12)]
            named = [index for index, time in enumerate(times) if time in fits]
        else:
            half = Time.half_of_day.search(said.casefold())
            is_late = half is not None and half.lastgroup == "p"
            named = [index for index, (hour, _) in enumerate(times) if half and (hour >= 12) == is_late]
        return named[0] if len(named) == 1 else None

    def _index_by_ordinal(self, said: str, count: int) -> int | None:
        """Return the index of the choice, of so many, that an ordinal names: "the last one"."""
        match = self.by_ordinal.search(said)
        if match is None:
            return None
        index = self.ordinals[match["the"] or match["one"] or match["bare"]]
        return index % count if index < count else None


def _wordings_of(choice: str) -> list[str]:
    """Return a choice, and it without the words around its meaning: "your money back" is "money back"."""
    label = label_of(choice)
    return [choice.casefold(), label, _AROUND_MEANING.sub("", label)]


def _last_named(said: str, phrases: Sequence[Sequence[str]]) -> int | None:
    """Return the index of the phrases of which one is named last; where two names overlap, of the longer one."""
    named: list[tuple[int, int, int]] = []
    for index, alternatives in enumerate(phrases):
        for phrase in filter(None, alternatives):
            for match in _pattern(phrase).finditer(said):
                named.append((match.end(), match.end() - match.start(), index))
    return max(named)[2] if named else None


@lru_cache(maxsize=2048)
def _pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern of a phrase, in the singular or the plural; a hyphen may be a blank, or nothing."""
    stem = re.escape(phrase).replace(r"\ ", r"[ -]").replace(r"\-", r"[ -]?")
    ending = r"(?:s|es|'s|ed)?" if len(phrase) > 3 else ""
    return re.compile(rf"(?<![\w'-]){stem}{ending}(?![\w'])")


@cache
def _synonyms() -> dict[str, list[str]]:
    return read_json(Path(__file__).with_name("synonyms.json"))
