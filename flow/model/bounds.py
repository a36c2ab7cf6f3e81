"""The bounds on a number that a condition names, and the number that was said."""

import re
from math import inf

from dryline.flow.model.number_words import to_digits

Bounds = tuple[float, float]
_BOUND = r"[$€£]?(\d[\d,]*(?:\.\d+)?)(?: ?(k))?\b"
_BOUNDS = (
    (rf"\b{_BOUND} ?(?:to|-|through|and|or) ?{_BOUND}", "between"),
    (rf"\b(?:over|above|more than|at least|higher than|older than|greater than|minimum of) {_BOUND}", "least"),
    (rf"\b{_BOUND} (?:\w+ )?or (?:more|higher|above|older|over|better)\b", "least"),
    (rf"\b(?:under|below|less than|fewer than|younger than|lower than) {_BOUND}", "less"),
    (rf"\b(?:up to|at most|not more than|maximum of) {_BOUND}", "most"),
    (rf"\b{_BOUND} (?:\w+ )?or (?:less|lower|below|fewer|younger|under)\b", "most"),
)


def read_bounds(condition: str) -> Bounds | None:
    """Return the least and the most that a number may be, or None where a condition demands no number."""
    text = to_digits(condition)
    for pattern, kind in _BOUNDS:
        if match := re.search(pattern, text):
            number = _value(match[1], match[2])
            most = _value(match[3], match[4]) if kind == "between" else number - (1e-9 if kind == "less" else 0)
            return (number, inf) if kind == "least" else (number if kind == "between" else -inf, most)
    return None


def said_number(text: str) -> float | None:
    """Return the first number of an utterance that is no time of day."""
    match = re.search(rf"(?<![\d:.-]){_BOUND}(?![:/]\d| ?(?:[ap]m\b|o'clock))", to_digits(text.casefold()))
    return _value(match[1], match[2]) if match else None


def _value(digits: str, factor: str | None) -> float:
    return float(digits.replace(",", "")) * (1e3 if factor else 1)
