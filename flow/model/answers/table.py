"""The table of kinds: how a value of a kind is found in what the user said, and how one is made up.

`kinds.kind_of` says which kind a member of an answer has. How a caller says a value stands in `words/`, as `says`.
"""

import re
from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any, NamedTuple

from dryline.flow.model.answers.contacts import (
    alike,
    find_code,
    find_email,
    find_phone,
    find_zip,
    make_code,
    make_email,
    make_phone,
)
from dryline.flow.model.answers.dates import find_date, make_date
from dryline.flow.model.answers.names import find_name, make_name
from dryline.flow.model.answers.numbers import find_number, make_number
from dryline.flow.model.answers.places import (
    find_address,
    find_city,
    find_company,
    find_role,
    find_state,
    find_street,
    make_address,
    make_place,
)
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.texts import find_model
from dryline.flow.model.answers.times import find_datetime, find_time, make_time
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import NUMBERS, class_of


class Kind(NamedTuple):
    """The finder of a kind of value, which returns None for none, and the function that makes one up, if it has one."""

    find: Callable[[Slot, Utterance], Any]
    make: Callable[[Slot, Random, datetime], Any] | None = None


KINDS = {
    "email": Kind(find_email, make_email),
    "phone": Kind(find_phone, make_phone),
    "code": Kind(find_code, make_code),
    "zip": Kind(find_zip, make_place),
    "name": Kind(find_name, make_name),
    "company": Kind(find_company),
    "role": Kind(find_role),
    "date": Kind(find_date, make_date),
    "birth": Kind(find_date, make_date),
    "past": Kind(find_date, make_date),
    "time": Kind(find_time, make_time),
    "datetime": Kind(find_datetime),
    "address": Kind(find_address, make_address),
    "street": Kind(find_street, make_address),
    "city": Kind(find_city, make_place),
    "state": Kind(find_state, make_place),
    "model": Kind(find_model),
    **dict.fromkeys(NUMBERS, Kind(find_number)),
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
        return type(slot.example)(make_number(slot, random, now)), "made up"
    if slot.example is None:
        return None, "not said"
    if slot.kind in KINDS and (make := KINDS[slot.kind].make):
        return make(slot, random, now), "made up"
    alternatives = class_of(example) or class_of({"company": "Acme", "role": "manager"}.get(slot.kind, ""))
    if alternatives:  # the usual ones come first
        (value,) = random.choices(alternatives, [1 / rank for rank in range(1, len(alternatives) + 1)])
        return value.lower() if example.islower() else value, "made up"
    if re.search(r"\d", example):  # such as a room, or "2 weeks"
        return alike(example, random), "made up"
    return (example, "the example") if example else ("not said", "made up")
