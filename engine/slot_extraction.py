"""Finds a value of a certain kind in what somebody said: what kind it is shows in its name and in its example."""

from __future__ import annotations

import re
from typing import Any, Final

from dryline.engine.intent_matching import is_denial, words

MISSING: Final = object()

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|tonight"
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_NAME_WORD = r"[A-ZÀ-Þ][\w'\u2019-]{1,40}"
_PATTERNS = {
    "email": re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    "phone": re.compile(r"\+?\d[\d\s().-]{6,18}\d"),
    "url": re.compile(r"https?://\S+"),
    "date": re.compile(
        r"\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
        rf"|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
        rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})(?: \d{{4}})?"
        rf"|(?:(?:next|this) )?(?:{_DAYS})\b",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\b\d{1,2}:\d{2}(?:\s?[ap]\.?m\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?|\bnoon\b|\bmidnight\b", re.IGNORECASE
    ),
    "name": re.compile(
        r"(?:[Mm]y (?:full |first |last )?name is|[Nn]ame's|[Tt]his is|[Ii] am|[Ii]['\u2019]m|[Cc]all me)"
        rf"\s+({_NAME_WORD}(?: {_NAME_WORD}){{0,2}})"
    ),
    "code": re.compile(r"\b(?=[\w-]{0,24}\d)(?:[A-Z]{1,5}-?)?\d[\w-]{2,15}\b"),
    "zip": re.compile(r"\b\d{5}(?:-\d{4})?\b"),
    "address": re.compile(rf"\b\d{{1,5}} {_NAME_WORD}(?: {_NAME_WORD}){{0,4}}"),
}
_KINDS = (  # what a name or a question holds, and the kind that it means; the first that fits
    ("email", ("email", "e-mail", "mail")),
    ("phone", ("phone", "telephone", "mobile", "cell", "callback number", "caller")),
    ("url", ("url", "website", "link")),
    ("time", ("time", "hour")),
    ("date", ("date", "day", "when", "dob", "birthday", "birth")),
    ("zip", ("zip", "postal", "postcode")),
    ("address", ("address", "street")),
    ("code", ("order", "code", "id", "account", "reference", "confirmation", "tracking", "policy", "ticket", "load")),
    ("name", ("name", "who", "person", "patient", "customer")),
)


def label_of(name: str) -> str:
    """A member's name as words: `neighbourName` is "neighbour name"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", name).lower().strip()


def part_of_name(name: str) -> str | None:
    """Which part of a name a member asks for: first or last; None for all of it."""
    return next((part for part in ("first", "last") if part in name.lower()), None)


def kind_of(name: str, example: Any) -> str | None:
    """What a member with this name, or an answer to this question, is: email, phone, date…"""
    if isinstance(example, str):
        for kind in ("email", "url", "date", "time", "phone"):
            if _PATTERNS[kind].fullmatch(example.strip()) and not example.strip().isdigit():  # which may be any number
                return kind
    parts = set(label_of(name).split()) | set(words(name))
    for kind, names in _KINDS:
        if parts & set(names) or any(" " in each and each in name.lower() for each in names):
            return kind
    return None


def spoken(name: str, example: Any, said: str, choices: list[Any] | None) -> Any:
    """The value that was said, in the type of the example; MISSING where none was. Of several texts the newest counts:
    somebody who was told that Monday is full, and says Friday, wants Friday."""
    if choices or example is None or isinstance(example, str):
        lines = reversed(said.splitlines())
        return next((text for line in lines if (text := _text(name, example, line, choices)) is not MISSING), MISSING)
    if isinstance(example, bool):
        return _yes_or_no(name, said)
    if isinstance(example, (int, float)):
        number = _number(name, said)
        return number if number is MISSING else type(example)(number)
    return MISSING


def _text(name: str, example: str | None, said: str, choices: list[Any] | None) -> Any:
    if choices:
        return _choice(choices, said)
    kind = kind_of(name, example)
    if kind is None:
        return _after(name, said)
    if kind == "name" and (found := _PATTERNS["name"].search(said)):
        full, part = found[1], part_of_name(name)
        return full if part is None else full.split()[0 if part == "first" else -1]
    if kind == "code":
        codes = [code for code in _PATTERNS["code"].findall(said) if not _PATTERNS["phone"].fullmatch(code)]
        return codes[0] if codes else MISSING
    found = _PATTERNS[kind].search(said) if kind != "name" else None
    return found[0].strip(" .") if found else MISSING


def _choice(choices: list[Any], said: str) -> Any:
    spoken_words = " ".join(words(said))
    found = [choice for choice in choices if f" {' '.join(words(str(choice)))} " in f" {spoken_words} "]
    return max(found, key=lambda choice: len(str(choice))) if found else MISSING


def _yes_or_no(name: str, said: str) -> Any:
    """Whether the last line that has to do with the name says yes to it; else whether the last line does."""
    about = {word for word in re.split(r"[_\W]+", name.lower()) if len(word) > 3}
    lines = [line for line in said.splitlines() if line.strip()]
    named = [line for line in lines if about & set(words(line))]
    if named:
        return not is_denial(named[-1])
    short = [line for line in lines if len(words(line)) <= 4 and (is_denial(line) or _assents(line))]
    return not is_denial(short[-1]) if short else MISSING


def _assents(line: str) -> bool:
    return bool({"yes", "yeah", "yep", "sure", "ok", "okay", "correct", "right"} & set(words(line)))


def _number(name: str, said: str) -> Any:
    """The number nearest to a word of the name; else the only number."""
    tokens = re.findall(r"\d+(?:\.\d+)?|\w+", said.lower().replace(",", ""))
    places = [at for at, token in enumerate(tokens) if token[0].isdigit() or token in _NUMBERS]
    about = {word.rstrip("s") for word in re.split(r"[_\W]+", name.lower()) if len(word) > 2}
    marks = [at for at, token in enumerate(tokens) if token.rstrip("s") in about]
    if not places:
        return MISSING
    if marks:
        place = min(places, key=lambda at: min(abs(at - mark) for mark in marks))
    elif len(places) == 1:
        place = places[0]
    else:
        return MISSING
    token = tokens[place]
    if token in _NUMBERS:
        return _NUMBERS[token]
    return float(token) if len(token) < 16 and re.fullmatch(r"\d+(?:\.\d+)?", token) else MISSING


def _after(name: str, said: str) -> Any:
    """What stands behind the name itself: "my reason is …", "reason: …"."""
    label = re.escape(re.sub(r"[_-]+", " ", name).strip())
    if not label or len(label) > 60:
        return MISSING
    found = re.search(rf"\b{label}(?: is|:| was| would be)\s+([^.\n,;!?]{{1,120}})", said, re.IGNORECASE)
    return found[1].strip() if found else MISSING
