"""Lengths of time as people say them: "an hour and a half", "for about three months"."""

import re

from dryline.phrases.value_kinds import label_of

_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "night": 1440, "week": 10080, "fortnight": 20160}
_MONTHS = {"month": 1, "year": 12}
_SHORT = {"min": "minute", "hr": "hour"}
_UNIT = r"(?:minute|min|hour|hr|day|night|week|fortnight|month|year)"
_PART = re.compile(
    r"(?<![\w.])(?<!times )(?<!once )(?<!twice )"
    r"(?:(?P<half>half)(?: of)? an?|(?P<quarters>3) quarters of an|(?P<one>an?|one)|(?P<number>\d+(?:\.\d+)?))"
    rf"[ -](?:\w+ )??(?P<unit>{_UNIT})s?\b(?P<more> and a (?:half|quarter))?",
    re.IGNORECASE,
)
_FIXED = {"half": 0.5, "quarters": 0.75, "one": 1.0}
_MORE = {None: 0.0, " and a half": 0.5, " and a quarter": 0.25}
_SINCE = re.compile(r"\bsince (?:\w+ ?){1,4}", re.IGNORECASE)


def unit_of(key: str) -> str | None:
    """Return the unit of time that a key names: `duration_minutes` counts minutes."""
    for word in reversed(label_of(key).split()):
        singular = word.removesuffix("s")
        if word.endswith("s") and (unit := _SHORT.get(singular, singular)) in (*_MINUTES, *_MONTHS):
            return unit
    return None


def find_duration(text: str, unit: str) -> float | None:
    """Return a length of time in a unit, in a text whose numbers are digits; None if it has no such length."""
    parts = _parts(text)
    table = _MONTHS if unit in _MONTHS else _MINUTES
    if not parts or any(each not in table for _, each in parts):
        return None
    length = sum(number * table[each] for number, each in parts) / table[unit]
    return round(length, 2)


def duration_in_words(text: str) -> str | None:
    """Return a length of time such as `2 weeks`, or the words of its begin: "since Monday"."""
    parts = _parts(text)
    if parts:
        return " and ".join(f"{number:g} {unit}{'' if number == 1 else 's'}" for number, unit in parts)
    since = _SINCE.search(text)
    return since[0].strip() if since else None


def _parts(text: str) -> list[tuple[float, str]]:
    """Return the numbers and units of the first length in a text: "an hour and 15 minutes" has two."""
    parts: list[tuple[float, str]] = []
    end = 0
    for match in _PART.finditer(text):
        if parts and not re.fullmatch(r",? (?:and )?", text[end : match.start()]):
            break
        number = next((fixed for group, fixed in _FIXED.items() if match[group]), None)
        number = (float(match["number"]) if number is None else number) + _MORE[match["more"] and match["more"].lower()]
        unit = match["unit"].lower()
        parts.append((number, _SHORT.get(unit, unit)))
        end = match.end()
    return parts
