"""Numbers, counts and amounts of money as people say them, and the scale that a question names."""

import re
from datetime import datetime
from functools import lru_cache
from math import inf
from random import Random
from typing import Any, NamedTuple

from dryline.flow.model.answers.contacts import SINCE_YEAR, find_phone_in, without_spans
from dryline.flow.model.answers.dates import find_dates
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.texts import find_text
from dryline.flow.model.answers.times import find_times
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import form, key_words, label_of, pattern_of, read_values
from dryline.flow.model.number_words import Bounds, to_digits

_POSSIBLE = {"age": (1, 119), "year": (1700, 2100)}
_SCALES = {"k": 1e3, "m": 1e6}


class _Number(NamedTuple):
    """A number, the words behind it, and whether it is marked as money."""

    value: float
    behind: str
    is_money: bool


def find_number(slot: Slot, utterance: Utterance) -> Any:
    """Return the number that a slot asks for: a float, or a text with the sign of the example (`$1,200`)."""
    if slot.kind == "duration" and slot.example_text and not slot.example_text.isdigit():
        return find_text(slot, utterance)
    text = form("with_cents").sub(lambda match: f"{match[1]}.{match[2]:0>2} dollars", utterance.digits)
    if slot.kind == "rating":
        text = re.sub(r"\bout of \d+|(?<=\d)/(?:5|10)\b", " ", text)
    if slot.kind == "money":
        text = form("price_in_pairs").sub(r"\1.\2", text)
    number = _number(slot, utterance, text)
    if number is None or not _is_meant(slot, utterance, text):
        return None
    if slot.kind != "money" or not re.match(r"[^\d\s]", slot.example_text):
        return number
    written = f"{number:,.2f}" if number % 1 else f"{number:,.0f}"
    written = written if "," in slot.example_text else written.replace(",", "")
    return re.sub(r"\d.*", "", slot.example_text) + written


def _number(slot: Slot, utterance: Utterance, text: str) -> float | None:
    """Return the number that a slot means. The unit behind a number decides; numbers of other units do not count."""
    kind, language = slot.kind, utterance.language
    how_many = re.search(r"how many (\w+)", slot.question, re.IGNORECASE)
    key = slot.key or (how_many[1].lower() if how_many else "")
    numbers, units = _numbers(text, language, kind), _units(key, language)
    own = [number.value for number in numbers if _behind(units).match(number.behind)]
    if kind == "count" and (count := _counted(text, key, numbers, own, language)) is not None:
        return count
    if own:
        return own[-1]
    if kind == "count" and len({number.value for number in numbers}) > 1 and not form("range_of_numbers").search(text):
        return None  # numbers of other things
    free = [number for number in numbers if number.is_money or not _any_unit(language).match(number.behind)]
    marked = [number for number in free if number.is_money] if kind == "money" else []
    scale = scale_of(f"{slot.question} {utterance.question}") if kind == "rating" else None
    low, high = scale or _POSSIBLE.get(kind) or (-inf, inf)
    values = [number.value for number in marked or free if low <= number.value <= high]
    if kind == "money" and values and re.search(r"\b(?:to|between|up to)\b", text):
        return max(values)
    is_clear = kind in ("money", "rating") or form("range_of_numbers").search(text) or len(set(values)) == 1
    return values[-1] if values and is_clear else None


def _numbers(text: str, language: str, kind: str) -> list[_Number]:
    """Return the numbers of a text that are part of no date, time or telephone number."""
    spans = [(each.start, each.end) for each in find_dates(text, language)]
    if kind != "year":
        spans += [match.span() for match in SINCE_YEAR.finditer(text)]
    if kind not in ("year", "money", "age"):
        behind_at = form("behind_at")
        for each in find_times(text):
            is_behind_at = " " in each.text and behind_at.search(text[: each.start])
            if each.is_sure or is_behind_at or behind_at.match(each.text.partition(" ")[0]):
                spans.append((each.start, each.end))
    rest = without_spans(text, spans)
    if kind != "money" and (phone := find_phone_in(text, language)):
        rest = rest.replace(phone, " " * len(phone))
    numbers = []
    for match in form("number").finditer(rest):
        is_money = bool(match["sign"] or match["scale"] or match["unit"])
        if not is_money or match["scale"] or kind not in ("count", "age", "rating"):
            scale = _SCALES.get((match["scale"] or "").strip().lower(), 1) * (-1 if match["minus"] else 1)
            value = float(match["digits"].replace(",", "")) * scale
            numbers.append(_Number(value, rest[match.end() :], is_money))
    return numbers


def _is_meant(slot: Slot, utterance: Utterance, text: str) -> bool:
    """Return whether a number of an utterance is that of the slot: it was asked for, or a word of the key was said."""
    needs_mark = slot.kind in ("money", "age", "rating") and not re.fullmatch(r"\W*\d+(?:\.\d+)?\W*", text)
    is_marked = not needs_mark or pattern_of(f"marks_of_{slot.kind}").search(text)
    is_asked = slot.is_asked_for(utterance)
    return is_asked or bool(is_asked is None and is_marked) or slot.is_named_in(text)


def _counted(text: str, key: str, numbers: list[_Number], own: list[float], language: str) -> float | None:
    """Return a count that no single number gives: "just me", "no kids", "my wife and I", "two adults and one child"."""
    names = _units(key, language)
    none = rf"\b(?:no|without|zero|keine|ohne|sin) (?:{names})\b"
    if re.search(none, text, re.I) or (not numbers and pattern_of("counts_none").fullmatch(text.strip(" ,.;!"))):
        return 0
    if not _counts_people(key):
        single = len(re.findall(rf"\ban? (?:{names})\b(?<!s)", text, re.IGNORECASE))
        return single + sum(own) if single else None
    if not numbers and pattern_of("counts_one").search(text):
        return 1
    units = "|".join(_units(part, language) for part in ("adults", "children", "erwachsene", "kinder"))
    members = [number.value for number in numbers if _behind(units).match(number.behind)]
    with_me = len(form("with_me").findall(text))  # "my wife and I"
    if with_me > 1:
        return with_me + sum(members or [number.value for number in numbers])
    return sum(members) if len(members) > 1 else None


def _counts_people(key: str) -> bool:
    return not key_words("people").isdisjoint(label_of(key).split())


@lru_cache(maxsize=256)
def _units(key: str, language: str) -> str:
    """Return the words behind a number that belongs to a key, as alternatives: `guests` are "people", "of us" …."""
    words = label_of(key).split()[::-1]
    table = {**read_values()["units"], **read_values(language)["units"]}
    own = [*words[:1], *(word.rstrip("s") for word in words[:1]), *(table["people"] if _counts_people(key) else ())]
    known = table.get(label_of(key)) or next((table[word] for word in words if word in table), own)
    return "|".join(map(re.escape, known)) or "(?!)"


@lru_cache(maxsize=256)
def _behind(units: str) -> re.Pattern[str]:
    """Return a pattern of the units behind a number, with at most one word between."""
    return re.compile(rf"[ -]*(?:(?!(?:an?|per|last|next|this) )\w+ )?(?:{units})\b", re.IGNORECASE)


@lru_cache(maxsize=4)
def _any_unit(language: str) -> re.Pattern[str]:
    return _behind(
        "|".join(_units(key, language) for key in (*read_values()["units"], *read_values(language)["units"]))
    )


def scale_of(question: str) -> Bounds | None:
    """Return the scale that a question names: "from 1 to 5", "out of 10"."""
    match = form("scale").search(to_digits(question))
    low, high = (float(match[1] or 1), float(match[2] or match[3])) if match else (0.0, 0.0)
    return (low, high) if low < high else None


def make_number(slot: Slot, random: Random, now: datetime) -> float:
    """Return an invented number: on the question's scale, within what is usual, or about as large as the example."""
    example, ranges = slot.example, read_values()["made_up_ranges"]
    names = [name for name in (slot.kind, *label_of(slot.key).split()[-1:]) if name in ranges]
    if scale := scale_of(slot.question):
        return random.randint(int(scale[0]), int(scale[1]))
    if slot.kind == "year":
        return random.randint(min(now.year, int(example)) - 5, min(now.year, int(example) + 3))
    if names:
        return random.randint(ranges[names[0]][0], max(ranges[names[0]][1], int(example)))
    if isinstance(example, float):
        return round(random.uniform(0.5, 1.5) * (abs(example) or 1.0), 2)
    high = max(2, min(abs(example) * 2, 10**9))
    step = 10 ** max(0, len(str(high)) - 2) if slot.kind == "money" or (example % 100 == 0 and example) else 1
    return max(step, random.randint(max(1, abs(example) // 2), high) // step * step)
