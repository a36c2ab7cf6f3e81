"""The table of kinds: how a value of a kind is found in what the user said, and how one is made up.

`kinds.kind_of` says which kind a member of an answer has. How a caller says a value stands in `words/`, as `says`.
"""

import re
from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any, NamedTuple

from dryline.flow.model.answers import contacts, dates, names, numbers, places, texts, times
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import NUMBERS, class_of, part_of_name, read_values


class ValueKind(NamedTuple):
    """The finder of a kind of value, which returns None for none, and the function that makes one up, if it has one."""

    find: Callable[[Slot, Utterance], Any]
    make: Callable[[Slot, Random, datetime], Any] | None = None


def _from_parts(slot: Slot, random: Random, now: datetime) -> str:
    """Return an invented value of a kind whose parts, such as first names, are listed."""
    words = read_values()
    city, state, zip_code = random.choice(words["made_up_places"])
    parts = {"first": random.choice(words["made_up_first"]), "last": random.choice(words["made_up_last"])}
    if slot.kind == "name" and (part := part_of_name(slot.key)):
        return parts[part]
    parts |= {"street": random.choice(words["made_up_streets"]), "city": city, "state": state, "zip": zip_code}
    value = str(words["made_up"][slot.kind]).format(number=random.randint(1, 999), **parts)
    return value.lower() if slot.kind == "email" else value


KINDS = {
    "email": ValueKind(contacts.find_email, _from_parts),
    "phone": ValueKind(contacts.find_phone, contacts.make_phone),
    "code": ValueKind(contacts.find_code, contacts.make_code),
    "zip": ValueKind(contacts.find_zip, _from_parts),
    "name": ValueKind(names.find_name, _from_parts),
    "company": ValueKind(places.find_company),
    "role": ValueKind(places.find_role),
    "date": ValueKind(dates.find_date, dates.make_date),
    "birth": ValueKind(dates.find_date, dates.make_date),
    "past": ValueKind(dates.find_date, dates.make_date),
    "time": ValueKind(times.find_time, times.make_time),
    "datetime": ValueKind(times.find_datetime),
    "address": ValueKind(places.find_address, _from_parts),
    "street": ValueKind(places.find_street, _from_parts),
    "city": ValueKind(places.find_city, _from_parts),
    "state": ValueKind(places.find_state, _from_parts),
    "model": ValueKind(texts.find_model),
    **dict.fromkeys(NUMBERS, ValueKind(numbers.find_number)),
}  # other kinds are free text: `texts.find_text`


def made_up(slot: Slot, random: Random, now: datetime) -> tuple[Any, str]:
    """Return an invented value in the type of the example, and its source: `made up`; for free text `the example`.

    It repeats with the seed and fits the clock, the question and the example.
    """
    example = slot.example_text
    if slot.choices:
        return random.choice(slot.choices), "made up"
    if isinstance(slot.example, bool):
        return random.random() < 0.6, "made up"
    if isinstance(slot.example, (int, float)):
        return type(slot.example)(numbers.make_number(slot, random, now)), "made up"
    if slot.example is None:
        return None, "not said"
    if slot.kind in KINDS and (make := KINDS[slot.kind].make):
        return make(slot, random, now), "made up"
    alternatives = class_of(example) or class_of({"company": "Acme", "role": "manager"}.get(slot.kind, ""))
    if alternatives:  # the usual ones come first
        (value,) = random.choices(alternatives, [1 / rank for rank in range(1, len(alternatives) + 1)])
        return value.lower() if example.islower() else value, "made up"
    if re.search(r"\d", example):  # such as a room, or "2 weeks"
        return contacts.alike(example, random), "made up"
    return (example, "the example") if example else ("not said", "made up")
