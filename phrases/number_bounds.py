"""Conditions on a number, such as "is over 18", "budget below 5,000" or "is satisfied (8 to 10)"."""

import re
from math import inf

from dryline.phrases.number_words import to_digits

_NUMBER = r"[$€£]?(\d[\d,]*(?:\.\d+)?)(?: ?(k|thousand|grand|million))?\b"
_PATTERNS = [
    (re.compile(rf"\b{_NUMBER} ?(?:to|-|through|and|or) ?{_NUMBER}"), "between"),
    (
        re.compile(rf"\b(?:over|above|more than|at least|higher than|older than|greater than|minimum of) {_NUMBER}"),
        "least",
    ),
    (re.compile(rf"\b{_NUMBER} (?:\w+ )?or (?:more|higher|above|older|over|better)\b"), "least"),
    (re.compile(rf"\b(?:under|below|less than|fewer than|younger than|lower than) {_NUMBER}"), "less"),
    (re.compile(rf"\b(?:up to|at most|not more than|maximum of) {_NUMBER}"), "most"),
    (re.compile(rf"\b{_NUMBER} (?:\w+ )?or (?:less|lower|below|fewer|younger|under)\b"), "most"),
]
_SAID = re.compile(rf"(?<![\d:.-]){_NUMBER}(?![:/]\d| ?(?:[ap]m\b|o'clock))")
_FACTORS = {"": 1, "k": 1e3, "thousand": 1e3, "grand": 1e3, "million": 1e6}

Bounds = tuple[float, float]


def read_bounds(condition: str) -> Bounds | None:
    """Return the least and the most that a number may be, or None where a condition demands no number."""
    text = to_digits(condition)
    for pattern, kind in _PATTERNS:
        if (match := pattern.search(text)) is None:
            continue
        number = _value(match[1], match[2])
        if kind == "between":
            return number, _value(match[3], match[4])
        return (number, inf) if kind == "least" else (-inf, number if kind == "most" else number - 1e-9)
    return None


def said_number(text: str) -> float | None:
    """Return the first number of an utterance that is no time of day."""
    match = _SAID.search(to_digits(text.casefold()))
    return _value(match[1], match[2]) if match else None


def _value(digits: str, factor: str | None) -> float:
    return float(digits.replace(",", "")) * _FACTORS[factor or ""]
