"""E-mail addresses, phone numbers, codes and postal codes as people say and spell them."""

import re
from datetime import datetime
from functools import lru_cache
from random import Random

from dryline.flow.model.answers.dates import find_dates
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import find_times
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import form, label_of, read_values
from dryline.models.numbering import HOME, country_of, e164

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?![\w.-]*@)")
_PHONE = re.compile(r"\(?\+?\d[\d\s().,/-]{4,22}\d")
_PIECE = r"(?:[A-Za-z](?:-[A-Za-z])*|[A-Z]{2,4}|#?[A-Za-z]{0,6}-?\d[A-Za-z\d-]*|-[A-Za-z\d]+)(?![\w'])"  # of a code
_CODE = re.compile(rf"(?<![\w'-]){_PIECE}(?:\s*,?\s*{_PIECE})*")
SINCE_YEAR = re.compile(r"\b(?:since|in) (?:19|20)\d\d\b", re.IGNORECASE)


def find_email(slot: Slot, utterance: Utterance) -> str | None:
    """Return an e-mail address, written or spoken: "deb dot klein at outlook dot com"."""
    text = utterance.digits
    if (match := _EMAIL.search(text)) is None:
        text = form("spelling_word").sub(r"\1", text).lower()
        text = form("spoken_symbol").sub(lambda word: read_values()["symbols"][word[1]], text)
        text = re.sub(r"(?<![\w'])([^\W_]) (?=[^\W_]\b)|(?<=[a-z]) (?=\d)", r"\1", text)  # "s m i t h", "lee 92"
        match = _EMAIL.search(text)
    return match[0].strip(".-").lower() if match else None


@lru_cache(maxsize=256)
def find_phone_in(text: str, language: str) -> str | None:
    """Return a phone number of a text whose numbers are digits, as it was grouped."""
    text = re.sub(r"\bplus\s+(?=\d)", "+", text, flags=re.IGNORECASE)
    rest = without_spans(text, [(each.start, each.end) for each in find_dates(text, language)])
    phones = [each for each in _PHONE.findall(rest) if 7 <= sum(map(str.isdigit, each)) <= 15]
    return phones[0].strip(" ,.-") if phones else None


def find_phone(slot: Slot, utterance: Utterance) -> str | None:
    """Return a phone number in the form of the example, if it has as many digits; else as it was said."""
    phone, example = find_phone_in(utterance.digits, utterance.language), slot.example_text
    if phone is None:
        return None
    digits, expected = re.sub(r"\D", "", phone), re.sub(r"\D", "", example)
    if example.isdigit() and len(digits) != len(expected):
        return f"{'+' * phone.startswith('+')}{digits}"
    if example.startswith("+"):
        return e164(f"{'+' * phone.startswith('+')}{digits}", country_of(example) or HOME) or phone
    if len(digits) == len(expected):
        numbers = iter(digits)
        return "".join(next(numbers) if each.isdigit() else each for each in example)
    if example and len(digits) == 10:
        return f"{digits[:3]}-{digits[3:6]}-{digits[6:]}"
    return re.sub(r",\s*", " ", phone)


def make_phone(slot: Slot, random: Random, now: datetime) -> str:
    """Return a number that nobody has: 555-0100 to 555-0199, or one of the area 555."""
    if sum(map(str.isdigit, slot.example_text)) == 7:
        number = iter(f"55501{random.randint(0, 99):02}")
        return "".join(next(number) if each.isdigit() else each for each in slot.example_text)
    return f"+1555{random.randint(2000000, 9999999)}"


def find_zip(slot: Slot, utterance: Utterance) -> str | None:
    """Return a postal code of five digits, the last one of the text."""
    text = utterance.digits
    text = re.sub(r"(?<=\d),?\s(?=\d{1,2}\b)", "", text) if not re.search(r"\b\d{5}\b", text) else text
    codes: list[str] = re.findall(r"\b\d{5}(?:-\d{4})?\b", text)
    return codes[-1] if codes and slot.is_asked_for(utterance) is not False else None


def find_code(slot: Slot, utterance: Utterance) -> str | None:
    """Return the code that a slot asks for, of letters and digits side by side; of several the one like the example."""
    example, text = slot.example_text, form("spelling_word").sub(r"\1", utterance.digits)
    label = label_of(slot.key).partition(" ")[0]
    is_named = bool(label) and re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE)
    if not is_named and slot.is_asked_for(utterance) is False:
        return None
    spans = [(each.start, each.end) for each in find_dates(text, utterance.language)]
    spans += [(each.start, each.end) for each in find_times(text) if ":" in each.text or each.half]
    spans += [match.span() for pattern in (SINCE_YEAR, form("no_code")) for match in pattern.finditer(text)]
    text = re.sub(r" (?:dash|hyphen|minus) ", "-", without_spans(text, spans))
    # "a" and "I" at the ends are likely words
    ends = re.compile(r"^[-aIi]+(?=\d|$)|-$|(?<=\d)[aIi]$" if example[-1:].isdigit() else r"^-|-$")
    codes = [ends.sub("", re.sub(r"[\s,#]", "", run)) for run in _CODE.findall(text)]
    is_spelled = not re.search(r"\d", example)
    codes = [code for code in codes if re.search(r"\d", code) or (is_spelled and len(code) > 2)]
    code = max(codes, key=lambda each: (_form_of(each) == _form_of(example), len(each)), default="")
    if not code or (len(code) < 3 < len(example)):
        return None
    return code.upper() if not example or not example.islower() else code


def _form_of(code: str) -> list[bool]:
    return [each.isdigit() for each in code]


def make_code(slot: Slot, random: Random, now: datetime) -> str:
    return alike(slot.example_text if re.search(r"\d", slot.example_text) else "100000", random)


def alike(pattern: str, random: Random) -> str:
    """Return a text built as the pattern is: a digit for a digit; its letters stay, as in the prefix of a number."""
    return re.sub(r"\d", lambda digit: str(random.randint(int(digit.start() == 0), 9)), pattern)


def without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with blanks in place of the spans, and a bar at each end."""
    for start, end in spans:
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
    return re.sub(r"_+", lambda gap: f"|{' ' * (len(gap[0]) - 2)}|" if len(gap[0]) > 1 else "|", text)
