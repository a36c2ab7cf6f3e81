"""Finds the value of one member of an answer in what the user said. Its kind decides how it is looked for."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from dryline.engine.choice_values import find_choice, find_of_class, find_yes_no
from dryline.engine.code_values import find_code
from dryline.engine.company_values import find_company, find_role
from dryline.engine.contact_values import find_email, find_phone, find_zip, format_phone
from dryline.engine.date_values import find_dates
from dryline.engine.measure_values import duration_in_words, find_measure, part_about, unit_of, without_measures
from dryline.engine.name_values import WORD, NameQuestion, find_name, find_names, no_names
from dryline.engine.number_values import find_end_of_range, find_number, format_money
from dryline.engine.offered_times import find_offered_time
from dryline.engine.place_values import find_address, find_city, find_end_of_trip, find_state, find_street
from dryline.engine.slot_times import find_date, find_datetime, find_time
from dryline.engine.slots import Slot, digits_of
from dryline.engine.spoken_turns import Utterance, without_fillers
from dryline.engine.text_values import find_labelled, find_sentence, find_thing, find_things, with_modifiers
from dryline.engine.time_values import find_times
from dryline.flow.model.understanding import Context, options_of, understand
from dryline.phrases.value_kinds import (
    class_of,
    key_words,
    kind_of,
    kind_of_question,
    label_of,
    names_speaker,
    part_of_name,
)

MISSING: Final = object()

_TOPICS = {"topic", "reason", "intent", "subject", "issue", "category", "department", "purpose", "request", "about"}
_TOPICS |= {"inquiry", "enquiry", "need", "wish", "concern"}
_SHORT = 4  # words of a clause or an example that can be the name of a thing
_BOOKS = re.compile(r"\b(?:book|appointment|schedul|reserv|visit)", re.IGNORECASE)
_NUMBERS = ("number", "count", "age", "year", "money", "rating", "percent", "duration")


def find_value(slot: Slot, utterances: list[Utterance], now: datetime) -> Any:
    """Return the value that was said, in the type of the example, or MISSING. The newest utterance with one counts."""
    if slot.kind == "yes_no":
        if utterances and _asks_for_completeness(slot):
            return _is_complete_address(utterances)
        answer = find_yes_no(utterances, slot.key, slot.question, slot.siblings)
        return MISSING if answer is None else answer
    find = _FINDERS.get(slot.kind, _text)
    role = _end_of_trip(slot)
    for utterance in utterances:
        for part in utterance.parts if slot.kind not in ("reason", "text") else (utterance.text,):
            text = _part_of_trip(part, role) if role else part
            value = find(slot, Utterance(text, utterance.question, utterance.language), now)
            if value is not None:
                return _typed(value, slot.example)
        if slot.choices and (value := _choice(slot, utterance, now)) is not None and len(utterance.parts) < 2:
            return value
    return MISSING


def _end_of_trip(slot: Slot) -> str | None:
    """Return the end of a trip that an object around the slot stands for, as the city in `{"from": {"city": …}}`."""
    parents = {label_of(name) for name in slot.path.split(".")[:-1]}
    if parents & key_words("trip_start"):
        return "from"
    return "to" if parents & key_words("trip_end") else None


def _part_of_trip(text: str, role: str) -> str:
    """Return the part of "from … to …" that is about one end."""
    match = re.search(r"\bfrom\s+(?P<from>.+?)\s+to\s+(?P<to>.+)", text, re.IGNORECASE)
    return match[role] if match else text


def _typed(value: Any, example: Any) -> Any:
    """Return the value in the type of the example; a whole number stays one where the example has no type."""
    if isinstance(value, float):
        if isinstance(example, float):
            return value
        whole = int(value) if value == int(value) else value
        return whole if isinstance(example, (int, float)) or example is None else str(whole)
    if isinstance(example, (int, float)) and isinstance(value, str):
        return MISSING
    return value


def _phone(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    phone = find_phone(digits_of(utterance), utterance.language)
    return format_phone(phone, slot.example_text) if phone else None


def _code(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    text = digits_of(utterance)
    label = label_of(slot.key).partition(" ")[0]
    is_named = bool(label) and re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE)
    if not is_named and not slot.is_answered_by(utterance):
        return None
    phone = find_phone(text, utterance.language)
    if phone and len(re.sub(r"\D", "", slot.example_text)) < 9 and not phone.isdigit():
        other = find_code(text.replace(phone, " "), utterance.language, slot.example_text)
        if other or not slot.is_asked_for(utterance) or kind_of_question(utterance.question) == "phone":
            return other
    return find_code(text, utterance.language, slot.example_text)


def _zip(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    if not slot.is_answered_by(utterance):
        return None
    text = digits_of(utterance)
    if not re.search(r"[A-Z]", slot.example_text):
        return find_zip(text)
    code = find_code(text, utterance.language, slot.example_text) or ""  # as in the United Kingdom
    return code if re.fullmatch(r"[A-Z][A-Z\d ]{4,8}", code) else None


def _street(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    street = find_street(digits_of(utterance), slot.example_text)
    has_number = any(label_of(key) in ("house number", "street number", "number", "house") for key in slot.siblings)
    return re.sub(r"^\d+ ?[A-Za-z]? (?=\w)", "", street) if street and has_number else street


def _duration(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    if isinstance(slot.example, str) and not slot.example.isdigit():
        return duration_in_words(digits_of(utterance))
    return _number(slot, utterance, now)


def _number(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    text = digits_of(utterance)
    numbers = [key for key, example in slot.others.items() if isinstance(example, (int, float))]
    if len(numbers) > 1 and slot.key in numbers:
        text = part_about(text, numbers, slot.key)
    if (unit := unit_of(slot.key, slot.question)) and (measure := find_measure(text, unit)) is not None:
        return measure if measure * 4 % 1 == 0 or isinstance(slot.example, float) else round(measure)
    question = f"{slot.question} {utterance.question}"
    key = slot.key or _noun_of(slot.question)
    if slot.has_span:
        number = find_end_of_range(text, is_end=slot.is_end)
    else:
        number = find_number(
            text,
            key,
            utterance.language,
            slot.siblings,
            kind=slot.kind,
            question=question,
            size=_size_of(slot.example),
        )
    if number is None or not _is_meant(slot, utterance, text):
        return None
    has_sign = slot.kind == "money" and re.match(r"[^\d\s]", slot.example_text)
    return format_money(number, slot.example_text) if has_sign else number


def _size_of(example: Any) -> float:
    """Return the number in an example such as `25`, `12.5` or `$1,200`."""
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", str(example))
    return float(digits[0].replace(",", "")) if digits else 0.0


def _is_meant(slot: Slot, utterance: Utterance, text: str) -> bool:
    """Return whether a number of an utterance is that of the slot: it was asked for, or a word of the key was said."""
    is_bare = bool(re.fullmatch(r"\W*\d+(?:\.\d+)?\W*", text))
    if slot.is_answered_by(utterance) and (is_bare or _is_marked(slot, text) or slot.is_asked_for(utterance)):
        return True
    named = {word.rstrip("s") for word in label_of(slot.key).split() if len(word) > 2}
    return bool(named & {word.rstrip("s") for word in re.findall(r"\w+", text.lower())})


_MARKS = {
    "money": re.compile(
        r"[$\u20ac\u00a3]|\d\s?[kK]\b|\b(?:dollars?|bucks|euros?|pounds?|budget|pay|cost|price)\b", re.IGNORECASE
    ),
    "age": re.compile(r"\b(?:i'm|i am|turn(?:ed|ing)?|aged?) \d|\byears? old\b", re.IGNORECASE),
    "rating": re.compile(r"\b(?:stars?|points?|out of|give|say|rate|rating)\b", re.IGNORECASE),
}


def _is_marked(slot: Slot, text: str) -> bool:
    """Return whether a text marks its number as one of the kind that is looked for, where that kind needs it."""
    return slot.kind not in _MARKS or bool(_MARKS[slot.kind].search(text))


def _noun_of(question: str) -> str:
    match = re.search(r"how many (\w+)", question, re.IGNORECASE)
    return match[1].lower() if match else ""


def _name(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    asked_kind = kind_of_question(
        f"{utterance.question} {slot.question}" if not utterance.question else utterance.question
    )
    part = part_of_name(slot.key)
    if part is not None and _asks_for_other_part(utterance.question, part):
        return None
    of_other = not names_speaker(slot.key)
    question = NameQuestion(
        utterance.language,
        part,
        is_answered=asked_kind == "name"
        or (asked_kind is None and slot.is_named_in(utterance.question or slot.question))
        or _names_in(utterance.question)
        or (of_other and slot.is_asked_for(utterance)),
        asks_part_alone=part is not None and part_of_name(utterance.question or slot.question) == part,
        of_other=of_other,
    )
    if slot.number is not None:
        return next(iter(find_names(utterance.text, question)[slot.number : slot.number + 1]), None)
    labelled = re.split(r" and\b", find_labelled(utterance.text, slot.key) or "")[0] or None
    name = labelled and find_name(labelled, replace(question, is_answered=True))
    name = name or find_name(utterance.text, question)
    if name and (title := re.match(r"Dr\.? ", slot.example_text)):
        return f"{title[0]}{name}"
    return name


def _asks_for_other_part(question: str, part: str) -> bool:
    """Return whether a question asks for the last name alone where the first is wanted, or the reverse."""
    words = set(re.findall(r"\w+", question.lower()))
    return part_of_name(question) not in (None, part) and not {"first", "last"} <= words


def _names_in(question: str) -> bool:
    return bool(
        re.search(r"\b(?:name|names|who|spell|spelled|spelt|heißt|heißen|llama|nombre)\b", question, re.IGNORECASE)
    )


def _company(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    is_answer = kind_of_question(utterance.question or slot.question) == "company" or slot.is_asked_for(utterance)
    return find_company(utterance.text, answers=is_answer) or find_labelled(utterance.text, slot.key)


def _role(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    is_bare = slot.is_asked_for(utterance) and re.fullmatch(r"[a-z]+(?: [a-z]+){,3}", utterance.text)
    role = find_role(utterance.text) or find_labelled(utterance.text, slot.key)
    return role or (find_thing(utterance, label_of(slot.key)) if is_bare else None)


def _place(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    label = label_of(slot.key)
    if trip := find_end_of_trip(utterance.text, label):
        return trip
    is_asked = kind_of_question(utterance.question or slot.question) in ("city", "address") or slot.is_asked_for(
        utterance
    )
    if slot.has_span or (label in key_words("trip_start") | key_words("trip_end") and not is_asked):
        return None
    return find_city(digits_of(utterance), answers=is_asked) or find_labelled(utterance.text, slot.key)


def _choice(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    if slot.choices:
        if (time := find_offered_time(digits_of(utterance), slot.choices)) is not None:
            return time
        value = find_choice(utterance.text, slot.choices)
        is_topic = bool(_TOPICS & {*label_of(slot.key).split()})
        return _meant_choice(slot.choices, utterance) if value is None and is_topic else value
    return _text(slot, utterance, now)


def _meant_choice(choices: list[Any], utterance: Utterance) -> Any:
    """Return the choice that an utterance is clearly about: "Where is my parcel?" is about tracking."""
    labels = [label_of(str(choice)) for choice in choices]
    # "I need an appointment" asks for no consultation, unless one of the choices is to book.
    others = [] if any(map(_BOOKS.search, labels)) else ["caller wants an appointment"]
    conditions = [*(f"caller asks about {label}" for label in labels), *others]
    decision = understand(conditions, utterance.text, Context(utterance.question, ""))
    if decision.index is None or decision.index >= len(choices):
        return None
    return choices[decision.index]


def _text(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    """Return free text: a value of the example's class, one behind the key, or the answer to this very question."""
    if labelled := find_labelled(utterance.text, slot.key):
        return labelled
    if slot.example_text and class_of(slot.example_text):
        member = find_of_class(utterance.text, slot.example_text)
        if member is not None:
            return with_modifiers(member, utterance.text) if slot.kind in ("service", "item", "text") else member
    options = options_of(utterance.question or slot.question)
    if slot.example_text.lower() in options and (option := find_choice(utterance.text, options)) is not None:
        return option
    if slot.kind in ("item", "text") and len(slot.others) > 1:
        utterance = replace(utterance, text=_without_values(slot, utterance) or utterance.text)
        if thing := _counted(slot, utterance):
            return thing
    if not (slot.is_only_text or slot.is_named_in(utterance.question)) or not slot.is_answered_by(utterance):
        return None
    if slot.kind in ("language", "country", "make", "model", "choice"):
        clauses = [without_fillers(clause, utterance.language) for clause in utterance.text.split(",")]
        short = [clause for clause in clauses if 0 < len(clause.split()) <= _SHORT and not re.search(r"\d", clause)]
        if not short:
            return None
        utterance = replace(utterance, text=short[0])
    label = label_of(slot.key)
    is_sentence = not 0 < len(slot.example_text.split()) <= _SHORT  # unlike "golden retriever"
    if slot.kind == "reason" or (slot.kind == "text" and is_sentence):
        return find_sentence(utterance, label)
    return find_thing(utterance, label) or _proper_name(slot, utterance.text)


def _proper_name(slot: Slot, text: str) -> str | None:
    """Return the one name in capitals that an utterance has, where the example is such a name."""
    if not re.fullmatch(rf"{WORD}(?: {WORD})*", slot.example_text):
        return None
    names = re.findall(rf"(?<=[a-z,] ){WORD}(?: (?:of |the |and |& )?{WORD})*", text)
    names = [name for name in names if name.split()[0].casefold() not in no_names()]
    return names[0].rstrip(".") if len(names) == 1 else None


def _without_values(slot: Slot, utterance: Utterance) -> str:
    """Return the text without the day, time and length that other members ask for: "on Thursday", "half an hour of"."""
    text, kinds = digits_of(utterance), {kind_of(key, example) for key, example in slot.others.items()}
    if kinds & {"duration", "count"}:
        text = without_measures(text)
    if not kinds & {"date", "past", "time"}:
        return text
    spans = [(each.start, each.end) for each in find_dates(text, utterance.language)]
    spans += [(each.start, each.end) for each in find_times(text)]
    for start, end in sorted(spans, reverse=True):
        text = re.sub(r",?(?: (?:on|at|by|for|from|in|until|the))*\s*$", "", text[:start]) + text[end:]
    return text


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


def _model(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    """Return what stands behind the make of a car, else as with any text."""
    if (member := find_of_class(utterance.text, slot.example_text)) is not None:
        return member
    makes = [example for key, example in slot.others.items() if kind_of(key, example) == "make"]
    make = find_of_class(utterance.text, makes[0]) if makes and isinstance(makes[0], str) else None
    if make and (
        match := re.search(rf"\b{re.escape(make)}\s+([A-Z0-9][\w-]*(?: \d+)?)", utterance.text, re.IGNORECASE)
    ):
        return match[1] if not match[1].islower() else match[1].capitalize()
    return _text(slot, utterance, now)


def _asks_for_completeness(slot: Slot) -> bool:
    return (
        slot.example is not None
        and "address" in slot.question.lower()
        and "complete" in f"{slot.key} {slot.question}".lower()
    )


def _is_complete_address(utterances: list[Utterance]) -> bool:
    """Return whether street, city, state and postal code were all said."""
    text = " , ".join(digits_of(utterance) for utterance in reversed(utterances))
    return all((find_street(text, "1 X"), find_city(text, answers=False), find_state(text, "TX"), find_zip(text)))


Finder = Callable[[Slot, Utterance, datetime], Any]
_FINDERS: dict[str, Finder] = {
    "email": lambda slot, utterance, now: find_email(digits_of(utterance)),
    "phone": _phone,
    "url": lambda slot, utterance, now: (
        (match := re.search(r"https?://\S+|www\.\S+", utterance.text)) and match[0].rstrip(".,")
    ),
    "name": _name,
    "company": _company,
    "role": _role,
    "date": find_date,
    "birth": find_date,
    "past": find_date,
    "time": find_time,
    "datetime": find_datetime,
    "model": _model,
    "code": _code,
    "zip": _zip,
    "address": lambda slot, utterance, now: find_address(digits_of(utterance), slot.example_text),
    "street": _street,
    "city": _place,
    "state": lambda slot, utterance, now: find_state(utterance.text, slot.example_text),
    "choice": _choice,
    **dict.fromkeys(_NUMBERS, _number),
    "duration": _duration,
}
