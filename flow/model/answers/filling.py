"""Fill the shape of an example, or of a JSON Schema, with what was said.

A member that nobody said is None, or an invented value for `unsaid: "made-up"`. `how` names the source of each member:
`said`, `not said`, `made up`, or `the example` (an invented value that is that of the example).

`FINDERS` find a value of a kind in what the user said and return None for none, `MAKERS` make one up. `kinds.kind_of`
returns the kind that a member of an answer has. How a caller says a value stands in `words/`, as `says`.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import orjson

from dryline.flow.language.language_model import MADE_UP, Question
from dryline.flow.model import kinds
from dryline.flow.model.answers import contacts, dates, names, numbers, places, texts, times
from dryline.flow.model.answers.choices import find_all_of_class, find_choice_of, find_yes_no
from dryline.flow.model.answers.slots import Slot, shaped
from dryline.flow.model.answers.turns import Utterance, utterances_of
from dryline.flow.model.kinds import FREE_TEXTS, class_of, key_words, kind_of, label_of, language_of, read_values

_SAID_FOR_ONE = (*FREE_TEXTS, "name", "company", "email", "phone", "code", "city", "number", "count", "money")
_ADDS = re.compile(r"\W*(?:oh,? )?(?:and|also|plus)\b|\b(?:too|as well|also)\W*(?:$|,)", re.IGNORECASE)


def _from_parts(slot: Slot, random: Random, now: datetime) -> str:
    """Return an invented value of a kind whose parts, such as first names, are listed."""
    words = read_values()
    city, state, zip_code = random.choice(words["made_up_places"])
    parts = {"first": random.choice(words["made_up_first"]), "last": random.choice(words["made_up_last"])}
    if slot.kind == "name" and (part := kinds.variant_of("name", slot.key)):
        return parts[part]
    parts |= {"street": random.choice(words["made_up_streets"]), "city": city, "state": state, "zip": zip_code}
    value = str(words["made_up"][slot.kind]).format(number=random.randint(1, 999), **parts)
    return value.lower() if slot.kind == "email" else value


FINDERS: dict[str, Callable[[Slot, Utterance], Any]] = {
    "email": contacts.find_email,
    "phone": contacts.find_phone,
    "code": contacts.find_code,
    "zip": contacts.find_zip,
    "name": names.find_name,
    "company": places.find_company,
    "role": places.find_role,
    "time": times.find_time,
    "datetime": times.find_datetime,
    "address": places.find_address,
    "street": places.find_street,
    "city": places.find_city,
    "state": places.find_state,
    "model": texts.find_model,
    **dict.fromkeys(("date", "birth", "past"), dates.find_date),
    **dict.fromkeys(kinds.NUMBERS, numbers.find_number),
}  # other kinds are free text: `texts.find_text`
MAKERS: dict[str, Callable[[Slot, Random, datetime], Any]] = {
    "phone": contacts.make_phone,
    "code": contacts.make_code,
    "time": times.make_time,
    **dict.fromkeys(("date", "birth", "past"), dates.make_date),
    **dict.fromkeys(("email", "zip", "name", "address", "street", "city", "state"), _from_parts),
}


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
    if make := MAKERS.get(slot.kind):
        return make(slot, random, now), "made up"
    alternatives = class_of(example) or class_of({"company": "Acme", "role": "manager"}.get(slot.kind, ""))
    if alternatives:  # the usual ones come first
        (value,) = random.choices(alternatives, [1 / rank for rank in range(1, len(alternatives) + 1)])
        return value.lower() if example.islower() else value, "made up"
    if re.search(r"\d", example):  # such as a room, or "2 weeks"
        return contacts.alike(example, random), "made up"
    return (example, "the example") if example else ("not said", "made up")


def fill(question: Question) -> tuple[Any, dict[str, str]]:
    """Return the answer's value, and the source of each member of it."""
    known = _members_of_json(question.about)
    about = "\n".join(map(str, known.values())) or question.about
    now = question.now or datetime.now(UTC)
    utterances = utterances_of(about, language_of(f"{question.question} {about[-500:]}"), now)
    if question.example is None and not isinstance(question.schema, dict):  # the answer is a text
        value = find_value(Slot(None, "", question=question.question), utterances)
        value = next((each.text for each in utterances), None) if value is None else value
        return value, {"value": "said" if value is not None else "not said"}
    how: dict[str, str] = {}
    is_made_up, said = question.unsaid == MADE_UP, " ".join(utterance.digits for utterance in utterances).casefold()
    owners: dict[tuple[str, bool | str, str], str] = {}  # the paths of values, by object, kind and value

    def value_of(slot: Slot) -> Any:
        value = known.get(slot.key)
        if slot.key not in known and (slot.kind != "phone" or kinds.is_of_user(slot.key, slot.question)):
            value = find_value(slot, utterances)
            value = None if is_taken(slot, value) else value
        source = "said" if value is not None or slot.key in known else "not said"
        if source == "not said" and is_made_up:
            value, source = made_up(slot, question.random, now)
        how[slot.path or "value"] = source
        return value

    def is_taken(slot: Slot, value: Any) -> bool:
        """Return whether a member beside this one has the value already, which was said only once."""
        if slot.kind not in _SAID_FOR_ONE or value is None:
            return False
        place = slot.path.rpartition(".")[0], slot.kind in FREE_TEXTS or slot.kind, str(value).casefold()
        owner = owners.setdefault(place, slot.path)
        return owner != slot.path and said.count(place[2]) < 2 and re.search(r"\b(?:same|both|each)\b", said) is None

    def members_of(example: Any, place: Slot) -> list[Any] | None:
        """Return the members of a list that was said; None to walk the example instead, for invented values."""
        members = _listed(example, place, utterances)
        if not members and is_made_up:
            return None
        how[place.path or "value"] = "said" if members else "not said"
        return members

    return shaped(question, value_of, members_of), how


def find_value(slot: Slot, utterances: list[Utterance]) -> Any:
    """Return the value that was said, in the type of the example; None if none was. The newest utterance counts."""
    if slot.kind == "yes_no":
        return find_yes_no(slot, utterances)
    find = FINDERS.get(slot.kind, texts.find_text)
    for utterance in utterances:
        for part in utterance.parts if slot.kind not in ("reason", "text") else (utterance.text,):
            value = find(slot, replace(utterance, text=part))
            if value is not None:
                return _typed(value, slot.example)
        if slot.choices and len(utterance.parts) < 2 and (value := find_choice_of(slot, utterance)) is not None:
            return value
    return None


def _typed(value: Any, example: Any) -> Any:
    """Return the value in the type of the example; a whole number stays one where the example has no type."""
    if isinstance(value, float) and not isinstance(example, float):
        whole = int(value) if value == int(value) else value
        return whole if isinstance(example, int) or example is None else str(whole)
    return None if isinstance(example, (int, float)) and isinstance(value, str) else value


def _listed(example: Any, place: Slot, utterances: list[Utterance]) -> list[Any]:
    """Return the members of a list; utterances before the newest that names some count if that adds to them."""
    if not isinstance(example, (dict, str)):
        value = find_value(Slot(example, place.key, question=place.question), utterances)
        return [] if value is None else [value]
    listed: list[Any] = []
    for utterance in utterances:
        listed = _members_in(utterance, example, place) + listed
        if listed and not _ADDS.search(utterance.text):
            break
    return listed


def _members_in(utterance: Utterance, example: Any, place: Slot) -> list[Any]:
    """Return the members of a list that one utterance names."""
    latest = " ".join(utterance.parts[:1])
    if isinstance(example, str) and kind_of(place.key, example) == "date":
        return dates.find_weekdays(latest, utterance.language, example)
    words = {word for word in label_of(place.key).split() if len(word) > 2}
    asks_for_list = words & set(re.findall(r"\w+", utterance.question.lower()))
    things = texts.find_things(latest, "" if asks_for_list else utterance.question, utterance.language)
    members = [_like(example, thing) for thing in things]
    known = find_all_of_class(utterance.parts, example) if isinstance(example, str) else []
    return known if len(known) >= max(len(members), 1) else members


def _like(example: Any, thing: dict[str, Any]) -> Any:
    """Return a thing in the shape of the list's example: a text, or an object with its name, quantity and size."""
    name = thing["name"]
    if not isinstance(example, dict):
        return name
    if "size" in example and thing["size"]:
        name = name.removeprefix(f"{thing['size']} ")
    name_key = next((key for key, value in example.items() if isinstance(value, str)), None)
    counts = [key for key, value in example.items() if isinstance(value, (int, float))]
    counts = [key for key in counts if label_of(key) in key_words("quantity")]
    values = {"size": thing["size"], **dict.fromkeys(counts, thing["quantity"] or 1), name_key: name}
    return {key: values.get(key) for key in example}


def _members_of_json(about: str) -> dict[str, Any]:
    """Return the members of an earlier answer that is asked in its turn; none for other texts."""
    try:
        members = orjson.loads(about) if about.startswith("{") else {}
    except orjson.JSONDecodeError:
        return {}
    return members if isinstance(members, dict) else {}
