"""E-mail addresses, phone numbers, codes and postal codes as people say and spell them."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from random import Random

from dryline.flow.model.answers.dates import find_dates
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import find_times
from dryline.flow.model.answers.turns import Utterance, without_spelling_words
from dryline.flow.model.kinds import in_all_languages, label_of, read_values
from dryline.models.numbering import HOME, country_of, e164

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?![\w.-]*@)")
_SYMBOLS = re.compile(rf",? ?\b({'|'.join(in_all_languages('symbols'))})\b,? ?")
_PHONE = re.compile(r"\(?\+?\d[\d\s().,/-]{4,22}\d")
_TOKEN = re.compile(r"(?<![\w'])#?[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w'])")
_NO_CODE = re.compile(r"\d+(?:st|nd|rd|th|[kK]|am|pm|ish)")
_NO_PREFIX = {"ID", "PIN", "VIN", "OK", "NO", "IS", "I", "A", "ZIP", "MY"}
SINCE_YEAR = re.compile(r"\b(?:since|in) (?:19|20)\d\d\b", re.IGNORECASE)
_QUANTITY = re.compile(
    r"\b\d+ (?:minute|hour|day|week|month|year|mile|km|kilo|metre|time|people|person|percent|dollar|euro|pound)s?\b",
    re.IGNORECASE,
)


def find_email(slot: Slot, utterance: Utterance) -> str | None:
    """Return an e-mail address, written or spoken: "deb dot klein at outlook dot com"."""
    text = utterance.digits
    if (match := _EMAIL.search(text)) is None:
        text = without_spelling_words(text).lower()
        text = _SYMBOLS.sub(lambda word: in_all_languages("symbols")[word[1]], text)
        text = re.sub(r"(?<![\w'])([^\W_]) (?=[^\W_]\b)|(?<=[a-z]) (?=\d)", r"\1", text)  # "s m i t h", "lee 92"
        match = _EMAIL.search(text)
    return match[0].strip(".-").lower() if match else None


def make_email(slot: Slot, random: Random, now: datetime) -> str:
    names = random.choice(read_values()["made_up_first"]), random.choice(read_values()["made_up_last"])
    return f"{'.'.join(names).lower()}@example.com"


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
        return e164(phone, country_of(example) or HOME) or phone
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
    return codes[-1] if codes and slot.is_answered_by(utterance) else None


def find_code(slot: Slot, utterance: Utterance) -> str | None:
    """Return the code that a slot asks for; of several the one most like the example."""
    example, text = slot.example_text, without_spelling_words(utterance.digits)
    label = label_of(slot.key).partition(" ")[0]
    is_named = bool(label) and re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE)
    if not is_named and not slot.is_answered_by(utterance):
        return None
    spans = [(each.start, each.end) for each in find_dates(text, utterance.language)]
    spans += [(each.start, each.end) for each in find_times(text) if ":" in each.text or each.half]
    spans += [match.span() for pattern in (SINCE_YEAR, _QUANTITY) for match in pattern.finditer(text)]
    codes = [code for run in _runs(without_spans(text, spans)) if (code := _trimmed(run, example))]
    code = max(codes, key=lambda each: (_form_of(each) == _form_of(example), len(each)), default="")
    if not code or (len(code) < 3 < len(example)):
        return None
    prefix = re.match(r"([A-Za-z]+)-", example)
    if prefix and re.fullmatch(rf"(?i){prefix[1]}\d+", code):
        code = f"{prefix[0]}{code[len(prefix[1]) :]}"
    return code.upper() if not example or not example.islower() else code


def _runs(text: str) -> Iterator[str]:
    """Yield the codes of a text: letters and digits that stand side by side."""
    run, end = "", 0
    for token in [*_TOKEN.finditer(text), None]:
        part = _part(token[0]) if token else None
        if run and (part is None or token is None or not re.fullmatch(r"\s*,?\s*", text[end : token.start()])):
            yield run
            run = ""
        if part is not None and token:
            run, end = run + part, token.end()


def _part(token: str) -> str | None:
    """Return what a token adds to a code, or None."""
    if in_all_languages("symbols").get(token.lower()) == "-":
        return "-"
    if any(each.isdigit() for each in token):
        return None if _NO_CODE.fullmatch(token) else token.lstrip("#")
    if len(token) == 1 or re.fullmatch(r"[A-Za-z](?:-[A-Za-z])+", token):
        return token.replace("-", "")
    return token if token.isupper() and len(token) <= 4 and token not in _NO_PREFIX else None


def _trimmed(run: str, example: str) -> str | None:
    """Return a code without "a" and "I" at its ends where they are likely words; None for what is none."""
    code = re.sub(r"[-aIi]+$" if example[-1:].isdigit() else "-+$", "", re.sub(r"^(?:[-aIi]+(?=\d|$)|-+)", "", run))
    is_spelled = len(code) > 2 and not any(each.isdigit() for each in example)
    return code if any(each.isdigit() for each in code) or is_spelled else None


def _form_of(code: str) -> list[bool]:
    return [each.isdigit() for each in code]


def make_code(slot: Slot, random: Random, now: datetime) -> str:
    return alike(slot.example_text if re.search(r"\d", slot.example_text) else "100000", random)


def alike(pattern: str, random: Random) -> str:
    """Return a text built as the pattern is: a digit for a digit; its letters stay, as in the prefix of a number."""
    return "".join(
        str(random.randint(1 if index == 0 else 0, 9)) if each.isdigit() else each for index, each in enumerate(pattern)
    )


def without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with blanks in place of the spans, and a bar at each end."""
    for start, end in spans:
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
    return re.sub(r"_+", lambda gap: f"|{' ' * (len(gap[0]) - 2)}|" if len(gap[0]) > 1 else "|", text)
