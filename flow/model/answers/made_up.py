"""Invented values where nobody said any. They repeat with the seed and fit the clock, the question and the example."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from dryline.flow.model.answers.dates import SpokenDate, format_date
from dryline.flow.model.answers.numbers import scale_of
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import SpokenTime, format_time
from dryline.flow.model.kinds import class_of, label_of, language_of, part_of_name, read_values

MADE_UP = "made-up"  # `unsaid`: the values of members that nobody said are invented
_SEVERAL = {"nights": 7, "rooms": 3, "adults": 4, "quantity": 4, "qty": 4, "guests": 8, "people": 8}
_SEVERAL |= {"children": 3, "kids": 3, "hour": 17, "minute": 59, "month": 12, "day": 28, "stars": 5}
_FRIDAY = 4


def made_up(slot: Slot, random: Random, now: datetime) -> tuple[Any, str]:
    """Return an invented value in the type of the example, and its source: `made up`; for free text `the example`."""
    example = slot.example_text
    if slot.choices:
        return random.choice(slot.choices), "made up"
    if isinstance(slot.example, bool):
        return random.random() < 0.6, "made up"
    if isinstance(slot.example, (int, float)):
        return type(slot.example)(_number(slot, slot.example, random, now)), "made up"
    if slot.example is None:
        return None, "not said"
    if slot.kind in _MAKERS:
        return _MAKERS[slot.kind](slot, random, now), "made up"
    alike = class_of(example) or class_of({"company": "Acme", "role": "manager"}.get(slot.kind, ""))
    if alike:
        (value,) = random.choices(alike, [1 / rank for rank in range(1, len(alike) + 1)])  # the usual ones come first
        return value.lower() if example.islower() else value, "made up"
    if re.search(r"\d", example):  # such as a room, or "2 weeks"
        return _alike(example, random), "made up"
    return (example, "the example") if example else ("not said", "made up")


def _number(slot: Slot, example: float, random: Random, now: datetime) -> float:
    key = label_of(slot.key).split()[-1:] or [""]
    if bounds := scale_of(slot.question):
        return random.randint(int(bounds[0]), int(bounds[1]))
    ranges = {
        "year": (min(now.year, int(example)) - 5, min(now.year, int(example) + 3)),
        "age": (19, 79),
        "rating": (1, 10 if example > 5 or not example else 5),
    }
    if slot.kind in ranges or key[0] in _SEVERAL:
        return random.randint(*ranges.get(slot.kind, (1, _SEVERAL.get(key[0], 1))))
    if isinstance(example, float):
        return round(random.uniform(0.5, 1.5) * (abs(example) or 1.0), 2)
    high = max(2, min(abs(example) * 2, 10**9))
    step = 10 ** max(0, len(str(high)) - 2) if slot.kind == "money" or (example % 100 == 0 and example) else 1
    return max(step, random.randint(max(1, abs(example) // 2), high) // step * step)


def _alike(pattern: str, random: Random) -> str:
    """Return a text built as the pattern is: a digit for a digit; its letters stay, as in the prefix of a number."""
    return "".join(
        str(random.randint(1 if index == 0 else 0, 9)) if each.isdigit() else each for index, each in enumerate(pattern)
    )


def _name(slot: Slot, random: Random, now: datetime) -> str:
    first, last = random.choice(read_values()["made_up_first"]), random.choice(read_values()["made_up_last"])
    return str({"first": first, "last": last}.get(part_of_name(slot.key) or "", f"{first} {last}"))


def _phone(slot: Slot, random: Random, now: datetime) -> str:
    example, digits = slot.example_text, re.sub(r"\D", "", slot.example_text)
    if len(digits) == 7:  # numbers that nobody has: 555-0100 to 555-0199
        number = iter(f"55501{random.randint(0, 99):02}")
        return "".join(next(number) if each.isdigit() else each for each in example)
    return f"+1555{random.randint(2000000, 9999999)}"


def _email(slot: Slot, random: Random, now: datetime) -> str:
    names = random.choice(read_values()["made_up_first"]), random.choice(read_values()["made_up_last"])
    return f"{'.'.join(names).lower()}@example.com"


def _day(slot: Slot, random: Random, now: datetime) -> date:
    if slot.kind == "birth":
        return date(now.year - random.randint(20, 75), random.randint(1, 12), random.randint(1, 28))
    if slot.kind == "past":
        return now.date() - timedelta(days=random.randint(1, 20))
    day = now.date() + timedelta(days=random.randint(2, 21))
    # Not at a weekend. "Monday" said on a Monday could be today or in a week.
    while day.weekday() > _FRIDAY or (_is_weekday(slot) and day.weekday() == now.weekday()):
        day += timedelta(days=1)
    return day


def _is_weekday(slot: Slot) -> bool:
    return slot.example_text.casefold() in read_values()["weekdays"]


def _date(slot: Slot, random: Random, now: datetime) -> str:
    day, example = _day(slot, random, now), slot.example_text
    language = language_of(f"{slot.question} {example}")
    names = read_values(language)
    weekday, month = str(names["weekdays"][day.weekday()]), str(names["months"][day.month - 1])
    if not re.search(r"\d", example) and (_is_weekday(slot) or language != "en"):
        return weekday if example.islower() else weekday.capitalize()
    if language != "en" and re.search(r"[^\W\d_]", example):
        return f"{day.day}. {month.capitalize()}" if language == "de" else f"{day.day} de {month}"
    said = f"{day:%B} {day.day}{f', {day.year}' if slot.kind == 'birth' else ''}"
    spoken = SpokenDate(0, 0, said, day.year, day.month, day.day)
    return format_date(spoken, example, now.date(), kind=slot.kind, language="en") or said


def _time(slot: Slot, random: Random, now: datetime) -> str:
    hour, minute = random.randint(9, 16), random.choice((0, 15, 30, 45))
    return format_time(SpokenTime(0, 0, "", hour, minute, "a" if hour < 12 else "p"), slot.example_text, "")


def _code(slot: Slot, random: Random, now: datetime) -> str:
    return _alike(slot.example_text if re.search(r"\d", slot.example_text) else "100000", random)


def _place(slot: Slot, random: Random, now: datetime) -> str:
    city, state, zip_code = random.choice(read_values()["made_up_places"])
    return str({"city": city, "state": state, "zip": zip_code}[slot.kind])


def _address(slot: Slot, random: Random, now: datetime) -> str:
    return f"{random.randint(1, 999)} {random.choice(read_values()['made_up_streets'])}"


_MAKERS: dict[str, Callable[[Slot, Random, datetime], str]] = {
    "name": _name,
    "phone": _phone,
    "email": _email,
    **dict.fromkeys(("date", "birth", "past"), _date),
    "time": _time,
    "code": _code,
    **dict.fromkeys(("zip", "city", "state"), _place),
    **dict.fromkeys(("address", "street"), _address),
}
