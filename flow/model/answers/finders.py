"""The finder of each kind of value, and what is found for one slot in what the user said."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from dryline.flow.model.answers.choices import find_choice, find_choice_of, find_of_class, options_of
from dryline.flow.model.answers.codes import find_code_of
from dryline.flow.model.answers.contacts import find_email, find_phone, find_zip
from dryline.flow.model.answers.dates import find_date
from dryline.flow.model.answers.names import find_name_of
from dryline.flow.model.answers.numbers import find_number
from dryline.flow.model.answers.places import (
    find_address,
    find_company,
    find_place,
    find_role,
    find_state,
    find_street_of,
)
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.texts import find_labelled, find_sentence, find_thing, find_things, with_modifiers
from dryline.flow.model.answers.times import find_datetime, find_time
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.answers.yes_no import find_yes_no
from dryline.flow.model.kinds import NUMBERS, class_of, key_words, kind_of, label_of

MISSING: Final = object()
_SHORT = 4  # words of a clause or an example that can be the name of a thing


def find_value(slot: Slot, utterances: list[Utterance], now: datetime) -> Any:
    """Return the value that was said, in the type of the example, or MISSING. The newest utterance with one counts."""
    if slot.kind == "yes_no":
        answer = find_yes_no(utterances, slot.key, slot.question, slot.siblings)
        return MISSING if answer is None else answer
    find = _FINDERS.get(slot.kind, _find_text)
    for utterance in utterances:
        for part in utterance.parts if slot.kind not in ("reason", "text") else (utterance.text,):
            value = find(slot, replace(utterance, text=_part_of_trip(slot, part)), now)
            if value is not None:
                return _typed(value, slot.example)
        if slot.choices and len(utterance.parts) < 2 and (value := find_choice_of(slot, utterance)) is not None:
            return value
    return MISSING


def _part_of_trip(slot: Slot, text: str) -> str:
    """Return the part of "from … to …" that an object around the slot is about, as in `{"from": {"city": …}}`."""
    parents = {label_of(name) for name in slot.path.split(".")[:-1]}
    match = re.search(r"\bfrom\s+(?P<trip_start>.+?)\s+to\s+(?P<trip_end>.+)", text, re.IGNORECASE)
    ends = [end for end in ("trip_start", "trip_end") if parents & key_words(end)]
    return match[ends[0]] if match and ends else text


def _typed(value: Any, example: Any) -> Any:
    """Return the value in the type of the example; a whole number stays one where the example has no type."""
    if isinstance(value, float):
        if isinstance(example, float):
            return value
        whole = int(value) if value == int(value) else value
        return whole if isinstance(example, (int, float)) or example is None else str(whole)
    return MISSING if isinstance(example, (int, float)) and isinstance(value, str) else value


def _find_text(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    """Return free text: a value of the example's class, one behind the key, or the answer to this very question."""
    if labelled := find_labelled(utterance.text, slot.key):
        return labelled
    if class_of(slot.example_text) and (member := find_of_class(utterance.text, slot.example_text)):
        return with_modifiers(member, utterance.text) if slot.kind in ("service", "item", "text") else member
    options = options_of(utterance.question or slot.question)
    if slot.example_text.lower() in options and (option := find_choice(utterance.text, options)) is not None:
        return option
    if slot.kind in ("item", "text") and len(slot.others) > 1 and (thing := _counted(slot, utterance)):
        return thing
    if not (slot.is_only_text or slot.is_named_in(utterance.question)) or not slot.is_answered_by(utterance):
        return None
    label = label_of(slot.key)
    is_sentence = not 0 < len(slot.example_text.split()) <= _SHORT  # unlike "golden retriever"
    if slot.kind == "reason" or (slot.kind == "text" and is_sentence):
        return find_sentence(utterance, label)
    return find_thing(utterance, label)


def _counted(slot: Slot, utterance: Utterance) -> str | None:
    """Return the one thing that is counted, where its number is asked for beside it: "forty rolls for Monday"."""
    if not any(kind_of(key, example) in ("count", "number") for key, example in slot.others.items()):
        return None
    question = "" if slot.kind == "item" and slot.is_asked_for(utterance) else "x"  # which asks for no things
    part = next(iter(utterance.parts), "")
    counted = [thing for thing in find_things(part, question, utterance.language) if thing["quantity"]]
    name = counted[0]["name"] if len(counted) == 1 else ""
    for example in slot.others.values():
        if example != slot.example and isinstance(example, str) and (value := find_of_class(name, example)):
            name = re.sub(rf"\b{value}\b\s*", "", name, flags=re.IGNORECASE)
    return name or None


def _find_choice(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    return find_choice_of(slot, utterance) if slot.choices else _find_text(slot, utterance, now)


def _find_model(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    """Return what stands behind the make of a car, else as with any text."""
    if member := find_of_class(utterance.text, slot.example_text):
        return member
    makes = [str(example) for key, example in slot.others.items() if kind_of(key, example) == "make"]
    make = find_of_class(utterance.text, makes[0]) if makes else None
    match = re.search(rf"\b{re.escape(make)}\s+([A-Z0-9][\w-]*(?: \d+)?)", utterance.text, re.I) if make else None
    if match:
        return match[1].capitalize() if match[1].islower() else match[1]
    return _find_text(slot, utterance, now)


def _find_length(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    is_number = not slot.example_text or slot.example_text.isdigit()
    return find_number(slot, utterance) if is_number else _find_text(slot, utterance, now)


Finder = Callable[[Slot, Utterance, datetime], Any]
_FINDERS: dict[str, Finder] = {
    "email": lambda slot, utterance, now: find_email(utterance.digits),
    "phone": lambda slot, utterance, now: find_phone(utterance.digits, utterance.language, slot.example_text),
    "name": lambda slot, utterance, now: find_name_of(slot, utterance),
    "company": lambda slot, utterance, now: find_company(slot, utterance),
    "role": lambda slot, utterance, now: find_role(slot, utterance),
    **dict.fromkeys(("date", "birth", "past"), find_date),
    "time": find_time,
    "datetime": find_datetime,
    "model": _find_model,
    "code": lambda slot, utterance, now: find_code_of(slot, utterance),
    "zip": lambda slot, utterance, now: find_zip(utterance.digits) if slot.is_answered_by(utterance) else None,
    "address": lambda slot, utterance, now: find_address(utterance.digits, slot.example_text),
    "street": lambda slot, utterance, now: find_street_of(slot, utterance),
    "city": lambda slot, utterance, now: find_place(slot, utterance),
    "state": lambda slot, utterance, now: find_state(utterance.text, slot.example_text),
    "choice": _find_choice,
    **dict.fromkeys(NUMBERS, lambda slot, utterance, now: find_number(slot, utterance)),
    "duration": _find_length,
}
