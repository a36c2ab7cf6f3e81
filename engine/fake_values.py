"""Plausible values where nobody said any: from chance that repeats with the seed."""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random
from typing import Any

from dryline.engine.slot_extraction import kind_of, part_of_name

_FIRST = (
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Elena",
    "Frank",
    "Grace",
    "Hugo",
    "Irene",
    "Jonas",
    "Karen",
    "Liam",
    "Maria",
)
_LAST = ("Berg", "Carter", "Diaz", "Evans", "Fischer", "Garcia", "Hughes", "Ito", "Jensen", "Keller", "Lopez", "Moore")
_STREETS = ("Oak Street", "Main Street", "Lake Avenue", "Hill Road", "Park Lane", "Mill Road")
_EPOCH = date(2030, 1, 1)


def made_up(name: str, example: Any, choices: list[Any] | None, random: Random) -> tuple[Any, str]:
    """A value in the type of the example, and where it comes from."""
    if choices:
        return random.choice(choices), "made up"
    if isinstance(example, bool):
        return random.random() < 0.6, "made up"
    if isinstance(example, int):
        return random.randint(1, max(2, min(abs(example) * 2, 10**9))), "made up"
    if isinstance(example, float):
        return round(random.uniform(0.5, 1.5) * (abs(example) or 1.0), 2), "made up"
    if example is None:
        return None, "not found"
    kind = kind_of(name, example)
    maker = _MAKERS.get(kind or "")
    if maker is not None:
        return maker(str(example), name.lower(), random), "made up"
    return (example, "the example") if example else ("not said", "made up")


def _name(example: str, name: str, random: Random) -> str:
    parts = {"first": random.choice(_FIRST), "last": random.choice(_LAST)}
    part = part_of_name(name)
    return parts[part] if part else " ".join(parts.values())


def _phone(example: str, name: str, random: Random) -> str:
    return f"+1555{random.randint(2000000, 9999999)}"


def _email(example: str, name: str, random: Random) -> str:
    return f"{random.choice(_FIRST).lower()}.{random.choice(_LAST).lower()}@example.com"


def _date(example: str, name: str, random: Random) -> str:
    day = _EPOCH + timedelta(days=random.randrange(300))
    if re.fullmatch(r"\d{1,2}/\d{1,2}/\d{4}", example):
        return day.strftime("%m/%d/%Y")
    return day.isoformat() if re.fullmatch(r"\d{4}-\d{2}-\d{2}", example) or not example else f"{day:%B} {day.day}"


def _time(example: str, name: str, random: Random) -> str:
    hour, minute = random.randint(8, 17), random.choice((0, 15, 30, 45))
    if re.search("[ap]m", example, re.IGNORECASE):
        return f"{hour % 12 or 12}:{minute:02} {'AM' if hour < 12 else 'PM'}"
    return f"{hour:02}:{minute:02}"


def _code(example: str, name: str, random: Random) -> str:
    """As the example is built: a digit for a digit, a letter for a letter."""
    pattern = example if any(character.isdigit() for character in example) else "100000"
    return "".join(
        str(random.randrange(10))
        if each.isdigit()
        else random.choice("ABCDEFGHKLMNPRSTUVWXYZ")
        if each.isupper()
        else each
        for each in pattern
    )


_MAKERS = {
    "name": _name,
    "phone": _phone,
    "email": _email,
    "date": _date,
    "time": _time,
    "code": _code,
    "zip": lambda example, name, random: f"{random.randint(10000, 99999)}",
    "address": lambda example, name, random: f"{random.randint(1, 999)} {random.choice(_STREETS)}",
    "url": lambda example, name, random: f"https://example.com/{random.randint(1, 999)}",
}
