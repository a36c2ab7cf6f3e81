"""Order numbers, references and other codes as people spell them: "bravo seven, double two, T as in tango"."""

import re
from collections.abc import Iterator

from dryline.flow.model.answers.contacts import symbol_of, without_spans
from dryline.flow.model.answers.dates import find_dates
from dryline.flow.model.answers.numbers import SINCE_YEAR
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import find_times
from dryline.flow.model.answers.turns import Utterance, without_spelling_words
from dryline.flow.model.kinds import label_of, read_values

_TOKEN = re.compile(r"(?<![\w'])#?[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w'])")
_NO_CODE = re.compile(r"\d+(?:st|nd|rd|th|[kK]|am|pm|ish)")
_QUANTITY = re.compile(
    r"\b\d+ (?:minute|hour|day|week|month|year|mile|km|kilo|metre|time|people|person|percent|dollar|euro|pound)s?\b",
    re.IGNORECASE,
)
_NO_PREFIX = {"ID", "PIN", "VIN", "OK", "NO", "IS", "I", "A", "ZIP", "MY"}


def find_code_of(slot: Slot, utterance: Utterance) -> str | None:
    """Return the code that a slot asks for."""
    text, language = utterance.digits, utterance.language
    label = label_of(slot.key).partition(" ")[0]
    is_named = bool(label) and re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE)
    if not is_named and not slot.is_answered_by(utterance):
        return None
    return find_code(text, language, slot.example_text)


def find_code(text: str, language: str, example: str) -> str | None:
    """Return a code in a text whose numbers are digits; of several the one most like the example."""
    text = without_spelling_words(text)
    spans = [(each.start, each.end) for each in find_dates(text, language)]
    spans += [(each.start, each.end) for each in find_times(text) if ":" in each.text or each.half]
    spans += [match.span() for pattern in (SINCE_YEAR, _QUANTITY) for match in pattern.finditer(text)]
    codes = [code for run in _runs(without_spans(text, spans)) if (code := _trimmed(run, example))]
    if not codes:
        return None
    code = max(codes, key=lambda each: (_has_form_of(each, example), len(each)))
    if len(code) < 3 and len(example) > 3:
        return None
    prefix = re.match(r"([A-Za-z]+)-", example)
    if prefix and re.fullmatch(rf"(?i){prefix[1]}\d+", code):
        code = f"{prefix[0]}{code[len(prefix[1]) :]}"
    code = code.upper() if any(each.isupper() for each in example) or not example else code
    end = example.rpartition(" ")[2] if example.count(" ") == 1 else ""
    return f"{code[: -len(end)]} {code[-len(end) :]}" if end and _has_form_of(code[-len(end) :], end) else code


def _runs(text: str) -> Iterator[str]:
    """Yield the codes of a text: letters, digits, and words of the spelling alphabet that stand side by side."""
    run, end = "", 0
    for token in [*_TOKEN.finditer(text), None]:
        part = _part(token[0]) if token else None
        if token and token[0].lower() == "then":
            end = token.end()
            continue
        if run and (part is None or token is None or not re.fullmatch(r"\s*,?\s*", text[end : token.start()])):
            yield run
            run = ""
        if part is not None and token:
            run, end = run + part, token.end()


def _part(token: str) -> str | None:
    """Return what a token adds to a code, or None."""
    if symbol_of(token) == "-":
        return "-"
    if any(each.isdigit() for each in token):
        return None if _NO_CODE.fullmatch(token) else token.lstrip("#")
    if len(token) == 1 or re.fullmatch(r"[A-Za-z](?:-[A-Za-z])+", token):
        return token.replace("-", "")
    if token.isupper() and len(token) <= 4 and token not in _NO_PREFIX:
        return token
    return token[0].upper() if token.lower() in read_values()["spelling_alphabet"] else None


def _trimmed(run: str, example: str) -> str | None:
    """Return a code without "a" and "I" at its ends where they are likely words; None for what is none."""
    code = re.sub(r"[-aIi]+$" if example[-1:].isdigit() else "-+$", "", re.sub(r"^(?:[-aIi]+(?=\d|$)|-+)", "", run))
    is_spelled = len(code) > 2 and not any(each.isdigit() for each in example)
    return code if any(each.isdigit() for each in code) or is_spelled else None


def _has_form_of(code: str, example: str) -> bool:
    return [each.isdigit() for each in code] == [each.isdigit() for each in example]
