"""Odd values, and JSON in which some values are odd."""

from __future__ import annotations

import copy
import string
from random import Random
from typing import Any

import orjson

SIZE = 100_000  # characters of a long text
DEEP: Any = orjson.loads(b'{"a":' * 120 + b"1" + b"}" * 120)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.5, 1e308, -1e308, 5e-324, 1e18, 2**63 - 1, -(2**63), 2**31),
    *("", " ", "\0", "a", "²", "%", "%s", "{0}", "{{x}}", "<b>'\"", "../../etc/passwd", "null", "1e999"),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-02-30T10:00:00.000Z", "2026-13-01", "T"),
    *(
        "+14155550100",
        "http://127.0.0.1:9/x",
        "https://[::1",
        "worker_x",
        "\U0001d518" * 10,
        "a" * SIZE,
        "a " * (SIZE // 2),
    ),
    *([], [[]], [None], {}, {"a": {}}, {"": ""}, [1] * 1000, ["a"] * 1000, DEEP, [{"a": [{"b": None}]}]),
)
# Bodies that are no JSON, or that JSON libraries read differently.
NO_JSON = (
    b"",
    b"{",
    b"nul",
    b"NaN",
    b'{"a": NaN}',
    b'"\\ud800"',
    b"\xff\xfe",
    b"[" * 5000,
    b"1" * 5000,
    b'{"a":1,"a":2}',
)


def long_texts(character: str, size: int = SIZE) -> list[str]:
    """Return long texts of one character: alone, as words of one character, and between letters."""
    return [character * size, f"{character} " * (size // 2), f"a{character}" * (size // 2)]


CHARACTERS = string.digits + string.ascii_letters + string.punctuation + " \t\n\r\x0b\x0c"


def odd_value(random: Random) -> Any:
    """Return one of the values, as a copy of its own."""
    return copy.deepcopy(random.choice(VALUES))


def mutated(random: Random, value: Any, times: int = 1) -> Any:
    """Return a copy of a JSON value that differs in some places."""
    value = copy.deepcopy(value)
    for _ in range(times):
        value = _mutated_once(random, value)
    return value


def _mutated_once(random: Random, value: Any) -> Any:
    members = list(_members_within(value))
    if not members or random.random() < 0.02:
        return odd_value(random)
    holder, key = random.choice(members)
    act = random.random()
    if act < 0.12:
        del holder[key]
    elif act < 0.2 and isinstance(holder, dict):
        holder[random.choice(["x", "", "id", "teamId", "\0", "a" * 300, *holder])] = odd_value(random)
    elif act < 0.26 and isinstance(holder, list):
        holder += holder[:50]
    elif act < 0.36:
        other, other_key = random.choice(members)
        if not _holds(holder[key], other):
            other[other_key] = copy.deepcopy(holder[key])
    elif act < 0.42:
        holder[key] = [holder[key]]
    elif act < 0.47 and isinstance(holder[key], str):
        holder[key] = (holder[key] * random.choice([2, 50, 2000]))[:SIZE]
    elif act < 0.55 and type(holder[key]) in (int, float):
        holder[key] = random.choice([-holder[key], 10**9, 10**15, 1e100, 1e308, -1e308, 2**62, 0.1])
    else:
        holder[key] = odd_value(random)
    return value


def _members_within(value: Any) -> Any:
    """Yield each dict or list within a value, with each of its keys."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _members_within(value[key])


def _holds(value: Any, part: Any) -> bool:
    """Return whether a value is or has this very part, which must not be put into itself."""
    return value is part or any(holder[key] is part for holder, key in _members_within(value))
