"""The utterances of a text that a flow asks about, and the parts of them that still hold after corrections."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from dryline.flow.model.kinds import LANGUAGES, alternatives, form, language_of, pattern_of, read_values
from dryline.flow.model.number_words import to_digits

_LONGEST = 20_000  # characters of a text that are read: its end
_MOST = 40  # utterances that are read, newest first
_LONGEST_UTTERANCE = 2_000


@dataclass(frozen=True)
class Utterance:
    """Something the user said, and what the agent had said before it. `now` is the time of the conversation."""

    text: str
    question: str
    language: str
    now: datetime

    @cached_property
    def digits(self) -> str:
        """The text with numbers in words as digits."""
        return to_digits(self.text, self.language)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts between corrections, the last one first, without what was rejected."""
        return _parts(self.text, self.language)


def utterances_of(text: str, language: str, now: datetime) -> list[Utterance]:
    """Return what the user said in a transcript, newest first; of any other text its lines."""
    lines = text[-_LONGEST:].splitlines()
    if not any(line.startswith(("User: ", "Agent: ")) for line in lines):
        said = [line[:_LONGEST_UTTERANCE] for line in reversed(lines) if line.strip()]
        return [Utterance(line, "", language, now) for line in said[:_MOST]]
    waiting = {f"Agent: {read_values(each)['agent_waits']}" for each in LANGUAGES}
    utterances: list[Utterance] = []
    questions: list[str] = []
    is_answered = False
    for line in lines:
        if line.startswith("Agent: ") and line not in waiting:  # while the agent waits, its question is open
            questions = [*([] if is_answered else questions), line[7:]]
            is_answered = False
        elif line.startswith("User: "):
            is_answered = True
            said_now = " ".join(line[6 : 6 + _LONGEST_UTTERANCE].split())
            spoken = language_of(said_now, least=2, default=language)
            utterances.append(Utterance(said_now, " ".join(questions), spoken, now))
    return utterances[::-1][:_MOST]


def deflects(text: str, language: str) -> bool:
    """Return whether a text puts off or refuses an answer: "let me check", "you choose"."""
    return pattern_of("deflections", language).search(text) is not None


@lru_cache(maxsize=512)
def _parts(text: str, language: str) -> tuple[str, ...]:
    pieces = form("correction", language).split(text)
    parts = (_without_rejected(piece, language) for piece in reversed(pieces))
    return tuple(piece for piece in parts if re.search(r"\w", piece))


def _without_rejected(text: str, language: str) -> str:
    """Return a text without the values that it rejects: "not Monday, Tuesday", "Monday doesn't work"."""
    text = form("short_is").sub(" is ", form("degree").sub("not ", text))
    for name in ("rejected_before", "rejected_behind", "negated", "not_this_one"):
        text = form(name, language).sub(" ", text)
    return text.strip()


@lru_cache(maxsize=32)
def _openings(language: str, lists: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    heads, tails = alternatives("fillers", *lists, language=language), alternatives("endings", language=language)
    return (
        re.compile(rf"^[\W_]*(?:{heads})\b(?!['\u2019]\w)[\s,.;:!?\u2026-]*", re.IGNORECASE),
        re.compile(rf"(?<=[\w.,;!?'])[\s,.;:!?-]+(?:{tails})[\s.!?,]*$", re.IGNORECASE),
    )


def without_openings(text: str, language: str, *lists: str) -> str:
    """Return a text without the words that only open or close it: "well, um, … please".

    `lists` name further openings: `lead_ins` introduce a value ("I'd like …"), `action_lead_ins` add or remove a thing.
    """
    head, tail = _openings(language, lists)
    for _ in range(8):
        shorter = tail.sub("", head.sub("", text, count=1), count=1).strip()
        if shorter in ("", text):
            break
        text = shorter
    return text.strip(" \t,;:.!?\u2026")
