"""Criteria for parts of a request: members of its JSON, values of its query, headers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import orjson

from dryline.storage.errors import Invalid
from dryline.world.masking import is_secret
from dryline.world.request_log import Entry

NamedTest = tuple[str, Callable[[Entry], bool]]


def json_tests(expected: Any) -> list[NamedTest]:
    """Return a test for each member of `expected`, or one for a value that is no object; None has none.

    Raises Invalid for a member that the log masks.
    """
    if expected is None:
        return []
    for name in _member_names(expected):
        _require_unmasked("json", name)
    if not isinstance(expected, dict):
        return [("json", lambda entry: includes(_json(entry), expected))]
    return [(f"json.{name}", partial(_has_member, {name: value})) for name, value in expected.items()]


def query_tests(expected: Mapping[str, Any]) -> list[NamedTest]:
    """Return a test for each parameter. None means that it was not sent, a list that it was sent repeatedly.

    Raises Invalid for a parameter that the log masks.
    """
    tests: list[NamedTest] = []
    for name, value in expected.items():
        _require_unmasked("query", name)
        values = [_text(each) for each in (value if isinstance(value, list) else [value])]
        tests.append((f"query.{name}", partial(_has_parameter, name, None if value is None else values)))
    return tests


def header_tests(expected: Mapping[str, Any]) -> list[NamedTest]:
    """Return a test for each header, whose name may have any case. None means that it was not sent.

    Raises Invalid for a header that the log masks.
    """
    tests: list[NamedTest] = []
    for name, value in expected.items():
        _require_unmasked("headers", name)
        tests.append((f"headers.{name}", partial(_has_header, name.lower(), None if value is None else _text(value))))
    return tests


def includes(actual: Any, expected: Any) -> bool:
    """Return whether a JSON value is the expected one, except that its objects may have further members."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            name in actual and includes(actual[name], value) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(includes, actual, expected))
    return bool(actual == expected) and isinstance(actual, bool) == isinstance(expected, bool)


def _has_member(expected: dict[str, Any], entry: Entry) -> bool:
    return includes(_json(entry), expected)


def _has_parameter(name: str, values: list[str] | None, entry: Entry) -> bool:
    return parse_qs(entry.query, keep_blank_values=True).get(name) == values


def _has_header(name: str, value: str | None, entry: Entry) -> bool:
    return {key.lower(): text for key, text in entry.headers}.get(name) == value


def _json(entry: Entry) -> Any:
    try:
        return orjson.loads(entry.body)
    except ValueError:
        return None


def _text(value: Any) -> str:
    """Return a value as a query or a header has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _member_names(value: Any) -> Iterator[str]:
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _member_names(each)
    if isinstance(value, dict):
        yield from value


def _require_unmasked(field: str, name: str) -> None:
    """Raise Invalid for a secret: the log has `***` in its place, so that no request would ever match."""
    if is_secret(name):
        raise Invalid(f"{name} holds a secret, which the request log masks.", field)
