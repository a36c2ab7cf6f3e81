"""The utterances of a text that a flow asks about, newest first, and the parts of them that still hold."""

import re
from dataclasses import dataclass
from functools import cached_property

SORRY = "Sorry, I didn't get that."  # before a question that the agent asks again because it understood nothing

_LONGEST = 20_000  # characters of a text that are read: its end
_MOST = 40  # utterances that are read, newest first
_LONGEST_UTTERANCE = 2_000

# Words with which speakers correct what they have just said: "Tuesday, no, Thursday".
_CORRECTION = re.compile(
    r"(?<=\w)[,.;:!?\u2013\u2014-]\s?(?:no|nope),\s"
    r"|\b(?:no wait|wait,? no|(?<![a-z] )wait,|i mean|i meant|actually|make that|make it|or rather"
    r"|scratch that|correction|sorry"
    r"|let's make it|change that to|strike that|excuse me|on second thought)\b,?(?! than\b)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"(?<=[,.;!?])\s+|\bbut\b", re.IGNORECASE)
_REJECTS = re.compile(
    r"\b(?:(?:doesn't|does not|won't|will not|don't|do not|didn't) (?:work|suit|fit)|no longer works"
    r"|(?:is|are|'s) (?:not (?:good|possible|right)|no good|impossible|full|out|bad|taken|wrong|too (?:early"
    r"|late|much))"
    r"|isn't (?:good|possible|right|mine)|can't|cannot|can not|i'm busy|used to be)\b",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"(?<!why )\b(?:not (?:on |at |the |a |an )?|(?:instead of|rather than|anything but|any (?:day|time) but"
    r"|except|other than) (?:on |at |the )?)"
    r"[\w:]+(?: one\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Utterance:
    """Something the user said. `question` is what the agent had said before it, `index` is that of its line."""

    text: str
    question: str
    index: int

    @cached_property
    def parts(self) -> list[str]:
        """The parts between corrections, the last one first, without what was rejected."""
        parts = (_without_rejected(part) for part in reversed(_CORRECTION.split(self.text)))
        return [part for part in parts if re.search(r"\w", part)]


def utterances_of(text: str) -> list[Utterance]:
    """Return what the user said in a transcript, newest first; of any other text its lines."""
    lines = lines_of(text)
    if not any(line.startswith(("User: ", "Agent: ")) for line in lines):
        said = [line[:_LONGEST_UTTERANCE] for line in lines if line.strip()]
        return [Utterance(line, "", index) for index, line in enumerate(said)][: -_MOST - 1 : -1]
    utterances: list[Utterance] = []
    question = ""
    is_answered = False
    for index, line in enumerate(lines):
        if line.startswith("Agent: "):
            question = line[7:] if is_answered or not question else f"{question} {line[7:]}"
            is_answered = False
        elif line.startswith("User: "):
            is_answered = True
            said_now = " ".join(line[6 : 6 + _LONGEST_UTTERANCE].split())
            utterances.append(Utterance(said_now, question, index))
    return utterances[: -_MOST - 1 : -1]


def lines_of(text: str) -> list[str]:
    """Return the lines of the end of a text, which are those that are read."""
    return text[-_LONGEST:].splitlines()


def _without_rejected(text: str) -> str:
    """Return a text without the values that it rejects: "not Monday, Tuesday", "Monday doesn't work"."""
    text = _REJECTED.sub(" ", text.replace("\u2019", "'"))
    return " ".join(clause for clause in _CLAUSE_END.split(text) if not _REJECTS.search(clause))
