"""The share of an intent in a condition of a menu, by itself or through a related one."""

from dryline.engine.understanding.lexicon import Lexicon
from dryline.engine.understanding.menus import Menu

ALWAYS_COMPETE = {"wrong_number", "small_talk", "wait_a_moment", "repeat", "thanks", "ask_robot", "confused"}
ANY_TRADE, _OTHER_TRADE = ("general", "answers"), 0.75
_RELATED = 0.85  # of an intent that counts for another
# Their wordings are like those of other questions ("where are you?", "where is it?"), their meaning is not.
_NOT_DISTANT = ALWAYS_COMPETE | {"ask_address", "ask_hours", "ask_price", "dont_know"}
_MEANT = 0.6  # the least claim of a condition to an intent that it means
_DISTANT = 0.6  # the most that an intent counts for a condition whose wording is a little like its own


def share(menu: Menu, index: int, intent: str, lexicon: Lexicon) -> float:
    """Return how much an intent belongs to a condition, by itself or through an intent for which it counts too."""
    known = menu.shares.get((index, intent))
    if known is None:
        known = menu.shares[index, intent] = _find_share(menu, index, intent, lexicon)
    return known


def _find_share(menu: Menu, index: int, intent: str, lexicon: Lexicon) -> float:
    share = menu.share(index, intent)
    if menu.best_claims.get(intent, 0.0) >= _MEANT:
        return share
    subject = lexicon.intents[intent].subject if intent in lexicon.intents else "general"
    of_trade = 1.0 if subject in ANY_TRADE or subject in menu.trades else _OTHER_TRADE
    for other, distance in related(intent, lexicon).items():
        share = max(share, of_trade * distance * menu.share(index, other))
    nearest, near = (None, 0.0) if intent in _NOT_DISTANT else menu.distant.get(intent, (None, 0.0))
    if nearest != index or _is_confused_with(intent, menu.claims[index], lexicon):
        return share
    return max(share, of_trade * min(_DISTANT, 1.5 * near))


def _is_confused_with(intent: str, claims: dict[str, float], lexicon: Lexicon) -> bool:
    """Return whether an intent is easily confused with one that a condition means: to have paid, with to pay."""
    return any(
        claim >= _MEANT and (other in lexicon.intents[intent].instead_of or intent in lexicon.intents[other].instead_of)
        for other, claim in claims.items()
        if intent in lexicon.intents
    )


def related(intent: str, lexicon: Lexicon) -> dict[str, float]:
    """Return the intents for which an intent counts too, at most two steps away."""
    reached: dict[str, float] = {}
    step = [intent]
    for distance in (_RELATED, _RELATED**2):
        step = [name for each in step if each in lexicon.intents for name in lexicon.intents[each].also]
        for name in step:
            reached.setdefault(name, distance)
    return reached
