"""Addresses, cities, states, and the ends of a trip as people give them."""

import re
from functools import lru_cache

from dryline.engine.company_values import bare_capitals
from dryline.engine.name_values import WORD, no_names, titled
from dryline.phrases.value_kinds import read_values

_STREET_END = rf"(?:{'|'.join(read_values()['street_types'])}|(?-i:{'|'.join(read_values()['capital_street_types'])}))"
_STREET = re.compile(
    rf"\b(?P<number>\d{{1,6}}(?:\s\d{{1,2}})?(?:\s?[a-z]\b)?),?\s+"
    rf"(?P<name>(?:(?:\d+[a-z]{{2}}|[^\W\d][\w'.]*)\s+){{1,4}}?{_STREET_END}|Broadway)\b\.?"
    r"(?P<unit>,?\s+(?:apartment|apt|unit|suite|#|number)\.?\s*#?\w+)?",
    re.IGNORECASE,
)
_STREET_NAME = re.compile(rf"\b((?:[A-Z][\w'.]+\s+|[a-z]+\s+){{1,3}}?{_STREET_END})\b", re.IGNORECASE)
_STREET_PLAIN = re.compile(rf"\b(\d{{1,5}}\s+{WORD}(?:\s+{WORD}){{0,4}})")
_STREET_CAPITALS = re.compile(rf"\b(?:{WORD} ){{1,3}}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Way)\b")
_STREET_GERMAN = re.compile(
    r"\b([A-Z\u00c0-\u00de]\w*(?:stra\u00dfe|strasse|str\.|weg|platz|allee|gasse|ring)\s+\d+\w?)"
)
_CITY_ENDS = "|".join({city.split()[-1].lower(): None for city in read_values()["classes"]["city"] if " " in city})
_PLACE = rf"({WORD}(?:\s+{WORD}){{0,2}}|[a-z]+(?:\s+(?:{_CITY_ENDS}))?)"


def find_street(text: str, example: str) -> str | None:
    """Return the line of an address with house number and street, in a text whose numbers are digits."""
    if match := _STREET.search(text):
        number = re.sub(r"\s", "", match["number"])
        unit = re.sub(r"^,?\s+", ", " if "," in example else " ", match["unit"] or "")
        return f"{number} {titled(match['name'].lower()) if match['name'].islower() else match['name']}{unit}"
    if match := _STREET_GERMAN.search(text) or _STREET_PLAIN.search(text):
        return match[1]
    if example and not example[0].isdigit() and (match := _STREET_NAME.search(_after_place(text))):
        name = re.sub(r"^(?:(?:on|at|in|the|live|it's|is|called|named)\s+)+", "", match[1], flags=re.IGNORECASE)
        return titled(name) if name.islower() else name
    return None


def _after_place(text: str) -> str:
    match = re.search(r"\b(?:on|at|called|is|it's|in)\s+(?=\w)", text, re.IGNORECASE)
    return text[match.end() :] if match else text


def find_address(text: str, example: str) -> str | None:
    """Return the whole address that was said; without a comma in the example only its street line."""
    street = find_street(text, example or "1, X")
    if street is None or "," not in example:
        return street
    city, state, zip_code = find_city(text, answers=False), find_state(text, "TX"), re.findall(r"\b\d{5}\b", text)
    rest = " ".join(filter(None, (state, zip_code[-1] if zip_code else None)))
    return ", ".join(filter(None, (street, city, rest)))


@lru_cache(maxsize=1)
def _states() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    states: dict[str, str] = read_values()["states"]
    names = "|".join(sorted(states.values(), key=len, reverse=True))
    return (
        re.compile(rf"\b(?:{names})\b", re.IGNORECASE),
        re.compile(rf"\b(?:{'|'.join(states)})\b"),
        {name.casefold(): code for code, name in states.items()},
    )


def find_state(text: str, example: str) -> str | None:
    """Return a state of the United States: its two letters if the example has as many, else its name."""
    by_name, by_code, codes = _states()
    match = list(by_name.finditer(text))
    code = codes[match[-1][0].casefold()] if match else None
    if code is None and (abbreviated := by_code.findall(text)):
        code = abbreviated[-1]
    if code is None:
        return None
    return code if len(example) == 2 else str(read_values()["states"][code])


def find_city(text: str, *, answers: bool) -> str | None:
    """Return a city: a known one, the one before a state or behind a street, or a short bare answer."""
    if match := _STREET.search(text) or _STREET_PLAIN.search(text) or _STREET_CAPITALS.search(text):
        rest = _without_state(text[match.end() :])
        if piece := re.match(r"[\s,.]*(?:in\s+)?([A-Za-z][A-Za-z .'-]*?)\s*(?:,|\.|$|\d)", rest):
            return titled(piece[1].strip().lower()) if piece[1].strip() else None
    cities = read_values()["classes"]["city"]
    for city in sorted(cities, key=len, reverse=True):
        if re.search(rf"\b{re.escape(city)}\b", text, re.IGNORECASE):
            return str(city)
    by_name, by_code, _ = _states()
    if (state := by_name.search(text) or by_code.search(text)) and (
        piece := re.search(rf"({WORD}(?:\s+{WORD}){{0,2}}),?\s*$", text[: state.start()])
    ):
        return piece[1].rstrip(".,")
    first = re.split(r",\s|\s(?:please|thanks)\b", text)[0]
    if answers and first != text and re.fullmatch(rf"{WORD}(?: {WORD}){{0,2}}", first):
        return first
    for named in re.finditer(rf"\b(?:in|from|near|to|outside|outside of|called)\s+({WORD}(?:\s+{WORD}){{,2}})", text):
        if named[1].split()[0].casefold() not in {*no_names(), *read_values()["months"]}:
            return named[1].rstrip(".")
    is_bare = answers and len(text.split()) <= 5 and not re.search(r"\d|\b(?:the|an?|my|our|this)\b", text)
    return bare_capitals(text) if is_bare else None


def _without_state(text: str) -> str:
    by_name, by_code, _ = _states()
    return by_code.sub(" , ", by_name.sub(" , ", text))


_ORIGIN = re.compile(
    r"\b(?i:from|leaving(?: from)?|out of|starting (?:in|at|from)|departing(?: from)?|"
    rf"pick(?:ing)? (?:it |me |us )?up (?:in|at|from))\s+(?!from\b){_PLACE}"
)
_DESTINATION = re.compile(
    r"\b(?i:to|going to|into|bound for|arriving in|headed (?:to|for)|"
    rf"drop(?:ping)? (?:it |me |us )?off (?:in|at))\s+(?!to\b|be\b|go\b|get\b){_PLACE}"
)
_ORIGINS = {"origin", "from", "pickup", "start"}
_DESTINATIONS = {"destination", "to", "dropoff", "drop off"}


def find_end_of_trip(text: str, label: str) -> str | None:
    """Return where a trip begins or ends: "from Chicago to Denver"."""
    words = {label, *label.split()}
    is_origin = bool(words & _ORIGINS)
    if not is_origin and not words & _DESTINATIONS:
        return None
    match = (_ORIGIN if is_origin else _DESTINATION).search(text)
    pair = re.search(rf"\b{_PLACE}\s+to\s+{_PLACE}", text)
    place = match[1] if match else pair[1 if is_origin else 2] if pair else ""
    if not place or place.split()[0].casefold() in no_names():
        return None
    return titled(place) if place.islower() else place.rstrip(".")
