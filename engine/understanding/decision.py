"""The condition that an utterance satisfies, how sure that is, and why."""

from dataclasses import dataclass
from math import exp

from dryline.engine.understanding.dialogue_acts import read_utterance
from dryline.engine.understanding.lexicon import lexicon
from dryline.engine.understanding.menus import read_menu
from dryline.engine.understanding.scoring import Context, Scores, score
from dryline.phrases.value_kinds import language_of

LEAST = 0.36  # a score below is a guess
LEAST_SURE = 0.62  # below, half of the decisions on menus of unknown trades are wrong
MARGIN = 0.07  # two scores nearer than this are a tie
_NEAR_ENOUGH, _NEARER, _NEARER_SECOND = 0.4, 1.25, 0.85
_BIAS, _OF_VALUE, _OF_LEAD = 1.5, 1.9, 3.6  # fitted to the menus of the tests


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
    """Return the condition with the best score, unless it is low, a tie, or worse than another intent's."""
    order = sorted(range(len(scores.values)), key=lambda index: -scores.values[index])
    if len(order) > 1 and _is_nearer(scores, order[1], order[0]):
        order[:2] = reversed(order[:2])
    best = order[0]
    value = scores.values[best]
    second = scores.values[order[1]] if len(order) > 1 else 0.0
    if value < LEAST:
        near = [repr(conditions[index]) for index in order[:2] if scores.values[index] > max(0.1, value - MARGIN)]
        nearest = f" Nearest: {' and '.join(near)}." if near else ""
        return Understanding(None, f"No condition is like what was said.{nearest}", 0.0)
    if scores.rival_value > value:
        meant = (scores.rival or "").replace("_", " ")
        return Understanding(None, f"What was said is more like {meant!r}, which no condition names.", 0.0)
    if value - second < MARGIN and not _is_nearer(scores, best, order[1]):
        either = " and ".join(repr(conditions[index]) for index in order[:2])
        return Understanding(None, f"What was said fits {either} about as well.", 0.0, tuple(sorted(order[:2])))
    if len(order) > 1 and _is_nearer(scores, best, order[1]):
        second *= _NEARER_SECOND
    sure = certainty(value, second, scores.rival_value)
    if sure < LEAST_SURE:
        return Understanding(None, f"What was said is a little like {conditions[best]!r}, which is a guess.", 0.0)
    why = f"Of the {len(scores.values)} conditions this one fits best: {scores.reasons[best]}."
    return Understanding(best, why, sure)


def _is_nearer(scores: Scores, index: int, other: int) -> bool:
    """Return whether two conditions tie, and the phrases of one are clearly nearer to what was said."""
    ties = abs(scores.values[index] - scores.values[other]) < MARGIN
    return ties and scores.nearness[index] > max(_NEAR_ENOUGH, _NEARER * scores.nearness[other])


def certainty(value: float, second: float, rival: float) -> float:
    """Return how often a decision with such scores is right, as measured on menus of many trades."""
    lead = min(value - second, 2 * (value - 0.5 * rival))
    return 1 / (1 + exp(_BIAS - _OF_VALUE * value - _OF_LEAD * lead))
