"""Addresses, cities, states, and the ends of a trip; the companies that people work for, and their roles."""

import re
from functools import lru_cache

from dryline.flow.model.answers.names import no_names, titled
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance, deflects, without_openings
from dryline.flow.model.kinds import form, key_words, kind_of_question, label_of, read_values


def find_street(slot: Slot, utterance: Utterance) -> str | None:
    """Return the street that a slot asks for, without the number of the house if a member beside it has that."""
    text, example = utterance.digits, slot.example_text
    street = _line_of_address(text, example)
    if street is None and example and not example[0].isdigit() and (match := form("street_name").search(text)):
        street = titled(match[1]) if match[1].islower() else match[1]
    has_number = {"house number", "street number", "number", "house"} & {label_of(key) for key in slot.members}
    return re.sub(r"^\d+ ?[A-Za-z]? (?=\w)", "", street) if street and has_number else street


def _line_of_address(text: str, example: str) -> str | None:
    """Return the line of an address with house number and street, in a text whose numbers are digits."""
    if match := form("street").search(text):
        number = re.sub(r"\s", "", match["number"])
        unit = re.sub(r"^,?\s+", ", " if "," in example else " ", match["unit"] or "")
        return f"{number} {titled(match['name'].lower()) if match['name'].islower() else match['name']}{unit}"
    match = form("street_elsewhere").search(text) or form("number_and_names").search(text)
    return match[1] if match else None


def find_address(slot: Slot, utterance: Utterance) -> str | None:
    """Return the whole address that was said; without a comma in the example only its street line."""
    text, example = utterance.digits, slot.example_text
    street = _line_of_address(text, example)
    if street is None or "," not in example:
        return street
    state, zip_code = find_state(Slot("TX"), utterance), re.findall(r"\b\d{5}\b", text)[-1:]
    return ", ".join(filter(None, (street, _city_in(text), " ".join(filter(None, (state, *zip_code))))))


@lru_cache(maxsize=1)
def _states() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    states: dict[str, str] = read_values()["states"]
    names = "|".join(sorted(states.values(), key=len, reverse=True))
    codes = {name.casefold(): code for code, name in states.items()}
    return re.compile(rf"\b(?:{names})\b", re.IGNORECASE), re.compile(rf"\b(?:{'|'.join(states)})\b"), codes


def find_state(slot: Slot, utterance: Utterance) -> str | None:
    """Return a state of the United States: its two letters if the example has as many, else its name."""
    by_name, by_code, codes = _states()
    named, abbreviated = by_name.findall(utterance.text), by_code.findall(utterance.text)
    if not named and not abbreviated:
        return None
    code = codes[named[-1].casefold()] if named else str(abbreviated[-1])
    return code if len(slot.example_text) == 2 else str(read_values()["states"][code])


def _city_in(text: str) -> str | None:
    """Return a city: one behind a street, a known one, or the name behind "in"."""
    by_name, by_code, _ = _states()
    if match := form("street").search(text) or form("number_and_names").search(text):
        rest = by_code.sub(" , ", by_name.sub(" , ", text[match.end() :]))
        if piece := re.match(r"[\s,.]*(?:in\s+)?([A-Za-z][A-Za-z .'-]*?)\s*(?:,|\.|$|\d)", rest):
            return titled(piece[1].strip().lower()) or None
    for city in sorted(read_values()["classes"]["city"], key=len, reverse=True):
        if re.search(rf"\b{re.escape(city)}\b", text, re.IGNORECASE):
            return str(city)
    return next((name.rstrip(".") for name in form("in_place").findall(text) if _may_be_name(name)), None)


def find_city(slot: Slot, utterance: Utterance) -> str | None:
    """Return the city that a slot asks for, or the end of a trip: "from Chicago to Denver"."""
    label, words = label_of(slot.key), {label_of(slot.key), *label_of(slot.key).split()}
    for at, end in enumerate(("trip_start", "trip_end"), 1):
        if words & key_words(end):
            match, pair = form(end).search(utterance.text), form("trip").search(utterance.text)
            place = match[1] if match else pair[at] if pair else ""
            if place and place.split()[0].casefold() not in no_names():
                return titled(place) if place.islower() else place.rstrip(".")
    is_asked = slot.is_asked_for(utterance) or kind_of_question(utterance.question) == "address"
    if slot.end_of_span or (label in key_words("trip_start") | key_words("trip_end") and not is_asked):
        return None
    bare = _bare_capitals(utterance.text) if is_asked else None
    return _city_in(utterance.digits) or bare


def find_company(slot: Slot, utterance: Utterance) -> str | None:
    """Return the company that somebody works for."""
    text, is_asked = utterance.text, slot.is_asked_for(utterance)
    named = [*form("company").findall(text), *(form("from_company").findall(text) if is_asked else ())]
    company = next((name.rstrip(".,") for name in named if _may_be_name(name)), None)
    return company or (_bare_capitals(text) if is_asked else None)


def find_role(slot: Slot, utterance: Utterance) -> str | None:
    """Return what somebody's work is: "manager", "head of sales"."""
    match = form("role").search(utterance.text) or form("role_at").match(utterance.text)
    return without_openings(match[1].strip(), "en") if match else None


def _may_be_name(text: str) -> bool:
    return text.split()[0].casefold() not in {*no_names(), *read_values()["months"]}


def _bare_capitals(text: str) -> str | None:
    """Return a name that is the whole answer, with capitals."""
    rest = re.sub(r"^(?:an?|the) ", "", without_openings(text, "en", "lead_ins"), flags=re.IGNORECASE)
    first = rest.split()[0].casefold() if rest else ""
    if first in no_names() or re.search(r"['\u2019](?:m|d|ll|re|ve|t)$", first) or deflects(rest, "en"):
        return None
    match = re.fullmatch(r"[\w&'.-]+(?:\s+[\w&'.-]+){0,3}", rest)
    return (titled(rest) if rest.islower() else rest) if match else None
