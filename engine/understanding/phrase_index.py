"""An index of phrases: the nearest ones to a text, by the rarity of the terms that they share (TF-IDF, cosine)."""

import re
from collections import defaultdict
from collections.abc import Iterable
from math import log, sqrt

from dryline.engine.understanding.words import Vocabulary, terms

_PAIR_WEIGHT = 0.45  # two neighbouring words say little more than each of them
_UNKNOWN_WEIGHT = 0.35  # of a word that no phrase has; else the nouns of a trade outweigh the pattern
_VALUE_WEIGHT = 0.5  # a day or a number says little about what somebody wants
_OTHER_FORM = 0.88  # of a question to a statement, and the reverse
_MOST_NEAR = 200
_NEXT_PHRASES = (0.8, 0.13, 0.07)  # the shares of an owner's three nearest phrases


class PhraseIndex:
    """Phrases with their owners. Immutable once built, so threads share it."""

    def __init__(
        self,
        phrases: Iterable[tuple[str, str]],
        vocabulary: Vocabulary,
        *,
        negation: re.Pattern[str] | None = None,
        opposite: tuple[float, float] = (0.65, 0.8),
    ) -> None:
        """Index phrases. `opposite` are the shares of those that say what a text denies, or deny what it says."""
        self._denied, self._denying = opposite
        self._vocabulary = vocabulary
        self.owners: list[str] = []
        self.texts: list[str] = []
        self._lines_of: dict[str, list[int]] = defaultdict(list)
        postings: dict[str, list[int]] = {}
        shared: dict[str, str] = {}  # one string for each term: they take a third of the index
        self._terms: list[tuple[str, ...]] = []
        for line, (owner, text) in enumerate(phrases):
            # Distinct, and in an order: the order of the sums, and so the last digit, is the same in each process.
            distinct = dict.fromkeys(terms(vocabulary.stems(text), vocabulary.ordinary))
            self._terms.append(tuple(shared.setdefault(term, term) for term in distinct))
            for term in self._terms[-1]:
                postings.setdefault(term, []).append(line)
            self.owners.append(owner)
            self._lines_of[owner].append(line)
            self.texts.append(text)
        self._postings = {term: tuple(lines) for term, lines in postings.items()}
        owners, count = self.owners, len(set(self.owners)) + 1
        self.weights = {
            term: log(1 + count / (1 if len(lines) == 1 else len({owners[line] for line in lines}))) * _share(term)
            for term, lines in self._postings.items()
        }
        weights = self.weights
        negations = vocabulary.negations
        self._asks = [text.endswith("?") for text in self.texts]
        self._negated = [
            bool(negation.search(text) if negation else not negations.isdisjoint(distinct))
            for text, distinct in zip(self.texts, self._terms, strict=True)
        ]
        self._norms = [sqrt(sum(weights[term] ** 2 for term in distinct)) for distinct in self._terms]
        self._unknown = _UNKNOWN_WEIGHT * log(1 + count)

    def terms_of(self, owner: str) -> list[str]:
        """Return the terms of an owner's phrases, each as often as there are phrases that have it."""
        return [term for line in self._lines_of.get(owner, ()) for term in self._terms[line]]

    def nearest(
        self, stems: list[str], *, is_negated: bool | None = None, asks: bool | None = None
    ) -> dict[str, float]:
        """Return how near each owner's phrases are to a text, from 0 to 1.

        Phrases that are not negated as the text is, or do not ask as it does, count less.
        """
        dots: dict[int, float] = defaultdict(float)
        squares = 0.0
        for term in dict.fromkeys(terms(stems, self._vocabulary.ordinary)):
            lines = self._postings.get(term)
            if lines is None:
                squares += 0 if " " in term else self._unknown**2
                continue
            square = self.weights[term] ** 2
            squares += square
            for line in lines:
                dots[line] += square
        norm = sqrt(squares)
        nears = []
        for line, dot in dots.items():
            agrees = is_negated is None or is_negated == self._negated[line]
            share = 1.0 if agrees else self._denied if is_negated else self._denying
            if asks is not None and asks != self._asks[line]:
                share *= _OTHER_FORM
            nears.append((-dot / self._norms[line] / norm * share, line))
        nears.sort()
        owners: dict[str, float] = {}
        counts: dict[str, int] = {}
        for near, line in nears[:_MOST_NEAR]:
            owner = self.owners[line]
            count = counts.get(owner, 0)
            if count < len(_NEXT_PHRASES):
                owners[owner] = owners.get(owner, 0.0) - _NEXT_PHRASES[count] * near
                counts[owner] = count + 1
        return owners

    def nearest_of(self, owner: str, stems: list[str]) -> str | None:
        """Return an owner's phrase that is nearest to a text, if one shares a word with it."""
        said = set(terms(stems, self._vocabulary.ordinary))
        nears = {
            line: sum(self.weights[term] ** 2 for term in self._terms[line] if term in said)
            / (self._norms[line] or 1.0)
            for line in self._lines_of.get(owner, ())
        }
        line = max(nears, key=nears.__getitem__, default=None)
        return self.texts[line] if line is not None and nears[line] else None


def _share(term: str) -> float:
    return _PAIR_WEIGHT if " " in term else _VALUE_WEIGHT if term[0] == "_" else 1.0
