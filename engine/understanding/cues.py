"""Cues: short sequences of words that tell what a caller means, whatever else is said ("how much is …")."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from dryline.engine.understanding.words import Vocabulary

_WHERE_IS_IT = re.compile(r"\bwhere(?:'s| is| are) (?:it|they|my)\b", re.IGNORECASE)
_WHERE_ARE_YOU = re.compile(r"\bwhere (?:exactly )?(?:are|can I find) you\b(?! calling| from)", re.IGNORECASE)
_PLACES_OF_THINGS = {"track", "where_is_parcel", "parcel_where", "refund_status", "ask_robot"}
START, END = "^", "$"
_GAP, _LONGEST_GAP = None, 4
_OF_NO_WORD, _OF_A_WORD, _MOST = 0.15, 0.2, 0.9  # a cue of two words alone is weak
_DENIES_WITHIN = 3  # "I don't want to cancel" has no cue of "cancel"


class CueIndex:
    """Cues with their intents. Immutable once built, so threads share it.

    In a cue, `|` separates alternatives, `*` stands for up to four words, `^` and `$` are the ends of a clause.
    """

    def __init__(self, cues: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> None:
        self._negations = vocabulary.negations
        self._by_word: dict[str, list[tuple[int, str, tuple[frozenset[str] | None, ...]]]] = defaultdict(list)
        for number, (intent, text) in enumerate(cues):
            cue = tuple(_steps(text, vocabulary))
            rarest = max((step for step in cue if step), key=lambda step: (-len(step), max(map(len, step))))
            for word in sorted(rarest):
                self._by_word[word].append((number, intent, cue))

    def match(self, stems: Sequence[str]) -> dict[str, float]:
        """Return how clearly the cues in a clause mean their intents."""
        words = [START, *stems, END]
        candidates = {entry[0]: entry for word in dict.fromkeys(words) for entry in self._by_word.get(word, ())}
        intents: dict[str, float] = {}
        for _, intent, cue in candidates.values():
            at = next((at for at in range(len(words)) if _matches(cue, words, at)), None)
            if at is None or self._is_denied(cue, words[max(0, at - _DENIES_WITHIN) : at]):
                continue
            length = sum(step is not _GAP for step in cue)
            intents[intent] = max(intents.get(intent, 0.0), min(_MOST, _OF_NO_WORD + _OF_A_WORD * length))
        return intents

    def _is_denied(self, cue: tuple[frozenset[str] | None, ...], before: list[str]) -> bool:
        return not self._negations.isdisjoint(before) and not any(step and step & self._negations for step in cue)


def _steps(text: str, vocabulary: Vocabulary) -> Iterable[frozenset[str] | None]:
    for token in text.split():
        if token == "*":
            yield _GAP
        elif token in (START, END):
            yield frozenset({token})
        elif "|" in token:
            yield frozenset(stem for each in token.split("|") for stem in vocabulary.stems(each)[-1:])
        else:
            yield from (frozenset({stem}) for stem in vocabulary.stems(token))


def _matches(cue: tuple[frozenset[str] | None, ...], words: list[str], at: int) -> bool:
    """Return whether a cue begins at a place of the words."""
    for number, step in enumerate(cue):
        if step is _GAP:
            rest = cue[number + 1 :]
            return any(_matches(rest, words, place) for place in range(at, min(at + _LONGEST_GAP, len(words) - 1) + 1))
        if at >= len(words) or words[at] not in step:
            return False
        at += 1
    return True


def tell_places_apart(intents: dict[str, float], utterance: str) -> dict[str, float]:
    """Return the intents without those that ask for the place of something else: "where is it?", "where are you?"."""
    if _WHERE_IS_IT.search(utterance):
        return {intent: sure for intent, sure in intents.items() if intent != "ask_address"}
    if _WHERE_ARE_YOU.search(utterance):
        return {intent: sure for intent, sure in intents.items() if intent not in _PLACES_OF_THINGS}
    return intents
