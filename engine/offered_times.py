"""One of several times that the agent has offered, as people choose it: "half past three", "the ten o'clock"."""

import re
from collections.abc import Sequence
from typing import Any

from dryline.engine.choice_values import find_choice
from dryline.engine.spoken_turns import leaves_choice
from dryline.engine.time_values import find_times

_BARE = 4  # words at most around a number that is an hour


def find_offered_time(text: str, choices: Sequence[Any]) -> Any | None:
    """Return the choice that a text in digits means; None if the choices are no times.

    Who leaves the choice to the agent gets the first one.
    """
    offered = [find_times(str(choice)) for choice in choices]
    if any(len(times) != 1 for times in offered):
        return None
    if leaves_choice(text):
        return choices[0]
    hours = [(times[0].hour % 12, times[0].minute, times[0].half) for times in offered]
    text = re.sub(r"\b(\d{1,2})\.([0-5]\d)\b", r"\1:\2", text)
    if said := find_times(text)[-1:]:
        hour, minute, half = said[0].hour % 12, said[0].minute, said[0].half
        named = [at for at, each in enumerate(hours) if each[:2] == (hour, minute) and half in (None, each[2])]
    elif (choice := find_choice(text, choices)) is not None:
        return choice
    else:
        numbers = re.findall(r"\b\d{1,2}\b" if len(text.split()) <= _BARE else r"\b(\d{1,2})\W*$", text)
        named = [at for at, each in enumerate(hours) if each[0] in [int(number) % 12 for number in numbers[-1:]]]
    return choices[named[0]] if len(named) == 1 else None
