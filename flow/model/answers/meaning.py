"""The meaning of an utterance where no word of it decides: one of several choices, a yes or a no."""

from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.understanding import Context, understand


def nearest(utterance: Utterance, choices: list[str]) -> int | None:
    """Return the place of the choice that an utterance means; None if none is clearly meant."""
    conditions = [f"caller asks about {choice}" for choice in choices]
    return understand(conditions, utterance.text, Context(utterance.question, "")).index


def meant_answer(utterance: Utterance) -> bool | None:
    """Return the yes or no that an utterance means: "count me in"; None for neither."""
    index = understand(["caller agrees", "caller declines"], utterance.text, Context(utterance.question, "")).index
    return None if index is None else index == 0
