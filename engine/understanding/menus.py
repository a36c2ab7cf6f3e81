"""The menu of open conditions: which of them an intent belongs to, and which words tell them apart."""

from dataclasses import dataclass, field
from functools import lru_cache

from dryline.engine.understanding.conditions import OTHER_TRADE, ConditionPart, read_condition
from dryline.engine.understanding.lexicon import Lexicon, lexicon

_CONDITIONS = 100
_FOR_CERTAIN = 0.65
_CLAIMED, _CLEARLY_NEARER = 0.4, 1.3


@dataclass(frozen=True, slots=True)
class Menu:
    """The conditions that are open, each with its parts, and which of them an intent belongs to."""

    parts: list[list[ConditionPart]]
    claims: list[dict[str, float]]
    best_claims: dict[str, float]
    distant: dict[str, tuple[int, float]]  # of intents that no condition means: the one that comes nearest
    word_weights: dict[str, float]
    divided: frozenset[str]  # intents that several conditions mean before any other: their own words decide
    trades: frozenset[str]  # the subjects of the intents that are meant for certain
    shares: dict[tuple[int, str], float] = field(default_factory=dict)  # those that were needed, for the next utterance

    def share(self, index: int, intent: str) -> float:
        """Return how much an intent belongs to a condition: fully to the one that claims it most, else little."""
        claim = self.claims[index].get(intent, 0.0)
        best = self.best_claims.get(intent, 0.0)
        if intent in self.divided:
            return claim
        return claim if claim >= best - 0.02 else claim * (0.55 if claim > 0.8 * best else 0.3)


@lru_cache(maxsize=256)
def read_menu(conditions: tuple[str, ...], language: str) -> Menu:
    """Return a menu, read once for the same conditions."""
    lexicon_ = lexicon(language)
    parts = [read_condition(condition, language) for condition in conditions[:_CONDITIONS]]
    claims: list[dict[str, float]] = []
    best: dict[str, float] = {}
    for alternatives in parts:
        merged: dict[str, float] = {}
        for part in alternatives:
            for intent, claim in part.claims.items():
                merged[intent] = max(merged.get(intent, 0.0), claim)
        claims.append(merged)
    _prefer_common_trades(claims, lexicon_)
    for merged in claims:
        for intent, claim in merged.items():
            best[intent] = max(best.get(intent, 0.0), claim)
    distant = _distant(parts, best)
    trades = frozenset(lexicon_.intents[intent].subject for intent, claim in best.items() if claim >= _FOR_CERTAIN)
    foremost = [max(merged, key=lambda intent: merged[intent]) for merged in claims if merged]
    divided = frozenset(intent for intent in foremost if foremost.count(intent) > 1)
    return Menu(parts, claims, best, distant, _word_weights(parts, lexicon_), divided, trades)


def _distant(parts: list[list[ConditionPart]], best: dict[str, float]) -> dict[str, tuple[int, float]]:
    """Return the condition that comes nearest to each intent that none means, where it is clearly the nearest one."""
    nears: dict[str, list[tuple[float, int]]] = {}
    for index, alternatives in enumerate(parts):
        of_condition: dict[str, float] = {}
        for part in alternatives:
            for intent, near in part.distant.items():
                of_condition[intent] = max(of_condition.get(intent, 0.0), near)
        for intent, near in of_condition.items():
            if best.get(intent, 0.0) < _CLAIMED:
                nears.setdefault(intent, []).append((near, index))
    result = {}
    for intent, candidates in nears.items():
        (near, index), *others = sorted(candidates, reverse=True)
        if not others or near >= _CLEARLY_NEARER * others[0][0]:
            result[intent] = (index, near)
    return result


def _prefer_common_trades(claims: list[dict[str, float]], lexicon_: Lexicon) -> None:
    """Lower the claims to intents of trades that the rest of the menu has nothing to do with."""
    support: dict[str, float] = {}
    for merged in claims:
        of_condition: dict[str, float] = {}
        for intent, claim in merged.items():
            subject = lexicon_.intents[intent].subject
            of_condition[subject] = max(of_condition.get(subject, 0.0), claim)
        for subject, claim in of_condition.items():
            support[subject] = support.get(subject, 0.0) + claim
    support["general"] = most = max(support.values(), default=0.0)
    for merged in claims:
        usual = max(
            (claim for intent, claim in merged.items() if _supports(intent, support, most, lexicon_)), default=0.0
        )
        for intent, claim in merged.items():
            is_literal = claim == 1.0  # the condition has the intent's own words
            if usual >= 0.8 * claim and not is_literal and not _supports(intent, support, most, lexicon_):
                merged[intent] = claim * OTHER_TRADE


def _supports(intent: str, support: dict[str, float], most: float, lexicon_: Lexicon) -> bool:
    return support[lexicon_.intents[intent].subject] >= 0.6 * most


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
