"""The form that scripts are written in: who says what, with slots for what differs from call to call.

A line of a script is one turn: `A` the agent, `U` the caller, `T` a function that the engine calls. Texts behind ` | `
say the same in other words. Lines marked `?` that stand together are one exchange that happens in about half of the
conversations. Two kinds of lines are not said:

    = booked done    what the turn behind it brings about; `done` ends what the conversation was about
    S {name} asked…  what a summary says from here on

So whatever is found out about a conversation comes from the lines that were really said, wherever it broke off.
A slot `{phone_said}` is the fact `phone` as people say it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

_SLOT = re.compile(r"{(\w+?)(?:_said)?}")
_KINDS = frozenset("AUTS=")

# One line in one wording: who, the text, and the facts that it tells; with `=` what is reached.
Step = tuple[str, str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Script:
    """One business conversation."""

    name: str
    intent: str
    until: str  # the condition of the flow that ends it
    blocks: tuple[tuple[bool, tuple[tuple[Step, ...], ...]], ...]  # optional or not, and lines in all their wordings

    def lines(self, rng: Random) -> list[Step]:
        """One wording of it."""
        random = rng.random
        found = []
        for optional, lines in self.blocks:
            if optional and random() < 0.5:
                continue
            for wordings in lines:
                found.append(wordings[0] if len(wordings) == 1 else wordings[int(random() * len(wordings))])
        return found


def script(name: str, intent: str, until: str, text: str) -> Script:
    """A script from its text. Raises ValueError for a line of no kind."""
    blocks: list[tuple[bool, list[tuple[Step, ...]]]] = []
    for line in text.strip().splitlines():
        line = line.strip()
        optional = line.startswith("?")
        who, _, said = line.removeprefix("?").strip().partition(" ")
        if who not in _KINDS or not said:
            raise ValueError(f"Not a line of a script: {line}")
        if not blocks or blocks[-1][0] != optional:
            blocks.append((optional, []))
        blocks[-1][1].append(wordings(who, said))
    return Script(name, intent, until, tuple((optional, tuple(lines)) for optional, lines in blocks))


def wordings(who: str, text: str) -> tuple[Step, ...]:
    """A line in all its wordings."""
    if who == "=":
        return ((who, "", frozenset(text.split())),)
    return tuple((who, part, frozenset(_SLOT.findall(part))) for part in map(str.strip, text.split(" | ")))


def broken_off(lines: Sequence[Step], who: str, rng: Random) -> Sequence[Step]:
    """The lines up to one of `who`, behind the caller's first words and before the conversation is done."""
    end = next((index for index, line in enumerate(lines) if line[0] == "=" and "done" in line[2]), len(lines))
    said = [index for index in range(end) if lines[index][0] in "AU"]
    first = next((index for index in said if lines[index][0] == "U"), 0)
    choices = [index for index in said if index >= first and lines[index][0] == who] or said[-1:]
    return upto(lines, choices[int(rng.random() * len(choices))])


def upto(lines: Sequence[Step], last: int) -> Sequence[Step]:
    """The lines up to the turn at `last`, with what a summary says then."""
    last += 1
    while last < len(lines) and lines[last][0] == "S":
        last += 1
    return lines[:last]
