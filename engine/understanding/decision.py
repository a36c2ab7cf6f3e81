"""The condition that an utterance satisfies, how sure that is, and why."""

from dataclasses import dataclass
from math import exp

from dryline.engine.understanding.dialogue_acts import read_utterance
from dryline.engine.understanding.lexicon import lexicon
from dryline.engine.understanding.menus import read_menu
from dryline.engine.understanding.scoring import Context, Scores, score
from dryline.flow.model.kinds import language_of

LEAST_SURE = 0.64  # below, too many decisions on menus of unknown trades are wrong
_LEAST = 0.36  # a score below says that nothing fits
_MARGIN, _PROFILES_MARGIN = 0.07, 0.2  # two conditions whose scores and profiles differ less than this are a tie
_CERTAIN = 0.95  # of an intent that no condition means, when one of its phrases was said
_NEAR_ENOUGH, _NEARER = 0.4, 1.25
_OF_PROFILE = 0.8  # of the rank of a condition, beside its score
# Fitted by logistic regression to menus that were written by others.
_BIAS, _OF_VALUE, _OF_LEAD, _OF_PROFILES_LEAD, _OF_RIVAL = -0.5, 3.5, 2.16, 5.25, -3.37


@dataclass(frozen=True, slots=True)
class Understanding:
    """`index` is None where no condition is satisfied, or more than one: then `candidates` are the ones that may be."""

    index: int | None
    why: str
    sure: float
    candidates: tuple[int, ...] = ()


def understand(conditions: list[str], utterance: str, context: Context) -> Understanding:
    """Return the condition that an utterance satisfies."""
    language = language_of(f"{context.prompt} {' '.join(conditions)} {utterance}")
    menu = read_menu(tuple(conditions), language)
    heard = read_utterance(utterance, language)
    if not menu.parts or not heard.whole.stems:
        return Understanding(None, "Nothing was said that a condition could be about.", 0.0)
    return decide(conditions, score(menu, heard, context, lexicon(language)))


def decide(conditions: list[str], scores: Scores) -> Understanding:
    """Return the condition that fits best, unless it is too unsure, a tie, or surely something else was meant."""
    values = scores.values
    ranks = [value + _OF_PROFILE * alike for value, alike in zip(values, scores.alike, strict=True)]
    order = sorted(range(len(ranks)), key=lambda index: -ranks[index])
    if len(order) > 1 and _is_nearer(scores, order[1], order[0]):
        order[:2] = reversed(order[:2])
    best, *others = order
    if others and values[others[0]] >= _LEAST and _ties(scores, best, others[0]):
        either = " and ".join(repr(conditions[index]) for index in order[:2])
        return Understanding(None, f"What was said fits {either} about as well.", 0.0, tuple(sorted(order[:2])))
    is_rival_surer = scores.rival_value > values[best]
    sure = certainty(scores, best)
    is_likely = values[best] >= _LEAST or scores.alike[best] >= _PROFILES_MARGIN
    if is_likely and sure >= LEAST_SURE and not (is_rival_surer and scores.rival_value >= _CERTAIN):
        fits = f"Of the {len(order)} conditions this one fits best" if others else "The only condition fits"
        return Understanding(best, f"{fits}: {scores.reasons[best]}.", sure)
    if is_rival_surer:
        meant = (scores.rival or "").replace("_", " ")
        return Understanding(None, f"What was said is more like {meant!r}, which no condition names.", 0.0)
    if values[best] < _LEAST:
        return Understanding(None, f"No condition is like what was said. Nearest: {conditions[best]!r}.", 0.0)
    return Understanding(None, f"What was said is a little like {conditions[best]!r}, which is a guess.", 0.0)


def _ties(scores: Scores, index: int, other: int) -> bool:
    """Return whether scores, profiles and the nearest phrases all fail to tell two conditions apart."""
    scores_tie = abs(scores.values[index] - scores.values[other]) < _MARGIN
    profiles_tie = abs(scores.alike[index] - scores.alike[other]) < _PROFILES_MARGIN
    return scores_tie and profiles_tie and not _is_nearer(scores, index, other)


def _is_nearer(scores: Scores, index: int, other: int) -> bool:
    """Return whether two conditions tie, and the phrases of one are clearly nearer to what was said."""
    ties = abs(scores.values[index] - scores.values[other]) < _MARGIN
    return ties and scores.nearness[index] > max(_NEAR_ENOUGH, _NEARER * scores.nearness[other])


def certainty(scores: Scores, index: int) -> float:
    """Return how often a decision with such scores is right, as measured on menus of many trades."""
    value, alike = scores.values[index], scores.alike[index]
    lead = value - max((each for at, each in enumerate(scores.values) if at != index), default=0.0)
    profiles_lead = alike - max((each for at, each in enumerate(scores.alike) if at != index), default=0.0)
    profiles_lead = max(0.0, profiles_lead)  # a name, a number or a yes is like nothing
    evidence = _OF_VALUE * value + _OF_LEAD * lead + _OF_PROFILES_LEAD * profiles_lead + _OF_RIVAL * scores.rival_value
    return 1 / (1 + exp(-_BIAS - evidence))
