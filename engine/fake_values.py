"""Invented values where nobody said any. They repeat with the seed and fit the clock, the question and the example."""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from dryline.engine.choice_values import find_choice
from dryline.engine.date_formats import format_date
from dryline.engine.date_values import SpokenDate
from dryline.engine.language_model import MADE_UP
from dryline.engine.number_values import range_of
from dryline.engine.slots import Slot
from dryline.engine.spoken_turns import Utterance
from dryline.engine.time_values import SpokenTime, format_time
from dryline.phrases.value_kinds import class_of, label_of, language_of, part_of_name, read_values

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
_PLACES = (("Austin", "TX", "78701"), ("Denver", "CO", "80202"), ("Columbus", "OH", "43215"), ("Tucson", "AZ", "85701"))
_PHONE_IN_QUESTION = re.compile(r"\+?\d[\d\s().-]{5,18}\d")
_SEVERAL = {
    "nights": 7,
    "rooms": 3,
    "adults": 4,
    "children": 3,
    "kids": 3,
    "quantity": 4,
    "qty": 4,
    "guests": 8,
    "people": 8,
}
_FRIDAY = 4
_CLOCK = {"hour": (9, 17), "minute": (0, 59), "month": (1, 12), "day": (1, 28), "stars": (1, 5)}


def made_up(slot: Slot, random: Random, now: datetime) -> tuple[Any, str]:
    """Return an invented value in the type of the example, and its source: `made up`; for free text `the example`."""
    if slot.choices:
        return random.choice(slot.choices), "made up"
    if isinstance(slot.example, bool):
        return random.random() < 0.6, "made up"
    if isinstance(slot.example, (int, float)):
        return type(slot.example)(_number(slot, random, now)), "made up"
    if slot.example is None:
        return None, "not said"
    maker = _MAKERS.get(slot.kind)
    if maker is not None:
        return maker(slot, random, now), "made up"
    alike = class_of(slot.example_text) or class_of({"company": "Acme", "role": "manager"}.get(slot.kind, ""))
    if alike:
        (value,) = random.choices(alike, [1 / rank for rank in range(1, len(alike) + 1)])  # the usual ones come first
        return value.lower() if slot.example_text.islower() else value, "made up"
    if slot.example_text.isdigit():  # such as a room
        return _alike(slot.example_text, random), "made up"
    return (slot.example, "the example") if slot.example else ("not said", "made up")


def value_in_question(slot: Slot, utterances: Sequence[Utterance], unsaid: str) -> tuple[Any, str]:
    """Return a phone number that is not the user's: the one in the question that fits what was said."""
    numbers = list(_PHONE_IN_QUESTION.finditer(slot.question))
    if numbers:
        labels = _labels(slot.question, numbers)
        for utterance in utterances:
            label = find_choice(utterance.text, labels)
            if label is not None:
                return numbers[labels.index(label)][0].strip(), "the question"
        if len(numbers) == 1 or unsaid == MADE_UP:
            return numbers[0][0].strip(), "the question"
    return (slot.example, "the example") if unsaid == MADE_UP else (None, "not said")


def _labels(question: str, numbers: Sequence[re.Match[str]]) -> list[str]:
    """Return the word before each number: "sales: +1…, billing: +1…"."""
    starts = [0, *(number.end() for number in numbers)]
    words = [
        re.findall(r"[A-Za-z]+", question[start : number.start()])
        for start, number in zip(starts, numbers, strict=False)
    ]
    return [each[-1].lower() if each else "" for each in words]


def _number(slot: Slot, random: Random, now: datetime) -> float:
    example = slot.example
    key = label_of(slot.key).split()[-1:] or [""]
    if bounds := range_of(slot.question):
        return random.randint(int(bounds[0]), int(bounds[1]))
    if slot.kind == "year":
        return random.randint(min(now.year, int(example)) - 5, min(now.year, int(example) + 3))
    if slot.kind == "age":
        return random.randint(19, 79)
    if slot.kind == "rating":
        return random.randint(1, 10 if example > 5 or not example else 5)
    if key[0] in _CLOCK:
        return random.randint(*_CLOCK[key[0]])
    if key[0] in _SEVERAL:
        return random.randint(1, _SEVERAL[key[0]])
    if isinstance(example, float):
        return round(random.uniform(0.5, 1.5) * (abs(example) or 1.0), 2)
    if slot.kind in ("code", "zip"):
        return int(_alike(str(example), random))
    high = max(2, min(abs(example) * 2, 10**9))
    low = max(1, abs(example) // 2)
    step = 10 ** max(0, len(str(high)) - 2) if slot.kind == "money" or (example % 100 == 0 and example) else 1
    return max(step, random.randint(low, high) // step * step)


def _alike(pattern: str, random: Random) -> str:
    """Return a text built as the pattern is: a digit for a digit; its letters stay, as in the prefix of a number."""
    return "".join(
        str(random.randint(1 if index == 0 else 0, 9)) if each.isdigit() else each for index, each in enumerate(pattern)
    )


def _name(slot: Slot, random: Random, now: datetime) -> str:
    first, last = random.choice(_FIRST), random.choice(_LAST)
    if title := re.match(r"Dr\.? ", slot.example_text):
        return f"{title[0]}{last}"
    return {"first": first, "last": last}.get(part_of_name(slot.key) or "", f"{first} {last}")


def _phone(slot: Slot, random: Random, now: datetime) -> str:
    example = slot.example_text
    digits = re.sub(r"\D", "", example)
    if not example or not 7 <= len(digits) <= 15:
        return f"+1555{random.randint(2000000, 9999999)}"
    if len(digits) == 7:  # numbers that nobody has: 555-0100 to 555-0199
        number = iter(f"55501{random.randint(0, 99):02}")
        return "".join(next(number) if each.isdigit() else each for each in example)
    head, last = example[:-4], f"{random.randint(0, 9999):04}"
    return head + last if example[-4:].isdigit() else f"+1555{random.randint(2000000, 9999999)}"


def _email(slot: Slot, random: Random, now: datetime) -> str:
    return f"{random.choice(_FIRST).lower()}.{random.choice(_LAST).lower()}@example.com"


def _day(slot: Slot, random: Random, now: datetime) -> date:
    if slot.kind == "birth":
        return date(now.year - random.randint(20, 75), random.randint(1, 12), random.randint(1, 28))
    if slot.kind == "past":
        return now.date() - timedelta(days=random.randint(1, 20))
    if re.fullmatch(r"\d{1,2}/\d{2,4}", slot.example_text):  # a card's expiry
        return date(now.year + random.randint(1, 4), random.randint(1, 12), 1)
    day = now.date() + timedelta(days=random.randint(2, 21))
    # Not at a weekend. "Monday" said on a Monday could be today or in a week.
    while day.weekday() > _FRIDAY or (_is_weekday(slot) and day.weekday() == now.weekday()):
        day += timedelta(days=1)
    return day


def _is_weekday(slot: Slot) -> bool:
    return slot.example_text.casefold() in read_values()["weekdays"]


def _day_in_words(day: date, random: Random, now: datetime) -> str:
    """Return a day as most callers name it: by its weekday, sometimes by its date."""
    draw = random.random()
    if draw < 0.15 and now.weekday() < 4:
        return "tomorrow"
    if draw < 0.25:
        return f"next {day:%A}"
    return f"{day:%A}" if draw < 0.8 else f"{day:%B} {day.day}"


def _day_in_german_or_spanish(day: date, slot: Slot, language: str) -> str:
    """Return the weekday, or day and month where the example has a number."""
    names = read_values(language)
    weekday, month = str(names["weekdays"][day.weekday()]), str(names["months"][day.month - 1])
    if re.search(r"\d", slot.example_text):
        return f"{day.day}. {month.capitalize()}" if language == "de" else f"{day.day} de {month}"
    return weekday.capitalize() if language == "de" else weekday


def _date(slot: Slot, random: Random, now: datetime) -> str:
    day = _day(slot, random, now)
    language = language_of(f"{slot.question} {slot.example_text}")
    if language != "en" and re.search(r"[^\W\d_]", slot.example_text):
        return _day_in_german_or_spanish(day, slot, language)
    if slot.kind == "date" and not re.search(r"\d", slot.example_text) and not _is_weekday(slot):
        return _day_in_words(day, random, now)
    month = read_values()["months"][day.month - 1].capitalize()
    spoken = SpokenDate(0, 0, f"{month} {day.day}", day.year, day.month, day.day)
    if _is_weekday(slot):
        weekday = str(read_values()["weekdays"][day.weekday()])
        return weekday if slot.example_text.islower() else weekday.capitalize()
    if slot.kind == "birth":
        spoken = SpokenDate(0, 0, f"{month} {day.day}, {day.year}", day.year, day.month, day.day)
    elif not re.search(r"\d{4}", slot.example_text):
        spoken = SpokenDate(0, 0, spoken.text, day.year if "/" in slot.example_text else None, day.month, day.day)
    text = format_date(spoken, slot.example_text, now.date(), kind=slot.kind, language="en")
    return text or spoken.text


def _time(slot: Slot, random: Random, now: datetime) -> str:
    hour, minute = random.randint(9, 16), random.choice((0, 15, 30, 45))
    spoken = SpokenTime(0, 0, "", hour, minute, "a" if hour < 12 else "p")
    return format_time(spoken, slot.example_text, "")


def _datetime(slot: Slot, random: Random, now: datetime) -> str:
    day = _day(slot, random, now)
    if re.match(r"\d{4}-\d{2}-\d{2}[T ]", slot.example_text):
        return f"{day}{slot.example_text[10]}{_time(Slot('14:00', 'time'), random, now)}{slot.example_text[16:]}"
    half = re.search(r"\d{1,2}(?::\d{2})?\s?[ap]\.?m\.?", slot.example_text, re.IGNORECASE)
    return f"{day:%A} at {_time(Slot(half[0] if half else '', 'time'), random, now)}"


def _code(slot: Slot, random: Random, now: datetime) -> str:
    return _alike(slot.example_text if re.search(r"\d", slot.example_text) else "100000", random)


def _place(slot: Slot, random: Random, now: datetime) -> str:
    place = dict(zip(("city", "state", "zip"), random.choice(_PLACES), strict=True))
    if slot.kind == "state" and len(slot.example_text) > 2:
        return str(read_values()["states"][place["state"]])
    if slot.kind == "zip" and slot.example_text and not re.fullmatch(r"\d{5}", slot.example_text):
        return _alike(slot.example_text, random)
    return place[slot.kind]


def _address(slot: Slot, random: Random, now: datetime) -> str:
    street = random.choice(_STREETS)
    has_number = not slot.example_text or any(each.isdigit() for each in slot.example_text)
    line = f"{random.randint(1, 999)} {street}" if has_number or slot.kind == "address" else street
    city, state, zip_code = random.choice(_PLACES)
    return f"{line}, {city}, {state} {zip_code}" if slot.example_text.count(",") > 1 else line


def _text_number(slot: Slot, random: Random, now: datetime) -> str:
    example = slot.example_text
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", example)
    if digits is None:
        return str(random.randint(1, 9))
    sample = float(digits[0].replace(",", ""))
    number = _number(
        Slot(int(sample) if sample == int(sample) else sample, slot.key, question=slot.question), random, now
    )
    return (
        f"{example[: digits.start()]}{number:,.2f}{example[digits.end() :]}"
        if "." in digits[0]
        else f"{example[: digits.start()]}{int(number)}{example[digits.end() :]}"
    )


_MAKERS: dict[str, Callable[[Slot, Random, datetime], str]] = {
    "name": _name,
    "phone": _phone,
    "email": _email,
    "date": _date,
    "birth": _date,
    "past": _date,
    "time": _time,
    "datetime": _datetime,
    "code": _code,
    "zip": _place,
    "city": _place,
    "state": _place,
    "address": _address,
    "street": _address,
    "url": lambda slot, random, now: f"https://example.com/{random.randint(1, 999)}",
    **dict.fromkeys(("number", "count", "age", "year", "money", "rating", "percent", "duration"), _text_number),
}
