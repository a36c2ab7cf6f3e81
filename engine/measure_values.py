"""Quantities with a unit as people say them: "an hour and a half", "for about three months", "one metre twenty"."""

import re
from typing import Final

from dryline.phrases.value_kinds import label_of

# The units of each dimension, in the smallest of them.
_TABLES: Final[tuple[dict[str, float], ...]] = (
    {"minute": 1, "hour": 60, "day": 1440, "night": 1440, "week": 10080, "fortnight": 20160},
    {"month": 1, "year": 12},
    {"mm": 1, "cm": 10, "inch": 25.4, "foot": 304.8, "yard": 914.4, "metre": 1000, "km": 1e6, "mile": 1609344},
    {"gram": 1, "ounce": 28.35, "pound": 453.6, "kilo": 1000, "stone": 6350.3, "tonne": 1e6},
    {"ml": 1, "litre": 1000},
)
_SHORT = {
    **{"min": "minute", "hr": "hour", "m": "metre", "meter": "metre", "l": "litre", "liter": "litre"},
    **{"millimetre": "mm", "centimetre": "cm", "centimeter": "cm", "inche": "inch", "feet": "foot", "ft": "foot"},
    **{"kilometre": "km", "kilometer": "km", "g": "gram", "oz": "ounce", "lb": "pound", "kg": "kilo"},
    **{"kilogram": "kilo", "ton": "tonne"},
}
_NAMES = {unit: unit for table in _TABLES for unit in table} | _SHORT
_TIMES = {*_TABLES[0], *_TABLES[1]}
_SMALLER = {"metre": 0.01, "foot": 1 / 12, "stone": 1 / 14}  # "six foot two"
_UNIT = rf"(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})s?\b"
_PART = re.compile(
    r"(?<![\w.])(?<!times )(?<!once )(?<!twice )"
    r"(?:(?P<half>half)(?: of)? an?|(?:a )?(?P<quarter>quarter) of an?|(?P<quarters>3) quarters of an|"
    r"(?P<one>an?|one)|(?P<number>\d{1,9}(?:\.\d{1,9})?))"
    rf"(?:(?<=\d)|[ -](?:\w+ )??)(?P<unit>{_UNIT})(?P<more> and a (?:half|quarter))?"
    rf"(?:(?= (?P<rest>\d\d?)\b(?! {_UNIT})))?",
    re.IGNORECASE,
)
_DIMENSIONS = {"length": r"\blong\b|\blength", "width": r"\b(?:wide|across|width)\b", "depth": r"\b(?:deep|depth)\b"}
_DIMENSIONS |= {"height": r"\b(?:high|tall|height)\b", "weight": r"\bheavy\b|\bweigh"}
_FIXED = {"half": 0.5, "quarter": 0.25, "quarters": 0.75, "one": 1.0}
_MORE = {None: 0.0, " and a half": 0.5, " and a quarter": 0.25}
_SINCE = re.compile(r"\bsince (?:\w+ ?){1,4}", re.IGNORECASE)


def unit_of(key: str, question: str = "") -> str | None:
    """Return the unit that a key names, else its question: `duration_minutes`, `width_cm`, "in metres"."""
    words = label_of(key).split()
    for word in [*reversed(words), *re.findall(r"\bin (\w+)", question.lower())]:
        is_unit = word.endswith("s") or word in _SHORT or (word == words[-1] and word not in _TIMES)
        if is_unit and (unit := _NAMES.get(word) or _NAMES.get(word.removesuffix("s"))):
            return unit
    return None


def find_measure(text: str, unit: str) -> float | None:
    """Return a quantity in a unit, in a text whose numbers are digits; None if it has no such quantity."""
    table = next(table for table in _TABLES if unit in table)
    parts = _parts(text, _TIMES if unit in _TIMES else {*table})
    if not parts or any(each not in table for _, each in parts):
        return None
    return round(sum(number * table[each] for number, each in parts) / table[unit], 2)


def part_about(text: str, keys: list[str], key: str) -> str:
    """Return the part of a text about several dimensions that is about one: "2 metres by 3", "4 long and 2 wide"."""
    pieces = re.split(r"(?<=\w) (?:by|x) (?=\d|an?\b|half\b)", text)
    if len(pieces) == len(keys):
        piece, units = pieces[keys.index(key)], {match["unit"] for match in _PART.finditer(text)}
        return piece if _PART.search(piece) or not units else f"{piece} {units.pop()}" if len(units) == 1 else ""
    names = {word for label in map(label_of, keys) for word in label.split() if word in _DIMENSIONS}
    pieces = [
        piece for piece in re.split(r",|\band\b", text) if any(re.search(_DIMENSIONS[name], piece) for name in names)
    ]
    own = [
        piece for piece in pieces for name in label_of(key).split() if re.search(_DIMENSIONS.get(name, "(?!)"), piece)
    ]
    return own[0] if len(pieces) > 1 and len(own) == 1 else text


def without_measures(text: str) -> str:
    """Return a text without its lengths of time: "violin" for "half an hour of violin"."""
    return re.sub(rf"(?:\bfor )?(?:{_PART.pattern})(?: of)?", "", text, flags=re.IGNORECASE).strip()


def duration_in_words(text: str) -> str | None:
    """Return a length of time such as `2 weeks`, or the words of its begin: "since Monday"."""
    parts = _parts(text, _TIMES)
    if parts:
        return " and ".join(f"{number:g} {unit}{'' if number == 1 else 's'}" for number, unit in parts)
    since = _SINCE.search(text)
    return since[0].strip() if since else None


def _parts(text: str, units: set[str]) -> list[tuple[float, str]]:
    """Return the numbers and units of the first quantity in a text: "an hour and 15 minutes" has two."""
    parts: list[tuple[float, str]] = []
    end = 0
    for match in _PART.finditer(text):
        name = match["unit"].lower()
        unit = _NAMES.get(name) or _NAMES[name.removesuffix("s")]
        if unit not in units:
            continue
        if parts and not re.fullmatch(r",? (?:and )?", text[end : match.start()]):
            break
        number = next((fixed for group, fixed in _FIXED.items() if match[group]), None)
        number = (float(match["number"]) if number is None else number) + _MORE[match["more"] and match["more"].lower()]
        parts.append((number + int(match["rest"] or 0) * _SMALLER.get(unit, 0), unit))
        end = match.end()
    return parts
