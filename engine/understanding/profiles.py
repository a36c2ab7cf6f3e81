"""Profiles: how much a text is about each topic, by all words that the topics have.

Two texts without a common word have similar profiles if their words belong to the same topics (explicit semantic
analysis): "it never came" is like "reports a missing delivery". A topic is an intent, with its phrases and conditions,
or a word with its synonyms.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from math import log, sqrt

from dryline.engine.understanding.words import terms

_PAIR_WEIGHT = 0.5
_LENGTH_POWER = 0.75  # of the length by which a topic's words are divided: one with more phrases is known better
_SHARPNESS = 2  # the power of each share: the best topics of a text count, and the many others hardly

Profile = dict[float, float]  # the share of each topic, by its number


class Profiles:
    """An index of the words of topics. Immutable once built, so threads share it."""

    def __init__(self, topics: Callable[[], Iterable[Counter[str]]], ordinary: frozenset[str]) -> None:
        """Index topics, each the number of times that a term stands for it. They are made twice, to save memory."""
        self._ordinary = ordinary
        owners, count = Counter[str](), 0
        for topic in topics():
            owners.update(filter(self._tells, topic))
            count += 1
        weights = {
            term: log(1 + count / number) * (_PAIR_WEIGHT if " " in term else 1.0) for term, number in owners.items()
        }
        # For each term, the numbers of its topics and its share in them by turns: one array takes less than two.
        self._topics: dict[str, array[float]] = {term: array("f") for term in owners}
        for number, topic in enumerate(topics()):
            values = {term: (1 + log(times)) * weights[term] for term, times in topic.items() if term in weights}
            length = sqrt(sum(value * value for value in values.values())) ** _LENGTH_POWER
            for term, value in values.items():
                self._topics[term].extend((number, weights[term] * value / length))

    def _tells(self, term: str) -> bool:
        return "_" not in term and not self._ordinary.issuperset(term.split())

    def of(self, stems: list[str]) -> Profile:
        """Return the profile of a text, of length 1."""
        shares: Profile = {}
        for term in dict.fromkeys(terms(stems, self._ordinary)):
            topics = self._topics.get(term, ())
            for number, share in zip(topics[::2], topics[1::2], strict=True):
                shares[number] = shares.get(number, 0.0) + share
        length = sqrt(sum(share ** (2 * _SHARPNESS) for share in shares.values()))
        return {number: share**_SHARPNESS / length for number, share in shares.items()}


def similarity(one: Profile, other: Profile) -> float:
    """Return the cosine of two profiles, from 0 to 1."""
    if len(one) > len(other):
        one, other = other, one
    return sum(share * other.get(number, 0.0) for number, share in one.items())
