"""All that is known of a language: its vocabulary, and its intents indexed by utterances and by conditions."""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from dryline.engine.understanding.cues import CueIndex
from dryline.engine.understanding.phrase_index import PhraseIndex
from dryline.engine.understanding.profiles import Profiles
from dryline.engine.understanding.words import Vocabulary, terms
from dryline.phrases import Intent, load

# Verbs in a condition that deny: "declines the offer".
NEGATION = re.compile(r"\b(?:not|no|never|without|cannot|unable|nothing|nobody|refus\w+|declin\w+|reject\w+)\b|n't\b")
_SYNONYM = 0.75  # of a word that was said by another one that means the same
_OF_AUTHOR = 2  # times that a word of a condition counts in a profile, where one of a caller counts once
_BUILDING = threading.Lock()


class Lexicon:
    """Immutable once built, so threads share it."""

    def __init__(self, language: str) -> None:
        self.vocabulary = Vocabulary(language)
        self.intents: dict[str, Intent] = dict(load("en").intents)
        foreign = load(language).intents if language != "en" else {}
        for name, intent in foreign.items():
            self.intents.setdefault(name, intent)
        both = [*load("en").intents.values(), *foreign.values()]
        self.utterances = PhraseIndex(_utterances(both), self.vocabulary)
        self.conditions = PhraseIndex(_conditions(both), self.vocabulary, negation=NEGATION, opposite=(0.5, 0.5))
        self.profiles = Profiles(self._topics, self.vocabulary.ordinary | self.vocabulary.negations)
        self.cues = CueIndex(((intent.name, cue) for intent in both for cue in intent.cues), self.vocabulary)

    def _topics(self) -> Iterable[Counter[str]]:
        """Return the terms of each intent and of each word with its synonyms, with the number of times."""
        for intent in self.intents:
            topic = Counter(self.utterances.terms_of(intent))
            for term in self.conditions.terms_of(intent):
                topic[term] += _OF_AUTHOR
            yield topic
        for word, others in self.vocabulary.synonyms.items():
            topic = Counter({word: _OF_AUTHOR})
            for other in others:
                topic.update(terms(other.split(), self.vocabulary.ordinary))
            yield topic

    def weight(self, word: str) -> float:
        """Return how telling a word is. One that no phrase has is as telling as a rare one."""
        known = self.utterances.weights.get(word) or self.conditions.weights.get(word)
        return min(known or 5.0, 5.0)

    def coverage(self, words: tuple[str, ...], stems: tuple[str, ...], weights: dict[str, float]) -> float:
        """Return the share of the words that is among the stems, itself or by a synonym."""
        total = sum(weights.get(word, 1.0) for word in words)
        if not total:
            return 0.0
        text = f" {' '.join(stems)} "
        covered = 0.0
        for word in words:
            if word in stems:
                covered += weights.get(word, 1.0)
            elif any(f" {other} " in text for other in self.vocabulary.synonyms.get(word, ()) if other not in words):
                covered += _SYNONYM * weights.get(word, 1.0)
        return covered / total


def _utterances(intents: list[Intent]) -> Iterator[tuple[str, str]]:
    for intent in intents:
        for text in (*intent.says, *intent.opens):
            yield intent.name, text


def _conditions(intents: list[Intent]) -> Iterator[tuple[str, str]]:
    for intent in intents:
        for text in intent.conditions:
            yield intent.name, text


def lexicon(language: str) -> Lexicon:
    """Return a language's lexicon, built at the first call."""
    with _BUILDING:
        return _build(language)


def build_soon(language: str) -> None:
    """Build a language's lexicon in the background, so that a caller's first sentence need not wait a second for it."""
    if not _build.cache_info().currsize:
        threading.Thread(target=lexicon, args=(language,), name="phrases", daemon=True).start()


@lru_cache(maxsize=3)
def _build(language: str) -> Lexicon:
    return Lexicon(language)
