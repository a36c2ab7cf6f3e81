"""Conditions: small expressions that a contact row must meet to be called. Contract: makeVoiceBatchCalls, condition.

    {{status}} == "active" and not {{age}} < 18 or city == "Oslo"

Tests are joined by `or` and, more closely, by `and`; `not` turns one round. A test is a value by itself, true unless it
is empty or says no, or two values compared by == != < <= > >=. Values are texts in quotes, numbers,
true, false, and the row's own by name, in {{ }} or bare. No source shows the grammar: assumed.

A name that the row lacks has no value. A comparison without a value is false, except for `== null` and `!= null`,
which test whether there is a value.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dryline.storage.errors import Invalid

Values = Mapping[str, Any]
Token = tuple[str, str]  # what it is (literal, text, name, word, sign, null), and what it says

# No alternative can begin where another one does, and none holds a repetition of repetitions: linear in any text.
_TOKEN = re.compile(
    r"""\s*(?:
    "(?P<text>[^"]*)" | '(?P<quoted>[^']*)'
    |\{\{(?P<name>[^{}]*)\}\}
    |(?P<sign>[=!<>]+)
    |(?P<word>[\w.\-]+)
    )""",
    re.VERBOSE,
)
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    **{"==": operator.eq, "!=": operator.ne},
    **{"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt},
}
_SIGNS = {*_OPERATORS, "and", "or", "not"}
_LONGEST = 10_000  # characters


class RowTest(NamedTuple):
    """A value by itself or, with a `sign`, two values that are compared; the test is passed if that `is_true`."""

    is_true: bool
    left: Token
    sign: str = ""
    right: Token = ("null", "")

    def is_passed_by(self, values: Values) -> bool:
        """Return whether a row of these values passes."""
        return self._holds(values) == self.is_true

    def _holds(self, values: Values) -> bool:
        left, right = _value_of(self.left, values), _value_of(self.right, values)
        if not self.sign:
            return _is_true(left)
        is_equality = self.sign in ("==", "!=")
        if is_equality and "null" in (self.left[0], self.right[0]):
            return (left is right) == (self.sign == "==")
        kind, says = self.right
        if right is None and kind == "word" and is_equality:
            right = says  # a bare word that is no name of the row stands for itself, as in `{{status}} == active`
        return _compare(self.sign, left, right)


class RowCondition:
    """The tests that a text describes; without one every row passes. Raises Invalid for what cannot be read."""

    def __init__(self, text: str | None) -> None:
        tokens = _read_tokens((text or "").strip())
        self._alternatives: list[list[RowTest]] = []  # the tests of each side of an `or`
        if tokens:
            for alternative in _split_at(tokens, "or"):
                self._alternatives.append([_parse_test(part) for part in _split_at(alternative, "and")])

    def is_met_by(self, values: Values) -> bool:
        """Return whether a row of these values passes."""
        if not self._alternatives:
            return True
        return any(_are_passed_by(values, tests) for tests in self._alternatives)


def _are_passed_by(values: Values, tests: Iterable[RowTest]) -> bool:
    return all(test.is_passed_by(values) for test in tests)


def _value_of(token: Token, values: Values) -> Any:
    """Return the value of a token; None where it names something that the row lacks."""
    kind, says = token
    if kind == "literal":
        return says
    if kind == "text":
        names = {name: _value_of(("name", name.strip()), values) for name in _PLACEHOLDER.findall(says)}
        if None in names.values():
            return None
        return _PLACEHOLDER.sub(lambda match: _as_text(names[match[1]]), says)
    if kind == "null":
        return None
    value = values.get(says)
    return str(value) if isinstance(value, Mapping | list) else value


def _read_tokens(text: str) -> list[Token]:
    if len(text) > _LONGEST:
        raise _unreadable("it is too long")
    tokens: list[Token] = []
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None or match.lastgroup is None:
            raise _unreadable(f"{text[offset : offset + 20].strip()!r} cannot be read")
        offset, kind, says = match.end(), match.lastgroup, match[match.lastgroup]
        low = says.lower()
        if kind == "sign" or (kind == "word" and low in _SIGNS):
            tokens.append(("sign", low))
        elif kind == "word" and low in ("null", "none"):
            tokens.append(("null", ""))
        elif kind == "word" and (low in ("true", "false") or _NUMBER.fullmatch(low)):
            tokens.append(("literal", low))
        elif kind in ("text", "quoted"):
            tokens.append(("text" if "{{" in says else "literal", says))
        else:
            tokens.append((kind, says.strip() if kind == "name" else says))
    return tokens


def _split_at(tokens: list[Token], sign: str) -> list[list[Token]]:
    """Return the tokens between those that are this sign."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token == ("sign", sign):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _parse_test(tokens: list[Token]) -> RowTest:
    """Return the test of these tokens. Raises Invalid."""
    is_true = True
    while tokens[:1] == [("sign", "not")]:
        is_true, tokens = not is_true, tokens[1:]
    signs = [says if kind == "sign" else "" for kind, says in tokens]
    if signs == [""]:
        return RowTest(is_true, tokens[0])
    if len(signs) == 3 and signs[0] == signs[2] == "" and signs[1] in _OPERATORS:
        return RowTest(is_true, tokens[0], signs[1], tokens[2])
    beginning = " ".join(says for _, says in tokens[:5])
    raise _unreadable(f"{beginning[:50]!r} is neither a value nor a comparison of two")


def _compare(sign: str, left: Any, right: Any) -> bool:
    """Compare numbers as numbers, anything else as text. A number and a text are not equal and have no order."""
    if left is None or right is None:
        return False
    numbers = _as_number(left), _as_number(right)
    if None not in numbers:
        return _OPERATORS[sign](*numbers)
    if sign in ("==", "!=") or numbers == (None, None):
        return _OPERATORS[sign](_as_text(left), _as_text(right))
    return False


def _is_true(value: Any) -> bool:
    return bool(value) and not (isinstance(value, str) and value.strip().lower() in ("", "false", "no", "0", "null"))


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _as_number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) else None


def _unreadable(why: str) -> Invalid:
    return Invalid(f"The condition cannot be read: {why}.", "condition")
