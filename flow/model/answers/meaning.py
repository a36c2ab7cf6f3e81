"""The meaning of an utterance where no word of it decides: one of several choices, a yes or a no."""

from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.encoder import nearest_intent, similarity

_LEAST, _LEAD = 0.25, 0.12  # cosine of the nearest choice, and its lead over the others
_LEAST_INTENT = 0.45  # cosine of the nearest intent
_AGREE, _DECLINE = ("accept", "agree", "confirm"), ("declin", "refus", "reject")  # how the names of intents begin


def nearest(utterance: Utterance, choices: list[str]) -> int | None:
    """Return the place of the choice that is nearest to an utterance by its meaning; None if none is clearly."""
    cosines = [similarity(utterance.text, choice, utterance.language) for choice in choices]
    first, second, *_ = sorted([*cosines, 0.0], reverse=True)
    return cosines.index(first) if first >= _LEAST and first - second >= _LEAD else None


def meant_answer(utterance: Utterance) -> bool | None:
    """Return the yes or no that an utterance means: "count me in"; None for neither."""
    intent, cosine = nearest_intent(utterance.text, utterance.language)
    if cosine < _LEAST_INTENT or not intent.startswith((*_AGREE, *_DECLINE)):
        return None
    return intent.startswith(_AGREE)
