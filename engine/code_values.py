"""Order numbers, references and other codes as people spell them: "bravo seven, double two, T as in tango"."""

import re
from functools import lru_cache

from dryline.engine.contact_values import symbol_of, without_spans
from dryline.engine.date_values import find_dates
from dryline.engine.number_values import SINCE_YEAR
from dryline.engine.spoken_turns import without_spelling_words
from dryline.engine.time_values import find_times
from dryline.phrases.value_kinds import read_values

_TOKEN = re.compile(r"(?<![\w'])#?[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w'])")
_GAP = re.compile(r"\s*,?\s*(?:then\s+)?")
_NO_CODE = re.compile(r"\d+(?:st|nd|rd|th|[kK]|am|pm|ish)")
_QUANTITY = re.compile(
    r"\b\d+ (?:minute|hour|day|week|month|year|mile|km|kilo|metre|time|people|person|percent|dollar|euro|pound)s?\b",
    re.I,
)
_NO_PREFIX = {"ID", "PIN", "VIN", "OK", "NO", "IS", "I", "A", "ZIP", "MY"}


def find_code(text: str, language: str, example: str) -> str | None:
    """Return a code in a text whose numbers are digits; of several the one most like the example."""
    text = without_spelling_words(text)
    spans = [(each.start, each.end) for each in find_dates(text, language)]
    spans += [(each.start, each.end) for each in find_times(text) if ":" in each.text or each.half]
    spans += [match.span() for pattern in (SINCE_YEAR, _QUANTITY) for match in pattern.finditer(text)]
    codes = [code for run in _runs(without_spans(text, spans)) if (code := _code_of(run, example))]
    if not codes:
        return None
    code = max(codes, key=lambda each: (_has_form_of(each, example), len(each)))
    if len(code) < 3 and len(example) > 3:
        return None
    prefix = re.match(r"[A-Za-z]+-", example)
    if prefix and re.fullmatch(rf"(?i){prefix[0][:-1]}\d+", code):
        code = f"{prefix[0]}{code[len(prefix[0]) - 1 :]}"
    code = code.upper() if any(each.isupper() for each in example) or not example else code
    end = example.rpartition(" ")[2] if example.count(" ") == 1 else ""
    return f"{code[: -len(end)]} {code[-len(end) :]}" if end and _has_form_of(code[-len(end) :], end) else code


def _runs(text: str) -> list[list[str]]:
    """Return the parts of codes that stand side by side: letters, digits, and words of the spelling alphabet."""
    runs: list[list[str]] = []
    end = -1
    for token in _TOKEN.finditer(text):
        part = _part(token[0])
        if part is None:
            end = end if token[0].lower() == "then" else -1
            continue
        if end < 0 or not _GAP.fullmatch(text[end : token.start()]):
            runs.append([])
        runs[-1].append(part)
        end = token.end()
    return runs


@lru_cache(maxsize=1)
def _alphabet() -> dict[str, str]:
    return {word: "z" if word == "zed" else word[0] for word in read_values()["spelling_alphabet"]}


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
    letter = _alphabet().get(token.lower())
    return letter.upper() if letter else None


def _code_of(run: list[str], example: str) -> str | None:
    """Return the code of a run, without "a" and "I" at its ends where they are likely words."""
    begins_with_letter, ends_with_letter = not example[:1].isdigit(), example[-1:].isalpha()
    while run and (run[0] == "-" or (run[0] in ("a", "I", "i") and not (begins_with_letter and len(run) > 2))):
        run = run[1:]
    while run and (run[-1] == "-" or (run[-1] in ("a", "I", "i") and not ends_with_letter)):
        run = run[:-1]
    code = "".join(run)
    is_spelled = len(run) > 2 and not any(each.isdigit() for each in example)
    return code if any(each.isdigit() for each in code) or is_spelled else None


def _has_form_of(code: str, example: str) -> bool:
    return [each.isdigit() for each in code] == [each.isdigit() for each in example]
