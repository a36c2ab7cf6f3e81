"""A trained vector for each text: texts that mean alike have vectors that point the same way.

The vector of a text is the sum of the rows of its features, its word stems and the pairs of neighbouring ones, with
length 1. Features that the training did not see are skipped. `tools/understanding/` trains the rows.
"""

import re
import threading
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from math import sqrt
from operator import add, mul
from pathlib import Path
from typing import Any

import orjson
import snowballstemmer

from dryline.flow.model.kinds import LANGUAGES, read_values

DIMENSIONS = 128
MAX_LENGTH = 2_000  # characters of a text that are read: its end
DATA_FILE = Path(__file__).with_name("understanding.bin")
STEMMERS = {"en": "english", "de": "german", "es": "spanish"}

Vector = Sequence[float]

_CONTRACTIONS = (
    (r"\bcan'?t\b|\bcannot\b", "can not"),
    (r"\bwon'?t\b", "will not"),
    (r"(?<=[a-z])n't\b|(?<=\b(?:did|was|had|has))nt\b|(?<=\b(?:does|have))nt\b|(?<=\b(?:is|do))nt\b", " not"),
    (r"\b(?:i'?m|im)\b", "i am"),
    (r"(?<=[a-z])'re\b", " are"),
    (r"(?<=[a-z])'ve\b", " have"),
    (r"(?<=[a-z])'ll\b", " will"),
    (r"(?<=[a-z])'d\b", " would"),
    (r"\b(it|that|what|where|there|how|who|when|here|he|she|everything)'s\b", r"\1 is"),
    (r"\b(gon|wan)na\b", r"\1 to"),
)
_NUMBER = r"\d+(?:[.,]\d+)*"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_VALUES = (
    (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[\w. ]{1,30} at [\w ]{1,20} dot (?:com|org|net|edu|de|es)\b", "_email"),
    (r"\+?\d[\d ().-]{6,18}\d\b", "_phone"),
    (r"\d{4}-\d\d-\d\d|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b", "_date"),
    (rf"[$€£] ?\d[\d.,]*k?|\b{_NUMBER} ?(?:dollars?|bucks|euros?|pounds|quid|cents?)\b", "_money"),
    (rf"\b(?:\d{{1,2}}:\d\d(?: ?[ap]\.?m\b\.?)?|{_NUMBER} ?(?:[ap]\.m\.?|[ap]m\b|uhr\b))|\bo'?clock\b", "_time"),
    (rf"\b(?:the )?{_ORDINAL}\b(?! (?:time|one|thing|person))", "_date"),
    (r"\b(?=[a-z-]*\d)(?=[\d-]*[a-z])[a-z\d]{1,12}(?:-[a-z\d]+)*\b|\b\d{5,}\b", "_code"),
    (rf"\b{_NUMBER}\b", "_number"),
)
_SLOTS = {"weekday": "day", "product": "", "service": "", "problem": "", "reason": "", "item": "", "company": ""}
_SLOTS |= {"name": "", "city": "", "address": "", "no": ""}
_SLOT = re.compile(r"\{([a-z]+)(?::[a-z_]+)?\}")
_PART = re.compile(r"_[a-z]+|[a-z]+|[.,;:!?]")
_ROLES = (
    "user|caller|customer|patient|client|person|lead|contact|guest|prospect|player|driver|member|tenant|visitor|buyer"
    "|student|carrier|employee|owner|donor|candidate|shopper|borrower|resident|subscriber|travell?er|parent|passenger"
    "|applicant|homeowner|they|he|she|somebody|someone|people|policyholder|anrufer(?:in)?|kund(?:e|in)|gast"
    "|mieter(?:in)?|cliente|usuari[oa]|paciente|persona|llamante|huesped"
)
_SUBJECT = re.compile(
    rf"^\W*(?:(?:the|a|an|if|when|once|der|die|das|el|la|un|una|ein|eine)\s+)*(?:{_ROLES})s?(?:'s?)?\s+", re.IGNORECASE
)
_COMPILED = [(re.compile(pattern), by) for pattern, by in _CONTRACTIONS]
_COMPILED += [(re.compile(pattern), f" {token} ") for pattern, token in _VALUES]


def plain(text: str) -> str:
    """Return the end of a text in lower case, without accents, with straight apostrophes."""
    text = text[-MAX_LENGTH:].replace("\u2019", "'").lower()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
        text = "".join(char for char in text if not unicodedata.combining(char))
    return text


def features(text: str, language: str = "en") -> list[str]:
    """Return the stems of a text, values as tokens such as `_day`, and the pairs of neighbouring ones, each once."""
    parts = stems(text, language)
    pairs = (f"{first} {second}" for first, second in pairwise(parts) if first and second)
    return list(dict.fromkeys((*filter(None, parts), *pairs)))


def stems(text: str, language: str = "en") -> list[str]:
    """Return the stems of a text in their order; an empty one separates what is no pair."""
    text = plain(_SLOT.sub(lambda slot: f" _{_SLOTS.get(slot[1], slot[1])} ", text) if "{" in text else text)
    for pattern, replacement in _COMPILED:
        text = pattern.sub(replacement, text)
    words = _value_words(language)
    return [words.get(part) or _stem(part, language) for part in _PART.findall(text.replace("_ ", ". "))]


@lru_cache(maxsize=20_000)
def _stem(word: str, language: str) -> str:
    if word[0] == "_":
        return word
    return str(_stemmer(language).stemWord(word)) if word[0].isalpha() else ""


@lru_cache(maxsize=len(LANGUAGES))
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(STEMMERS[language])


@lru_cache(maxsize=len(LANGUAGES))
def _value_words(language: str) -> dict[str, str]:
    """Return the words of a language that are values, with the token of their kind."""
    values = read_values(language)
    days = [*values["weekdays"], *(day for day, ahead in values["relative_days"].items() if ahead >= 0)]
    numbers = [word for word, number in values["numbers"].items() if number != 1]  # "ein", "una" and "one" are articles
    kinds = {"_number": numbers, "_month": values["months"], "_day": days}
    return {plain(word): kind for kind, words in kinds.items() for word in words if word != "may"}


class Encoder:
    """The trained rows, the intents with their mean vectors, and the fitted weights of decisions."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[:4], "big")
        header: dict[str, Any] = orjson.loads(content[4 : 4 + length])
        self.intents: list[str] = header["intents"]
        self.fitted: dict[str, Any] = header["fitted"]
        self._rows = memoryview(content)[4 + length :]
        names = [*header["features"].split("\n"), *(f"#{intent}" for intent in self.intents)]
        self._offsets = {name: index * _ROW for index, name in enumerate(names)}

    def vector(self, names: Iterable[str]) -> Vector:
        """Return the sum of the rows of features with length 1; all zeros where none of them is known."""
        total: Iterable[float] = [0.0] * DIMENSIONS
        for name in names:
            if name in self._offsets:
                total = map(add, total, self.row(name))
        return unit(array("f", total))

    def knows(self, name: str) -> bool:
        return name in self._offsets

    @lru_cache(maxsize=4_096)  # noqa: B019 - there is one encoder
    def row(self, name: str) -> Vector:
        """Return the row of a feature, or that of an intent (`#reschedule`)."""
        offset = self._offsets[name]
        scale = 2 ** ((self._rows[offset] - 128) / 8)
        return array("f", [scale * code for pair in self._rows[offset + 1 : offset + _ROW] for code in _CODES[pair]])

    @cached_property
    def intent_vectors(self) -> dict[str, Vector]:
        return {intent: unit(self.row(f"#{intent}")) for intent in self.intents}


_ROW = 1 + DIMENSIONS // 2  # bytes: the scale, and four bits for each dimension
_CODES = [((pair >> 4) - 8, (pair & 15) - 8) for pair in range(256)]
_LOADING = threading.Lock()


def unit(vector: Vector) -> Vector:
    """Return a vector with length 1, or itself if it has none."""
    length = sqrt(sum(map(mul, vector, vector)))
    return array("f", [value / length for value in vector]) if length else vector


def dot(vector: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length 1."""
    return sum(map(mul, vector, other))


def encoder() -> Encoder:
    """Return the encoder, read at the first call."""
    with _LOADING:
        return _read()


@lru_cache(maxsize=1)
def _read() -> Encoder:
    return Encoder(DATA_FILE.read_bytes())


@lru_cache(maxsize=2_048)
def vector(text: str, language: str = "en") -> Vector:
    """Return the vector of a text, of length 1; all zeros where none of its features is known."""
    return encoder().vector(features(text, language))


def similarity(text: str, other: str, language: str = "en") -> float:
    """Return the cosine of two texts: 1 for the same meaning, about 0 for unrelated ones, below 0 for unlike ones."""
    return dot(vector(text, language), vector(other, language))


@lru_cache(maxsize=2_048)
def nearest_intent(text: str, language: str = "en") -> tuple[str, float]:
    """Return the intent whose phrases and conditions are nearest to a text, with the cosine."""
    own = vector(text, language)
    near = {intent: dot(own, other) for intent, other in encoder().intent_vectors.items()}
    best = max(near, key=lambda intent: near[intent])
    return best, near[best]


def intent_similarity(text: str, intent: str, language: str = "en") -> float:
    """Return the cosine of a text and an intent of the phrases, such as "want_person"."""
    return dot(vector(text, language), encoder().intent_vectors[intent])


def without_subject(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return _SUBJECT.sub("", condition)
