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

from dryline.flow.model.kinds import read_values
from dryline.storage.files import read, read_json

DIMENSIONS = 128
TEMPERATURE = 0.1  # of the training: cosines with intents divided by it are the logarithms of shares
DATA_FILE = Path(__file__).with_name("understanding.bin")

Vector = Sequence[float]

_MAX_LENGTH = 2_000  # characters of a text that are read: its end
_PART = re.compile(r"_[a-z]+|[a-z]+|[.,;:!?]")
_ROW = 1 + DIMENSIONS // 2  # bytes: the scale in eighths of a power of two, and four bits for each dimension
_CODES = [((pair >> 4) - 8, (pair & 15) - 8) for pair in range(256)]
_HALF, _ONE = 1 << 31, 4_096  # in the products of a vector with all intents


@cache
def words() -> dict[str, Any]:
    """Return the lists of words by which texts are read; their entries are regular expressions."""
    return read_json(Path(__file__).with_name("words.json"))


@cache
def pattern(template: str) -> re.Pattern[str]:
    """Return a regular expression in which `<name>` stands for a word of a list."""
    return re.compile(re.sub(r"<([a-z ]+)>", lambda name: rf"\b(?:{'|'.join(words()[name[1]])})\b", template))


def plain(text: str) -> str:
    """Return the end of a text in lower case, without accents, with straight apostrophes."""
    text = text[-_MAX_LENGTH:].replace("\u2019", "'").lower().replace("ß", "ss")
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def without_subject(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return pattern(r"(?i)^\W*(?:<before people>\s+)*<people>(?:'s?)?\s+").sub("", condition)


def alternatives(condition: str) -> list[str]:
    """Return the parts of a condition of which one is enough: "is early, or has no time" has two."""
    return [part for part in pattern("[,;/]|<or>").split(condition) if part.strip()]


def features(text: str) -> list[str]:
    """Return the stems of a text, values as tokens such as `_day`, and the pairs of neighbouring ones, each once."""
    parts = stems(text)
    pairs = (f"{first} {second}" for first, second in pairwise(parts) if first and second)
    return list(dict.fromkeys((*filter(None, parts), *pairs)))


def stems(text: str) -> list[str]:
    """Return the stems of a text in their order; an empty one separates neighbours that are no pair."""
    text = plain(text)
    for form, replacement in words()["rewritten"].items():
        text = re.sub(form, replacement, text)
    value_words = _value_words()
    return [value_words.get(part) or _stem(part) for part in _PART.findall(text)]


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    if not word[0].isalpha():
        return word if word[0] == "_" else ""
    import snowballstemmer  # takes 30 ms, which a start would wait for

    # A new one each time: a stemmer keeps the word that it is at, so threads cannot share it.
    return str(snowballstemmer.stemmer("english").stemWord(word))


@cache
def _value_words() -> dict[str, str]:
    """Return the words that are values, with the token of their kind."""
    values = read_values()
    days = [*values["weekdays"], *(day for day, ahead in values["relative_days"].items() if ahead >= 0)]
    numbers = [word for word, number in values["numbers"].items() if number != 1]  # "one" is often no number
    kinds = {"_number": numbers, "_month": values["months"], "_day": days}
    return {plain(word): kind for kind, each in kinds.items() for word in each if word != "may"}


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
            int.from_bytes(array("I", [*columns[at : at + self._size]]).tobytes(), sys.byteorder)
            for at in range(0, len(columns), self._size)
        ]
        self._halves = int.from_bytes(array("I", [_HALF] * self._size).tobytes(), sys.byteorder)

    def vector(self, names: Iterable[str]) -> Vector:
        """Return the sum of the rows of features with length 1; all zeros where none of them is known."""
        total: Iterable[float] = [0.0] * DIMENSIONS
        for place in map(self._place, names):
            if place is not None:
                total = map(add, total, self._row(place * _ROW))
        return unit([*total])

    def knows(self, name: str) -> bool:
        """Return whether the training has seen a feature."""
        return self._place(name) is not None

    def _place(self, name: str) -> int | None:
        """Return which row a feature has. The names are sorted."""
        place = bisect_left(range(len(self._starts) - 1), name, key=self._name)
        return place if place < len(self._starts) - 1 and self._name(place) == name else None

    def _name(self, place: int) -> str:
        return self._names[self._starts[place] : self._starts[place + 1] - 1]

    @lru_cache(maxsize=1_024)  # noqa: B019 - there is one encoder
    def _row(self, offset: int) -> Vector:
        scale = 2 ** ((self._rows[offset] - 128) / 8)
        return array("f", [scale * code for pair in self._rows[offset + 1 : offset + _ROW] for code in _CODES[pair]])

    def near_intents(self, own: Vector, *, by_mean: bool = False) -> list[float]:
        """Return the cosine of a vector with each intent: with the nearest of its vectors, or with the mean."""
        weights = [round(value * _ONE) for value in own]
        total = sum(map(mul, weights, self._columns), self._halves)
        zero = _HALF + 128 * sum(weights)
        lanes = iter(array("I", total.to_bytes(4 * self._size, sys.byteorder)))
        groups = ([*islice(lanes, count)] for count in self._counts)
        return [((each[0] if by_mean else max(each)) - zero) * self._intent_scale / _ONE for each in groups]


@cache
def load() -> Encoder:
    """Return the encoder, read at the first call."""
    return Encoder(read(DATA_FILE))


def unit(own: Vector) -> Vector:
    """Return a vector with length 1; all zeros where it is all zeros."""
    length = sqrt(dot(own, own)) or 1.0
    return array("f", [value / length for value in own])


def dot(own: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length 1."""
    return sum(map(mul, own, other))


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
