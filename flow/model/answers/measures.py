"""Quantities with a unit as people say them: "an hour and a half", "for about three months", "one metre twenty"."""

import re
from typing import Final

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import label_of, read_values

# The units of each dimension, in the smallest of them, and their other names.
_TABLES: Final[list[dict[str, float]]] = read_values()["measures"]
_NAMES: Final[dict[str, str]] = {unit: unit for table in _TABLES for unit in table} | read_values()["short_units"]
_TIMES = {*_TABLES[0], *_TABLES[1]}
_SMALLER = {"metre": 0.01, "foot": 1 / 12, "stone": 1 / 14}  # "six foot two"
_FORMS = (f"{name}(?:s|es|e|en|n)?" if len(name) > 2 else f"{name}s?" for name in sorted(_NAMES, key=len, reverse=True))
_UNIT = rf"(?:{'|'.join(_FORMS)})\b"
_PART = re.compile(
    r"(?<![\w.])(?<!times )(?<!once )(?<!twice )"
    r"(?:(?P<half>half)(?: of)? an?|(?:a )?(?P<quarter>quarter) of an?|(?P<quarters>3) quarters of an|"
    r"(?P<one>an?|one|eine[nrm]?|ein|una?)|(?P<number>\d{1,9}(?:\.\d{1,9})?))"
    rf"(?:(?<=\d)|[ -](?:\w+ )??)(?P<unit>{_UNIT})(?P<more> and a (?:half|quarter)| y media)?"
    rf"(?:(?= (?P<rest>\d\d?)\b(?! {_UNIT})))?",
    re.IGNORECASE,
)
_FIXED = {"half": 0.5, "quarter": 0.25, "quarters": 0.75, "one": 1.0}
_MORE = {"": 0.0, " and a half": 0.5, " y media": 0.5, " and a quarter": 0.25}
_SINCE = re.compile(r"\b(?:since|seit|desde) (?:\w+ ?){1,4}", re.IGNORECASE)


def unit_of(key: str, question: str = "") -> str | None:
    """Return the unit that a key names, else its question: `duration_minutes`, `width_cm`, "in metres"."""
    words = label_of(key).split()
    for word in [*reversed(words), *re.findall(r"\bin (\w+)", question.lower())]:
        is_unit = word.endswith("s") or (word not in _TIMES and word in _NAMES)
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


def find_duration(slot: Slot, utterance: Utterance) -> str | None:
    """Return a length of time such as `2 weeks`, or the words of its begin: "since Monday"."""
    if utterance.language != "en" and (said := _PART.search(utterance.digits)):
        return said[0]
    if parts := _parts(utterance.digits, _TIMES):
        return " and ".join(f"{number:g} {unit}{'' if number == 1 else 's'}" for number, unit in parts)
    since = _SINCE.search(utterance.digits)
    return since[0].strip() if since else None


def _parts(text: str, units: set[str]) -> list[tuple[float, str]]:
    """Return the numbers and units of the first quantity in a text: "an hour and 15 minutes" has two."""
    parts: list[tuple[float, str]] = []
    end = 0
    for match in _PART.finditer(text):
        name = match["unit"].lower()
        unit = next(_NAMES[name[: len(name) - cut]] for cut in range(3) if name[: len(name) - cut] in _NAMES)
        if unit not in units:
            continue
        if parts and not re.fullmatch(r",? (?:and |und |y )?", text[end : match.start()]):
            break
        number = next((fixed for group, fixed in _FIXED.items() if match[group]), None)
        number = (float(match["number"]) if number is None else number) + _MORE[(match["more"] or "").lower()]
        parts.append((number + int(match["rest"] or 0) * _SMALLER.get(unit, 0), unit))
        end = match.end()
    return parts
