"""Scripts: the turns of a conversation, with slots. They are in `flow/phrases/en/scripts/`.

A line of a script is one turn: `A` the agent, `U` the caller, `T` a function that the engine calls. Texts behind ` | `
say the same in other words. Neighbouring lines that begin with `?` are one exchange, which half of the conversations
have. Two kinds of lines are not said:

    = booked done    the milestones of the turn behind it; `done` means that the matter is settled
    S {name} asked…  the summary from here on

The analysis of a conversation uses the lines that were said before it broke off. A slot `{phone_said}` is the fact
`phone` as people say it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from dryline.flow import phrases
from dryline.storage.files import matching, read, read_json

_SCRIPTS = Path(phrases.__file__).parent / "en" / "scripts"
_SLOT = re.compile(r"{(\w+?)(?:_said)?}")
_HEADER = re.compile(r"\[(?P<name>\w+)\] (?P<intent>\w+): (?P<until>.+)\n")

# One line in one wording: its kind, the text, and the facts in it; for `=` the milestones.
Step = tuple[str, str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Script:
    """One business conversation."""

    name: str
    intent: str
    until: str  # the condition of the flow that ends it
    blocks: tuple[tuple[bool, tuple[tuple[Step, ...], ...]], ...]  # optional or not, and lines in all their wordings

    def lines(self, rng: Random) -> list[Step]:
        """Return the script in one of its wordings."""
        random = rng.random
        steps = []
        for optional, lines in self.blocks:
            if optional and random() < 0.5:
                continue
            for wordings in lines:
                steps.append(wordings[0] if len(wordings) == 1 else wordings[int(random() * len(wordings))])
        return steps


@lru_cache(maxsize=64)
def load_script(name: str, number_name: str = "", number_slot: str = "") -> Script:
    """Return a script. Its `<number name>` and `<number>` are replaced: "your order number", and the slot of that."""
    header, text = _texts()[name]
    text = text.replace("<number name>", number_name).replace("<number>", f"{{{number_slot}}}")
    return parse_script(header["name"], header["intent"], header["until"], text)


@lru_cache(maxsize=1)
def load_facts() -> dict[str, Any]:
    """Return the products, problems, complaints and so on that fill the slots of scripts, read at the first use.

    Problems and complaints have two forms: `said` by people, and `named` in a summary.
    """
    return read_json(_SCRIPTS / "facts.json")


@lru_cache(maxsize=1)
def _texts() -> dict[str, tuple[re.Match[str], str]]:
    """Return the header and the lines of each script, read at the first use."""
    texts = {}
    for path in matching(_SCRIPTS, "*.txt"):
        content = re.sub(r"^#.*\n", "", read(path).decode(), flags=re.MULTILINE)
        headers = list(_HEADER.finditer(content))
        ends = [header.start() for header in headers[1:]] + [len(content)]
        for header, end in zip(headers, ends, strict=True):
            texts[header["name"]] = header, content[header.end() : end]
    return texts


def parse_script(name: str, intent: str, until: str, text: str) -> Script:
    """Parse a script."""
    blocks: list[tuple[bool, list[tuple[Step, ...]]]] = []
    for line in text.strip().splitlines():
        line = line.strip()
        optional = line.startswith("?")
        who, _, said = line.removeprefix("?").strip().partition(" ")
        if not blocks or blocks[-1][0] != optional:
            blocks.append((optional, []))
        blocks[-1][1].append(wordings(who, said))
    return Script(name, intent, until, tuple((optional, tuple(lines)) for optional, lines in blocks))


def wordings(who: str, text: str) -> tuple[Step, ...]:
    """Parse the wordings of a line."""
    if who == "=":
        return ((who, "", frozenset(text.split())),)
    return tuple((who, part, frozenset(_SLOT.findall(part))) for part in map(str.strip, text.split(" | ")))


def broken_off(lines: Sequence[Step], who: str, rng: Random) -> Sequence[Step]:
    """Return the lines up to a random turn of `who`, after the caller's first words and before the milestone `done`."""
    end = next((index for index, line in enumerate(lines) if line[0] == "=" and "done" in line[2]), len(lines))
    said = [index for index in range(end) if lines[index][0] in "AU"]
    first = next((index for index in said if lines[index][0] == "U"), 0)
    choices = [index for index in said if index >= first and lines[index][0] == who] or said[-1:]
    return upto(lines, choices[int(rng.random() * len(choices))])


def upto(lines: Sequence[Step], last: int) -> Sequence[Step]:
    """Return the lines up to the turn at `last`, with the summary that follows it."""
    last += 1
    while last < len(lines) and lines[last][0] == "S":
        last += 1
    return lines[:last]
