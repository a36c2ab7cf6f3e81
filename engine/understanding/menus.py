"""The menu of open conditions: which of them an intent belongs to, and which words tell them apart."""

from dataclasses import dataclass
from functools import lru_cache

from dryline.engine.understanding.conditions import ConditionPart, read_condition
from dryline.engine.understanding.lexicon import Lexicon, lexicon

_CONDITIONS = 100
_MEANT = 0.6  # the least claim of a condition to an intent that it means
_RELATED = 0.85  # of an intent that counts for another
_EQUAL, _NEXT, _LAST = 0.02, 0.55, 0.3  # shares of conditions that claim an intent as much as another, nearly, or less


@dataclass(frozen=True, slots=True)
class Menu:
    """The conditions that are open, each with its parts, and how much it claims each intent.

    `shares` says how much an intent belongs to a condition: fully to the one that claims it most, else little. It has
    intents that count for a claimed one, too.
    """

    parts: list[list[ConditionPart]]
    claims: list[dict[str, float]]
    shares: list[dict[str, float]]
    word_weights: dict[str, float]

    def best_claim(self, intent: str) -> float:
        """Return the claim to an intent of the condition that means it most."""
        return max((claims.get(intent, 0.0) for claims in self.claims), default=0.0)


@lru_cache(maxsize=256)
def read_menu(conditions: tuple[str, ...], language: str) -> Menu:
    """Return a menu, read once for the same conditions."""
    lexicon_ = lexicon(language)
    parts = [read_condition(condition, language) for condition in conditions[:_CONDITIONS]]
    claims: list[dict[str, float]] = []
    for alternatives in parts:
        merged: dict[str, float] = {}
        for part in alternatives:
            for intent, claim in part.claims.items():
                merged[intent] = max(merged.get(intent, 0.0), claim)
        claims.append(merged)
    return Menu(parts, claims, _shares(claims, lexicon_), _word_weights(parts, lexicon_))


def _shares(claims: list[dict[str, float]], lexicon_: Lexicon) -> list[dict[str, float]]:
    meant = {intent for merged in claims for intent, claim in merged.items() if claim >= _MEANT}
    shares = [dict(merged) for merged in claims]
    for intent in lexicon_.intents.keys() - meant:
        for other, distance in _related(intent, lexicon_).items():
            for merged, share in zip(claims, shares, strict=True):
                if other in merged:
                    share[intent] = max(share.get(intent, 0.0), distance * merged[other])
    best: dict[str, float] = {}
    for share in shares:
        for intent, claim in share.items():
            best[intent] = max(best.get(intent, 0.0), claim)
    return [
        {
            intent: claim
            if claim >= best[intent] - _EQUAL
            else claim * (_NEXT if claim > 0.8 * best[intent] else _LAST)
            for intent, claim in share.items()
        }
        for share in shares
    ]


def _related(intent: str, lexicon_: Lexicon) -> dict[str, float]:
    """Return the intents for which an intent counts too, at most two steps away."""
    reached: dict[str, float] = {}
    step = [intent]
    for distance in (_RELATED, _RELATED**2):
        step = [name for each in step if each in lexicon_.intents for name in lexicon_.intents[each].also]
        for name in step:
            reached.setdefault(name, distance)
    return reached


def _word_weights(parts: list[list[ConditionPart]], lexicon_: Lexicon) -> dict[str, float]:
    """Return how much each word tells the conditions of a menu apart."""
    owners: dict[str, set[int]] = {}
    for index, alternatives in enumerate(parts):
        for part in alternatives:
            for word in part.words:
                owners.setdefault(word, set()).add(index)
    count = len(parts)
    return {
        word: lexicon_.weight(word) * (1.0 if count == 1 else max(0.15, 1 - (len(indexes) - 1) / (count - 1)))
        for word, indexes in owners.items()
    }
