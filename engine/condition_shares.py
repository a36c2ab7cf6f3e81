"""The shares of the conditions of a loop, at a point of a simulated conversation."""

import re
from collections import Counter
from collections.abc import Mapping

from dryline.engine.caller_utterances import closes, contradicts, gives_value, meets_machine
from dryline.engine.program import Condition, Loop

NEXT_IN_LOOP = 0.7  # from the first condition of a loop to the last: each so many times as usual as the one before
_TAKEN_BEFORE = 0.15
_CONTRADICTING_SHARE = 0.2  # agents mostly read back what was said
_CLOSING = 6.0
_SECOND_MATTER = 0.02  # most callers call for one thing, and at most ask a question after it
_SMALL_QUESTION = re.compile(r"\basks? (?:about|how|what|when|where|whether|which|if)\b|\bquestion", re.IGNORECASE)


def collects(loop: Loop) -> bool:
    """Return whether a loop takes the same kind of thing again and again, such as the items of an order."""
    first = loop.conditions[0]
    return not first.leaves and not first.inner and any(closes(each.text) for each in loop.conditions)


def _is_matter(condition: Condition) -> bool:
    """Return whether a condition is what a call is about, and not a question that is answered in passing."""
    return condition.leaves or bool(condition.inner) or not _SMALL_QUESTION.search(condition.text)


def usual_weights(
    loop: Loop, conditions: list[Condition], taken: list[Condition], shares: Mapping[str, float]
) -> list[float]:
    """Return how usual each of the conditions is after those that were taken; `shares` overrides it by their texts."""
    before = Counter(each.line for each in taken if each.loop is loop)
    is_served = bool(before) and not collects(loop) and any(closes(each.text) for each in conditions)
    weights = []
    for rank, condition in enumerate(conditions):
        weight = shares.get(condition.text, NEXT_IN_LOOP**rank)
        if closes(condition.text):
            usual = shares.get(condition.text, 1.0 if collects(loop) else _CLOSING)
            weight = usual if before else 0.0
        elif is_served and _is_matter(condition):
            is_repeated = condition.line in before and not gives_value(condition.text)
            weight *= 0.0 if is_repeated else _SECOND_MATTER
        elif condition.line in before and not gives_value(condition.text):
            weight *= 1 / before[condition.line] if collects(loop) and not condition.leaves else _TAKEN_BEFORE
        if contradicts(condition.text):  # at most once
            weight *= 0.0 if condition.line in before else _CONTRADICTING_SHARE
        weights.append(0.0 if meets_machine(condition.text) else weight)
    return weights
