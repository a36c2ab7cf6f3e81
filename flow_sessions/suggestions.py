"""Sentences that a person who talks to a flow could say next."""

from random import Random

from dryline.engine.caller_utterances import gives_value, intent_of, utter
from dryline.flow.model.understanding import Context, understand

MAX_SUGGESTIONS = 3
_ATTEMPTS = 5


def suggest(conditions: tuple[str, ...], random: Random, *, opening: bool) -> list[str]:
    """Return a sentence for each of the first open conditions, of which the engine takes that condition.

    Conditions that are met by giving a value, and those of no known intent, have none. `opening` asks for the first
    words of a conversation.
    """
    sentences: list[str] = []
    for condition in conditions:
        if intent_of(condition, conditions) is None or gives_value(condition):
            continue
        sentence = _sentence(condition, conditions, random, opening=opening)
        if sentence and sentence not in sentences:
            sentences.append(sentence)
        if len(sentences) == MAX_SUGGESTIONS:
            break
    return sentences


def _sentence(condition: str, conditions: tuple[str, ...], random: Random, *, opening: bool) -> str | None:
    avoid: set[str] = set()
    for _ in range(_ATTEMPTS):
        text = utter(condition, {}, random, opening=opening, avoid=avoid, menu=conditions)
        index = understand(list(conditions), text, Context("", "")).index
        if index is not None and conditions[index] == condition:
            return text
    return None
