"""The utterances of a text that a flow asks about, and the parts of them that still hold after corrections."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dryline.flow.model.kinds import LANGUAGES, alternatives, language_of, pattern_of, read_values
from dryline.flow.model.number_words import to_digits

_LONGEST = 20_000  # characters of a text that are read: its end
_MOST = 40  # utterances that are read, newest first
_LONGEST_UTTERANCE = 2_000
_SPELLING_WORD = re.compile(
    r"(?<![\w'])(?!i\b|a\b|I\b)([A-Za-z])\s+(?:as in|like|for)\s+[A-Za-z]+\b|\b([AaIi]) as in \w+\b"
)
_PAUSE = r"[,.;:!?\u2013\u2014-]"
_DEGREE = re.compile(r"\bnot (?:very|so|super|that|really|particularly|too|all that) (?=\w)", re.IGNORECASE)

_IS_REJECTED = re.compile(r"['\u2019]s (?=(?:no good|not|out|bad|full|too|taken|wrong|impossible)\b)", re.IGNORECASE)
_REJECTED_BEFORE = re.compile(r"(?:(?<=[,.;])|^)[^,.;]+\b(?:no|nicht)\s*(?=,)", re.IGNORECASE)


@dataclass(frozen=True)
class Utterance:
    """Something the user said, and what the agent had said before it."""

    text: str
    question: str
    language: str

    @cached_property
    def digits(self) -> str:
        """The text with numbers in words as digits."""
        return to_digits(self.text, self.language)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts between corrections, the last one first, without what was rejected."""
        return _parts(self.text, self.language)

    @property
    def deflects(self) -> bool:
        return deflects(self.text, self.language)


def utterances_of(text: str, language: str) -> list[Utterance]:
    """Return what the user said in a transcript, newest first; of any other text its lines."""
    lines = text[-_LONGEST:].splitlines()
    if not any(line.startswith(("User: ", "Agent: ")) for line in lines):
        return [Utterance(line[:_LONGEST_UTTERANCE], "", language) for line in reversed(lines) if line.strip()][:_MOST]
    waiting = {read_values(each)["agent_waits"] for each in LANGUAGES}
    utterances: list[Utterance] = []
    question, speaker = "", ""
    for line in lines:
        if line.removeprefix("Agent: ") in waiting:
            continue  # the question before it is still open
        if line.startswith("Agent: "):
            question = line[7:] if speaker != "Agent" else f"{question} {line[7:]}"
            speaker = "Agent"
        elif line.startswith("User: "):
            speaker = "User"
            said = " ".join(line[6 : 6 + _LONGEST_UTTERANCE].split())
            utterances.append(Utterance(said, question, language_of(said, least=2, default=language)))
    return utterances[::-1][:_MOST]


def without_spelling_words(text: str) -> str:
    """Return a text with "Q" for "Q as in queen"."""
    return _SPELLING_WORD.sub(lambda match: match[1] or match[2], text)


def deflects(text: str, language: str) -> bool:
    """Return whether a text puts off or refuses an answer: "let me check", "you choose"."""
    return pattern_of("deflections", language).search(text) is not None


@lru_cache(maxsize=512)
def _parts(text: str, language: str) -> tuple[str, ...]:
    pieces = [piece for piece in _corrections(language).split(text) if re.search(r"\w", piece)]
    parts = (without_rejected(piece, language) for piece in reversed(pieces))
    return tuple(piece for piece in parts if re.search(r"\w", piece))


@lru_cache(maxsize=len(LANGUAGES))
def _corrections(language: str) -> re.Pattern[str]:
    table = read_values(language)
    phrases = sorted((each for each in table["corrections"] if each not in ("no", "nein")), key=len, reverse=True)
    words = "|".join(re.escape(phrase).replace(r"\ ", r",?\s+") for phrase in phrases)
    values = "|".join([*table["weekdays"], *table["numbers"]])
    no = rf"(?<=\w){_PAUSE}\s*(?:no|nope|nein)\s*(?:,\s*|\s+(?=(?:i|it's|the|at|on|\d+|{values})\b))"
    return re.compile(rf"{no}|(?<=\w), say |\b(?:{words})\b(?! than\b){_PAUSE}?", re.IGNORECASE)


@lru_cache(maxsize=len(LANGUAGES))
def _rejections(language: str) -> tuple[re.Pattern[str], ...]:
    heads, tails = alternatives("rejections_before", language), alternatives("rejections", language)
    negation = {"en": "not", "de": "nicht", "es": "no"}[language]
    sources = (
        rf"(?:(?<=[,.;])|^)[^,.;]*?\b(?:{tails})\b[^,.;]*?(?=[,.;]|\b(?:but|so|then|aber|pero)\b|$)",
        rf"\b(?:{heads}|any (?:day|time)\b[^,.;]*\bbut)\b[^,.;]*",
        rf"\b{negation}\s+(?!sure\b|really\b|at all\b|a problem\b)"
        r"(?:[^,.;]*?(?=[,;]|\.\s|\bbut\b|\bsondern\b|\bsino\b)|(?:the |on |at |a |am |el )?[\w:]+)",
    )
    return tuple(re.compile(source, re.IGNORECASE) for source in sources)


def without_degree(text: str) -> str:
    """Return a text with "not urgent" for "not that urgent"."""
    return _DEGREE.sub("not ", text)


def without_rejected(text: str, language: str) -> str:
    """Return a text without the values that it rejects: "not Monday, Tuesday", "Monday doesn't work"."""
    text = _IS_REJECTED.sub(" is ", without_degree(text))
    if language != "en":  # "el lunes no, el martes"
        text = _REJECTED_BEFORE.sub(" ", text)
    for pattern in _rejections(language):
        text = pattern.sub(" ", text)
    return text.strip()


@lru_cache(maxsize=len(LANGUAGES))
def _fillers(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    heads, tails = alternatives("fillers", language), alternatives("endings", language)
    return (
        re.compile(rf"^[\W_]*(?:{heads})\b(?!['\u2019]\w)[\s,.;:!?\u2026-]*", re.IGNORECASE),
        re.compile(rf"(?<=[\w.,;!?'])[\s,.;:!?-]+(?:{tails})[\s.!?,]*$", re.IGNORECASE),
    )


def without_fillers(text: str, language: str) -> str:
    """Return a text without the words that only open or close it: "well, um, … please"."""
    head, tail = _fillers(language)
    for _ in range(6):
        shorter = tail.sub("", head.sub("", text, count=1), count=1).strip()
        if shorter == text or not shorter:
            break
        text = shorter
    return text.strip(" \t,;:.!?\u2026")


@lru_cache(maxsize=2 * len(LANGUAGES))
def _lead_ins(language: str, with_actions: bool) -> re.Pattern[str]:
    table = read_values(language)
    phrases = [*table["lead_ins"], *(table.get("action_lead_ins", ()) if with_actions else ())]
    words = "|".join(re.escape(phrase).replace("'", "['\u2019]") for phrase in sorted(phrases, key=len, reverse=True))
    return re.compile(rf"^\W*(?:{words})\b(?!['\u2019])[\s,:]*", re.IGNORECASE)


def without_lead_in(text: str, language: str, *, with_actions: bool = False) -> str:
    """Return a text without the words that introduce a value: "I'd like …", "it's about …".

    `with_actions` takes away those that add or remove a thing as well: "remove the …".
    """
    for _ in range(4):
        shorter = without_fillers(_lead_ins(language, with_actions).sub("", text, count=1), language)
        if shorter == text or not shorter:
            break
        text = shorter
    return text
