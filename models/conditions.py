"""Conditions: small expressions that a contact row must meet to be called. Contract: makeVoiceBatchCalls, condition.

    {{status}} == "active" and not ({{age}} < 18 or city in "Rome, Oslo")

Comparisons (== != < <= > >=, also === !== =, `contains`, `in`), `and` `or` `not` (also && || !), parentheses, texts,
numbers, true, false, null, and names of the row's values, bare or as {{name}}. No source shows the grammar: assumed.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from dryline.world.errors import Invalid

Values = Mapping[str, Any]
Term = Callable[[Values], Any]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>-?\d+(?:\.\d+)?(?![\w.]))
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |\{\{\s*(?P<placeholder>[^{}]+?)\s*\}\}
    |(?P<sign>===|!==|==|!=|<>|<=|>=|&&|\|\||[=<>!()])
    |(?P<name>[^\W\d][\w.\-]*)
    )""",
    re.VERBOSE,
)
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_NUMBER = re.compile(r"\s*-?\d+(\.\d+)?\s*")
_WORDS = {"and": "&&", "or": "||", "not": "!", "contains": "contains", "in": "in"}
_SAME = {"===": "==", "=": "==", "!==": "!=", "<>": "!="}
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_LONGEST = 10_000  # characters
_DEEPEST = 50  # levels of parentheses and negations


def condition(text: str | None) -> Term:
    """The test that `text` describes; without one, every row passes. Raises Invalid for what cannot be read."""
    if text is None or not text.strip():
        return lambda values: True
    term = _Parser(text).parse()
    return lambda values: _truth(term(values))


class _Parser:
    """Reads one expression, or before and before not."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0

    def parse(self) -> Term:
        """The whole expression."""
        term = self._any()
        if self.at < len(self.tokens):
            raise _bad(f"{self.tokens[self.at][1]!r} is not expected")
        return term

    def _any(self) -> Term:
        terms = [self._all()]
        while self._take("||"):
            terms.append(self._all())
        return terms[0] if len(terms) == 1 else lambda values: any(_truth(term(values)) for term in terms)

    def _all(self) -> Term:
        terms = [self._not()]
        while self._take("&&"):
            terms.append(self._not())
        return terms[0] if len(terms) == 1 else lambda values: all(_truth(term(values)) for term in terms)

    def _not(self) -> Term:
        if not self._take("!"):
            return self._comparison()
        with_depth = self._deeper(self._not)
        return lambda values: not _truth(with_depth(values))

    def _comparison(self) -> Term:
        left = self._value()
        for sign, compare in _COMPARISONS.items():
            if self._take(sign):
                right = self._value()
                return lambda values: compare(left(values), right(values))
        return left

    def _value(self) -> Term:
        if self._take("("):
            inside = self._deeper(self._any)
            if not self._take(")"):
                raise _bad("a parenthesis is not closed")
            return inside
        if self.at == len(self.tokens):
            raise _bad("it ends too early")
        kind, token = self.tokens[self.at]
        if kind == "sign":
            raise _bad(f"{token!r} is not expected")
        self.at += 1
        return _leaf(kind, token)

    def _deeper(self, read: Callable[[], Term]) -> Term:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _bad("it is nested too deeply")
        term = read()
        self.depth -= 1
        return term

    def _take(self, sign: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == ("sign", sign):
            self.at += 1
            return True
        return False


def _tokens(text: str) -> list[tuple[str, str]]:
    if len(text) > _LONGEST:
        raise _bad("it is too long")
    text = text.rstrip()
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise _bad(f"{text[at : at + 20].strip()!r} cannot be read")
        at, kind, token = match.end(), match.lastgroup, match[match.lastgroup]
        if kind == "name" and token.lower() in _WORDS:
            kind, token = "sign", _WORDS[token.lower()]
        found.append((kind, _SAME.get(token, token) if kind == "sign" else token))
    return found


def _leaf(kind: str, token: str) -> Term:
    if kind == "number":
        number = float(token)
        return lambda values: number
    if kind == "text":
        text = re.sub(r"\\(.)", r"\1", token[1:-1])
        return lambda values: _PLACEHOLDER.sub(lambda match: _text(_look_up(match[1], values)), text)
    if kind == "placeholder":
        return lambda values: _look_up(token, values)
    if token.lower() in _CONSTANTS:
        constant = _CONSTANTS[token.lower()]
        return lambda values: values.get(token, constant)
    # A bare word that the row has no value of stands for itself, as in `{{status}} == active`.
    return lambda values: found if (found := _look_up(token, values)) is not None else token


def _look_up(name: str, values: Values) -> Any:
    """The value of a name, dotted for one inside another; None where the row has none."""
    if name in values:
        return values[name]
    found: Any = values
    for step in name.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _truth(value: Any) -> bool:
    return bool(value) and not (isinstance(value, str) and value.strip().lower() in ("", "false", "no", "0", "null"))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """As numbers where both are some, else as texts."""

    def compared(left: Any, right: Any) -> bool:
        numbers = _number(left), _number(right)
        if None not in numbers:
            return compare(*numbers)
        return compare(_text(left), _text(right))

    return compared


_COMPARISONS = {
    "==": _compared(operator.eq),
    "!=": _compared(operator.ne),
    "<=": _compared(operator.le),
    ">=": _compared(operator.ge),
    "<": _compared(operator.lt),
    ">": _compared(operator.gt),
    "contains": lambda left, right: _text(right) in _text(left),
    "in": lambda left, right: _text(left) in re.split(r"\s*,\s*", _text(right)) or _text(left) == _text(right),
}


def _bad(why: str) -> Invalid:
    return Invalid(f"The condition cannot be read: {why}.", "condition")
