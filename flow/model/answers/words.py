"""The caller's own words, for a value of no other kind."""

import re
from functools import cache
from pathlib import Path
from random import Random

from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot
from dryline.storage.files import read_json


class Words(ValueKind):
    """The words of the caller, without the courtesies before and behind it: "It's …", "My … is …", "… please".

    A text that has nothing else, or says that the caller does not know, is none. A simulated caller has a value of
    `words.json`: of the list that has the example, else of the one that has the member's name.
    """

    name = "words"
    question = ""  # it would be built from the member's name
    sentences = ("{value}.", "It's {value}.")

    before = re.compile(
        r"^\W*(?:(?:(?:hi|hello|hey|yes|yeah|sure|well|um|uh|er|hm+|okay|ok|oh|so|please|thanks|thank you"
        r"|right|of course"
        r"|good (?:morning|afternoon|evening|day)|hi there|hello there|let me see)\b(?!')[\s,.!;:\u2026-]*)"
        r"|(?:it's|it is|that's|that is|that would be|it would be|this is|it was)\s"
        r"|(?:my|the|our) [\w'-]{1,20}(?: [\w'-]{1,20})? (?:is|was)\s(?!on |at |in |not |out |of ))",
        re.IGNORECASE,
    )
    behind = re.compile(
        r"(?<![\s,])(?:[\s,]{1,5}(?:please|thanks|thank you|if you can|if possible|i think|i guess))[\s.!]*$",
        re.IGNORECASE,
    )
    says_nothing = re.compile(
        r"\W*(?:(?:i (?:really )?)?(?:don't|do not) (?:know|remember)|not sure|i'm not sure|no idea|no|nope"
        r"|yes|yeah|ok|okay|sure"
        r"|right|how are you(?: today)?|goodbye|bye|one moment|just a (?:moment|second|minute)|hold on|what"
        r"|pardon|sorry|there)?\W*",
        re.IGNORECASE,
    )

    CASES = (
        ("It's a spaniel.", "cat", "a spaniel"),
        ("my dishwasher won't drain", "leak", "my dishwasher won't drain"),
        ("Hello, my parcel never arrived", "late delivery", "my parcel never arrived"),
        ("The problem is that it leaks", "leak", "that it leaks"),
        ("my address is 17 Rosewood Court", "1 Main St", "17 Rosewood Court"),
        ("that would be Ironbridge Steel", "Acme", "Ironbridge Steel"),
        ("two burgers and a coke, please", "tacos", "two burgers and a coke"),
        ("um, well, the kitchen", "bathroom", "the kitchen"),
        ("hi", "leak", None),
        ("good morning!", "leak", None),
        ("I don't know", "leak", None),
        ("um, no idea", "leak", None),
        ("yes, please", "leak", None),
        ("...", "leak", None),
    )

    _most_courtesies = 8

    def read(self, said: str, context: Slot) -> str | None:
        text = said.strip()
        for _ in range(self._most_courtesies):
            shorter = self.behind.sub("", self.before.sub("", text, count=1), count=1)
            if shorter == text:
                break
            text = shorter
        text = text.strip(" \t,;:.!?\u2026")
        return None if self.says_nothing.fullmatch(text) else text

    def make(self, random: Random, context: Slot) -> str:
        example = context.example_text
        values = next((each for lists in _lists().values() for each in lists if example in each), None)
        if values is None and not example:
            label = context.label
            values = next(
                (lists[0] for ends, lists in _lists().items() if label.endswith(tuple(ends.split(", ")))), None
            )
        return random.choice(values) if values else example or "not said"

    def say(self, value: object) -> str:
        return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


@cache
def _lists() -> dict[str, list[list[str]]]:
    """Return lists of values, by the ends of the members' names that they are for."""
    return read_json(Path(__file__).with_name("words.json"))
