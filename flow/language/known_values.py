"""Values as far as a flow's code tells them, for the lookahead: each is a plain value, UNKNOWN, or TALK."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


class Mark:
    """A value that the code does not tell."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


UNKNOWN = Mark("UNKNOWN")
TALK = Mark("TALK")  # the result of a talk, and its text
Names = dict[str, Any]  # the values of names

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda value, values: value in values,
    ast.NotIn: lambda value, values: value not in values,
}


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A member of an object that only some of the ways there have set."""

    value: Any


def is_known(value: Any) -> bool:
    """Return whether all parts of a value are known."""
    if isinstance(value, (tuple, list)):
        return all(map(is_known, value))
    if isinstance(value, dict):
        return all(map(is_known, value.values()))
    return not isinstance(value, (Mark, Perhaps))


def result_of_comparison(comparison: ast.cmpop, first: Any, second: Any) -> Any:
    """Return the result of a comparison."""
    if not (is_known(first) and is_known(second)):
        return UNKNOWN
    try:
        return _COMPARISONS[type(comparison)](first, second)
    except TypeError:
        return UNKNOWN


def truth_of(value: Any) -> bool | None:
    """Return whether a value is true; None if that is not known."""
    if value is TALK:
        return True
    if isinstance(value, dict):
        if not value:
            return False
        has_certain_member = any(not isinstance(each, Perhaps) for each in value.values())
        return True if has_certain_member else None
    if isinstance(value, (Mark, Perhaps)):
        return None
    return bool(value)


def member_of(value: Any, key: Any) -> Any:
    """Return the member of an object or a list."""
    if isinstance(value, dict) and isinstance(key, str):
        member = value.get(key, UNKNOWN)
    elif isinstance(value, (tuple, list)) and isinstance(key, int) and -len(value) <= key < len(value):
        member = value[key]
    else:
        return UNKNOWN
    return UNKNOWN if isinstance(member, Perhaps) else member


def result_of_method(value: Any, name: str, arguments: list[Any]) -> Any:
    """Return the result of a method that is usual in examples: `.get` of an object, `.join` of texts."""
    if name == "get" and isinstance(value, dict) and arguments:
        return member_of(value, arguments[0])
    if name == "join" and isinstance(value, str) and len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        parts = arguments[0]
        return value.join(parts) if all(isinstance(part, str) for part in parts) else UNKNOWN
    return UNKNOWN


def merged_names(ends: Sequence[Names]) -> Names:
    """Return what is known of names after one of several ways."""
    merged: Names = {}
    all_names = dict.fromkeys(name for end in ends for name in end)  # in their order
    for name in all_names:
        values = [end.get(name, UNKNOWN) for end in ends]
        if all(isinstance(value, dict) for value in values):
            merged[name] = _merged_object(values)
        elif all(_is_same(value, values[0]) for value in values):
            merged[name] = values[0]
        else:
            merged[name] = UNKNOWN
    return merged


def _merged_object(objects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return an object with the members of all, of which those are `Perhaps` that not all have."""
    members: dict[str, Any] = {}
    all_names = dict.fromkeys(name for each in objects for name in each)  # in their order
    for name in all_names:
        values = [each[name] for each in objects if name in each]
        first = values[0]
        is_certain = len(values) == len(objects) and not any(isinstance(value, Perhaps) for value in values)
        members[name] = first if is_certain or isinstance(first, Perhaps) else Perhaps(first)
    return members


def _is_same(first: Any, second: Any) -> bool:
    return first is second or (type(first) is type(second) and bool(first == second))


def plain_value(value: Any) -> Any:
    """Return a value with None for each part that is not known."""
    if isinstance(value, Perhaps):
        return plain_value(value.value)
    if isinstance(value, dict):
        return {name: plain_value(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain_value(each) for each in value]
    return None if isinstance(value, Mark) else value
