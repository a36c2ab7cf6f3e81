"""A trained vector for each text: texts that mean alike have vectors that point the same way.

The vector of a text is the sum of the rows of its features, its word stems and the pairs of neighbouring ones, with
length 1. Features that the training did not see are skipped. `tools/understanding/` trains the rows.
"""

import re
import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from math import expm1, sqrt
from operator import add, mul
from pathlib import Path
from typing import Any

import orjson
import snowballstemmer

from dryline.flow.model.answers.date import MONTHS
from dryline.flow.model.answers.kind import Span
from dryline.flow.model.answers.number import MONEY
from dryline.flow.model.kinds import CODE, DATE, EMAIL, NUMBER, PHONE, TIME
from dryline.flow.model.number_words import to_digits
from dryline.storage.files import read

DIMENSIONS = 128
TEMPERATURE = 0.1  # of the training: cosines with intents divided by it are the logarithms of shares
DATA_FILE = Path(__file__).with_name("understanding.bin")

Vector = Sequence[float]

LONGEST = 2_000  # characters of a text that are read: its end
_PART = re.compile(r"_[a-z]+|[a-z]+|[.,;:!?]")
_DIGITS = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_VALUE_WORDS = {name: "_month" for name in MONTHS if name != "may"}

PEOPLE = (  # whom a condition can be about; also in the plural
    *("user", "caller", "customer", "patient", "client", "person", "lead", "contact", "guest", "prospect", "player"),
    *(
        "driver",
        "member",
        "tenant",
        "visitor",
        "buyer",
        "student",
        "carrier",
        "employee",
        "owner",
        "donor",
        "candidate",
    ),
    *("shopper", "borrower", "resident", "subscriber", "traveler", "traveller", "parent", "passenger", "applicant"),
    *("homeowner", "policyholder"),
)
_PEOPLE = rf"(?:(?:{'|'.join(PEOPLE)})s?|they|he|she|somebody|someone|people)"
_SUBJECT = re.compile(rf"^\W*(?:(?:the|an?|if|when|once)\s+)*{_PEOPLE}\b(?:'s?)?\s+", re.IGNORECASE)
OF_USER = re.compile(rf"\bthe {_PEOPLE}\b(['\u2019]s\b)?", re.IGNORECASE)
_ALTERNATIVE_END = re.compile(r"[,;/]|\bor\b")

_REWRITTEN = (  # slots of phrases as the tokens of their values, and contractions in full
    (re.compile(r"\{weekday(?::[a-z_]+)?\}"), " _day "),
    (re.compile(r"\{(day|month|email|phone|date|money|time|code|number)(?::[a-z_]+)?\}"), r" _\1 "),
    (re.compile(r"\{[a-z]+(?::[a-z_]+)?\}"), " . "),
    (re.compile(r"\bcan'?t\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should|need)n'?t\b"), r"\1 not"),
    (re.compile(r"\b(?:i'?m|im)\b"), "i am"),
    (re.compile(r"(?<=[a-z])'re\b"), " are"),
    (re.compile(r"(?<=[a-z])'ve\b"), " have"),
    (re.compile(r"(?<=[a-z])'ll\b"), " will"),
    (re.compile(r"(?<=[a-z])'d\b"), " would"),
    (re.compile(r"\b(it|that|what|where|there|how|who|when|here|he|she|everything)'s\b"), r"\1 is"),
    (re.compile(r"\b(gon|wan)na\b"), r"\1 to"),
)
_ROW = 1 + DIMENSIONS // 2  # bytes: the scale in eighths of a power of two, and four bits for each dimension
_CODES = [((pair >> 4) - 8, (pair & 15) - 8) for pair in range(256)]
_HALF, _ONE = 1 << 31, 4_096  # in the products of a vector with all intents


def plain(text: str) -> str:
    """Return the end of a text in lower case, without accents, with straight apostrophes."""
    text = text[-LONGEST:].replace("\u2019", "'").lower().replace("ß", "ss")
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def without_subject(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return _SUBJECT.sub("", condition)


def alternatives(condition: str) -> list[str]:
    """Return the parts of a condition of which one is enough: "is early, or has no time" has two."""
    return [part for part in _ALTERNATIVE_END.split(condition) if part.strip()]


def features(text: str) -> list[str]:
    """Return the stems of a text, values as tokens such as `_day`, and the pairs of neighbouring ones, each once."""
    parts = stems(text)
    pairs = (f"{first} {second}" for first, second in pairwise(parts) if first and second)
    return list(dict.fromkeys((*filter(None, parts), *pairs)))


def stems(text: str) -> list[str]:
    """Return the stems of a text in their order; an empty one separates neighbours that are no pair."""
    text = plain(text)
    for pattern, replacement in _REWRITTEN:
        text = pattern.sub(replacement, text)
    return [_VALUE_WORDS.get(part) or _stem(part) for part in _PART.findall(with_tokens(text))]


def with_tokens(text: str) -> str:
    """Return a text with a token in place of each value, such as `_day`: the kinds of values find them."""
    text = to_digits(text)
    for find in (_find_emails, _find_phones, _find_money, _find_dates, _find_times, _find_codes):
        text = _replaced(text, find(text))
    return _DIGITS.sub(" _number ", text)


def _find_emails(text: str) -> list[tuple[Span, str]]:
    return [(span, "_email") for span in EMAIL.find(text)]


def _find_phones(text: str) -> list[tuple[Span, str]]:
    return [(each.span, "_phone") for each in PHONE.find(text)]


def _find_money(text: str) -> list[tuple[Span, str]]:
    return [(each.span, "_money") for each in NUMBER.find(text) if each.unit == MONEY]


def _find_dates(text: str) -> list[tuple[Span, str]]:
    return [(each.span, "_date" if each.day is not None else "_day") for each in DATE.find(text)]


def _find_times(text: str) -> list[tuple[Span, str]]:
    return [(each.span, "_time") for each in TIME.find(text) if each.is_sure]


def _find_codes(text: str) -> list[tuple[Span, str]]:
    return [(span, "_code") for span in CODE.find(text)]


def _replaced(text: str, tokens: list[tuple[Span, str]]) -> str:
    """Return a text with tokens in place of spans, which do not overlap."""
    pieces, position = [], 0
    for (start, end), token in sorted(tokens):
        if start >= position:
            pieces += [text[position:start], f" {token} "]
            position = end
    return "".join((*pieces, text[position:]))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    if not word[0].isalpha():
        return word if word[0] == "_" else ""

    # A new one each time: a stemmer keeps the word that it is at, so threads cannot share it.
    return str(snowballstemmer.stemmer("english").stemWord(word))


class Encoder:
    """The trained rows, the vectors of the intents, and the fitted weights of decisions."""

    def __init__(self, content: bytes) -> None:
        length = 4 + int.from_bytes(content[:4], "big")
        header: dict[str, Any] = orjson.loads(content[4:length])
        self.intents: list[str] = header["intents"]
        self._counts: list[int] = header["vectors"]  # of each intent
        self.fitted: dict[str, Any] = header["fitted"]
        self._intent_scale: float = header["intent_scale"]
        # One text, and where each name begins in it: a dict of the names took 3 MB more.
        self._names: str = header["features"]
        self._starts = array("I", [0, *(line.end() for line in re.finditer("\n", self._names)), len(self._names) + 1])
        self._rows = content[length : length + (len(self._starts) - 1) * _ROW]
        columns = content[length + len(self._rows) :]
        self._size = sum(self._counts)
        # One dimension of all vectors is a long integer, 32 bits for each, which Python multiplies in one step.
        self._columns = [
            int.from_bytes(array("I", [*columns[start : start + self._size]]).tobytes(), sys.byteorder)
            for start in range(0, len(columns), self._size)
        ]
        self._halves = int.from_bytes(array("I", [_HALF] * self._size).tobytes(), sys.byteorder)

    def vector(self, names: Iterable[str]) -> Vector:
        """Return the sum of the rows of features with length 1; all zeros where none of them is known."""
        total: Iterable[float] = [0.0] * DIMENSIONS
        for index in map(self._index_of, names):
            if index is not None:
                total = map(add, total, self._row(index * _ROW))
        return unit([*total])

    def knows(self, name: str) -> bool:
        """Return whether the training has seen a feature."""
        return self._index_of(name) is not None

    def _index_of(self, name: str) -> int | None:
        """Return the index of a feature's row; None for a feature that is not known. The names are sorted."""
        index = bisect_left(range(len(self._starts) - 1), name, key=self._name_at)
        return index if index < len(self._starts) - 1 and self._name_at(index) == name else None

    def _name_at(self, index: int) -> str:
        return self._names[self._starts[index] : self._starts[index + 1] - 1]

    @lru_cache(maxsize=1_024)  # noqa: B019 - there is one encoder
    def _row(self, offset: int) -> Vector:
        scale = 2 ** ((self._rows[offset] - 128) / 8)
        return array("f", [scale * code for pair in self._rows[offset + 1 : offset + _ROW] for code in _CODES[pair]])

    def near_intents(self, text_vector: Vector, *, by_mean: bool = False) -> list[float]:
        """Return the cosine of a vector with each intent: with the nearest of its vectors, or with the mean."""
        weights = [round(value * _ONE) for value in text_vector]
        total = sum(map(mul, weights, self._columns), self._halves)
        zero = _HALF + 128 * sum(weights)
        lanes = iter(array("I", total.to_bytes(4 * self._size, sys.byteorder)))
        groups = ([*islice(lanes, count)] for count in self._counts)
        return [((each[0] if by_mean else max(each)) - zero) * self._intent_scale / _ONE for each in groups]


@cache
def load() -> Encoder:
    """Return the encoder, read at the first call."""
    return Encoder(read(DATA_FILE))


def unit(values: Vector) -> Vector:
    """Return a vector with length 1; all zeros where it is all zeros."""
    length = sqrt(dot(values, values)) or 1.0
    return array("f", [value / length for value in values])


def dot(first: Vector, second: Vector) -> float:
    """Return the cosine of two vectors of length 1."""
    return sum(map(mul, first, second))


@lru_cache(maxsize=1_024)
def vector(text: str) -> Vector:
    """Return the vector of a text, of length 1; all zeros where none of its features is known."""
    return load().vector(features(text))


def near_intents(text: str, *, by_mean: bool = False) -> dict[str, float]:
    """Return the cosine of a text with each intent of the phrases, such as "want_person"."""
    return dict(zip(load().intents, _cosines(text, by_mean), strict=True))


@lru_cache(maxsize=512)
def _cosines(text: str, by_mean: bool) -> Vector:
    return array("d", load().near_intents(vector(text), by_mean=by_mean))


@lru_cache(maxsize=512)
def meaning(text: str) -> Vector:
    """Return how likely a text means each intent, scaled to length 1; all zeros where nothing of it is known."""
    return unit([expm1(near / TEMPERATURE) for near in _cosines(text, False)])
