"""Addresses, cities, states, and the ends of a trip, and the companies that people work for."""

import re
from functools import lru_cache

from dryline.flow.model.answers.names import WORD, no_names, titled
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.texts import find_labelled
from dryline.flow.model.answers.turns import Utterance, deflects, without_fillers, without_lead_in
from dryline.flow.model.kinds import alternatives, key_words, kind_of_question, label_of, read_values

_STREET_END = rf"(?:{alternatives('street_types')}|(?-i:{'|'.join(read_values()['capital_street_types'])}))"
_STREET = re.compile(
    rf"\b(?P<number>\d{{1,6}}(?:\s\d{{1,2}})?(?:\s?[a-z]\b)?),?\s+"
    rf"(?P<name>(?:(?:\d+[a-z]{{2}}|[^\W\d][\w'.]*)\s+){{1,4}}?{_STREET_END}|Broadway)\b\.?"
    r"(?P<unit>,?\s+(?:apartment|apt|unit|suite|#|number)\.?\s*#?\w+)?",
    re.IGNORECASE,
)
_STREET_NAME = re.compile(rf"\b((?:[A-Z][\w'.]+\s+|[a-z]+\s+){{1,3}}?{_STREET_END})\b", re.IGNORECASE)
_STREET_PLAIN = re.compile(rf"\b(\d{{1,5}}\s+{WORD}(?:\s+{WORD}){{0,4}})")
_STREET_CAPITALS = re.compile(rf"\b(?:{WORD} ){{1,3}}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Way)\b")
_STREET_ELSEWHERE = re.compile(
    r"\b([A-Z\u00c0-\u00de]\w*(?:stra\u00dfe|strasse|str\.|weg|platz|allee|gasse|ring)\s+\d+\w?"
    r"|(?:[Cc]alle|[Aa]venida|[Pp]laza|[Pp]aseo) (?:[\w.]+ ){1,4}?\d+)"
)
_CITY_ENDS = "|".join({city.split()[-1].lower(): None for city in read_values()["classes"]["city"] if " " in city})
_PLACE = rf"({WORD}(?:\s+{WORD}){{0,2}}|[a-z]+(?:\s+(?:{_CITY_ENDS}))?)"
_ORIGIN = re.compile(
    r"\b(?i:from|leaving(?: from)?|out of|starting (?:in|at|from)|departing(?: from)?|von|desde|"
    rf"pick(?:ing)? (?:it |me |us )?up (?:in|at|from))\s+(?!from\b){_PLACE}"
)
_DESTINATION = re.compile(
    r"\b(?i:to|going to|into|bound for|arriving in|headed (?:to|for)|nach|hasta|"
    rf"drop(?:ping)? (?:it |me |us )?off (?:in|at))\s+(?!to\b|be\b|go\b|get\b){_PLACE}"
)
_OF_PLACE = "(?i:(?:city|county|state|university|college|bank|department) of )?"
_FIRM = rf"({_OF_PLACE}{WORD}(?:\s+(?:&\s+|and\s+|of\s+)?{WORD}){{0,3}})"
_COMPANY = re.compile(
    r"\b(?i:work(?:ing)? (?:for|at|with)|(?:i'm|i am) (?:with|from)|(?:we're|we are)(?: with)?|"
    r"(?:calling|ringing|phoning) (?:from|for)|employed (?:at|by)|\w+ (?:at|of|for) (?:a company called )?|"
    r"(?:company|business)(?:'s| is)(?: called)?|(?:it's|we're|we are) called|name of the company is|on behalf of)\s*"
    rf"(?:the )?{_FIRM}"
)
_FROM_COMPANY = re.compile(rf"\b{WORD},? (?i:(?:over )?(?:at|with|from)) (?:the )?{_FIRM}")
_ROLE = re.compile(
    r"\b(?:(?:he|she)(?:'s| is)(?= (?:an?|the|our|their|my)\b)|i'm|i am|i work (?:there |for \w+ |at \w+(?: \w+)? )?as|"
    r"as|my (?:role|title|job|position) is|role is)\s+(?:an?\s+|the\s+|their\s+|our\s+|my\s+)?"
    r"((?!(?:calling|with|from|looking|in|not|at)\b)(?-i:[a-z])[\w/-]*(?:\s+(?:of\s+)?[a-z][\w/-]*){0,3}?)"
    r"(?=\s+(?:at|for|there|with|in|over|here)\b|[,.;!?]|$)",
    re.IGNORECASE,
)


def find_street(text: str, example: str) -> str | None:
    """Return the line of an address with house number and street, in a text whose numbers are digits."""
    if match := _STREET.search(text):
        number = re.sub(r"\s", "", match["number"])
        unit = re.sub(r"^,?\s+", ", " if "," in example else " ", match["unit"] or "")
        return f"{number} {titled(match['name'].lower()) if match['name'].islower() else match['name']}{unit}"
    if match := _STREET_ELSEWHERE.search(text) or _STREET_PLAIN.search(text):
        return match[1]
    behind = re.split(r"\b(?:on|at|called|is|it's|in)\s+(?=\w)", text, maxsplit=1, flags=re.IGNORECASE)[-1]
    if not example or example[0].isdigit() or not (match := _STREET_NAME.search(behind)):
        return None
    name = re.sub(r"^(?:(?:on|at|in|the|live|it's|is|called|named)\s+)+", "", match[1], flags=re.IGNORECASE)
    return titled(name) if name.islower() else name


def find_street_of(slot: Slot, utterance: Utterance) -> str | None:
    """Return the street that a slot asks for, without the number of the house if a member beside it has that."""
    street = find_street(utterance.digits, slot.example_text)
    has_number = {"house number", "street number", "number", "house"} & {label_of(key) for key in slot.siblings}
    return re.sub(r"^\d+ ?[A-Za-z]? (?=\w)", "", street) if street and has_number else street


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
    codes = {name.casefold(): code for code, name in states.items()}
    return re.compile(rf"\b(?:{names})\b", re.IGNORECASE), re.compile(rf"\b(?:{'|'.join(states)})\b"), codes


def find_state(text: str, example: str) -> str | None:
    """Return a state of the United States: its two letters if the example has as many, else its name."""
    by_name, by_code, codes = _states()
    named, abbreviated = by_name.findall(text), by_code.findall(text)
    if not named and not abbreviated:
        return None
    code = codes[named[-1].casefold()] if named else abbreviated[-1]
    return code if len(example) == 2 else str(read_values()["states"][code])


def find_city(text: str, *, answers: bool) -> str | None:
    """Return a city: one behind a street, a known one, the name behind "in", or a bare answer."""
    by_name, by_code, _ = _states()
    if match := _STREET.search(text) or _STREET_PLAIN.search(text) or _STREET_CAPITALS.search(text):
        rest = by_code.sub(" , ", by_name.sub(" , ", text[match.end() :]))
        if piece := re.match(r"[\s,.]*(?:in\s+)?([A-Za-z][A-Za-z .'-]*?)\s*(?:,|\.|$|\d)", rest):
            return titled(piece[1].strip().lower()) if piece[1].strip() else None
    for city in sorted(read_values()["classes"]["city"], key=len, reverse=True):
        if re.search(rf"\b{re.escape(city)}\b", text, re.IGNORECASE):
            return str(city)
    for named in re.finditer(rf"\b(?:in|from|near|to)\s+({WORD}(?:\s+{WORD}){{,2}})", text):
        if _may_be_name(named[1]):
            return named[1].rstrip(".")
    return bare_capitals(text) if answers else None


def find_place(slot: Slot, utterance: Utterance) -> str | None:
    """Return the place that a slot asks for, or the end of a trip: "from Chicago to Denver"."""
    label, words = label_of(slot.key), {label_of(slot.key), *label_of(slot.key).split()}
    for end, pattern, index in (("trip_start", _ORIGIN, 1), ("trip_end", _DESTINATION, 2)):
        if words & key_words(end):
            match = pattern.search(utterance.text)
            pair = re.search(rf"\b{_PLACE}\s+to\s+{_PLACE}", utterance.text)
            place = match[1] if match else pair[index] if pair else ""
            if place and place.split()[0].casefold() not in no_names():
                return titled(place) if place.islower() else place.rstrip(".")
    is_asked = kind_of_question(utterance.question or slot.question) in ("city", "address")
    is_asked = is_asked or slot.is_asked_for(utterance)
    if slot.has_span or (label in key_words("trip_start") | key_words("trip_end") and not is_asked):
        return None
    return find_city(utterance.digits, answers=is_asked) or find_labelled(utterance.text, slot.key)


def find_company(slot: Slot, utterance: Utterance) -> str | None:
    """Return the company that somebody works for."""
    text, question = utterance.text, utterance.question or slot.question
    answers = kind_of_question(question) == "company" or slot.is_asked_for(utterance)
    for named in [*_COMPANY.finditer(text), *(_FROM_COMPANY.finditer(text) if answers else ())]:
        if _may_be_name(named[1]):
            return named[1].rstrip(".,")
    return (bare_capitals(text) if answers else None) or find_labelled(text, slot.key)


def find_role(slot: Slot, utterance: Utterance) -> str | None:
    """Return what somebody's work is: "manager", "head of sales"."""
    text = utterance.text
    match = _ROLE.search(text) or re.match(
        r"\W*(?:the |an? )?([a-z][a-z ]{2,30}?) (?:at|for|with) (?:the )?[A-Z]", text
    )
    return without_fillers(match[1].strip(), "en") if match else find_labelled(text, slot.key)


def _may_be_name(text: str) -> bool:
    return text.split()[0].casefold() not in {*no_names(), *read_values()["months"]}


def bare_capitals(text: str) -> str | None:
    """Return a name that is the whole answer, with capitals."""
    rest = re.sub(r"^(?:an?|the) ", "", without_lead_in(text, "en"), flags=re.IGNORECASE)
    first = rest.split()[0].casefold() if rest else ""
    if first in no_names() or re.search(r"['\u2019](?:m|d|ll|re|ve|t)$", first) or deflects(rest, "en"):
        return None
    match = re.match(r"[\w&'.-]+(?:\s+[\w&'.-]+){0,3}$", rest)
    return (titled(rest) if rest.islower() else rest) if match else None
