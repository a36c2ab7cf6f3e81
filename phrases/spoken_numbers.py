"""Numbers as callers say them: `in_words`, digit by digit, as a year, as an ordinal."""

import re
from functools import lru_cache

from dryline.phrases.value_kinds import LANGUAGES, read_values


@lru_cache(maxsize=len(LANGUAGES))
def _names(language: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for word, value in read_values(language)["numbers"].items():
        names.setdefault(value, word)
    return names


def in_words(number: int, language: str = "en") -> str:
    """Return a whole number below a million in words; a larger one in digits."""
    if number < 0 or number >= 1_000_000:
        return f"{number:,}"
    return {"en": _english, "de": _german, "es": _spanish}[language](number)


def _english(number: int) -> str:
    names = _names("en")
    if number >= 1000:
        rest = f" {_english(number % 1000)}" if number % 1000 else ""
        return f"{_english(number // 1000)} thousand{rest}"
    if number >= 100:
        rest = f" {_english(number % 100)}" if number % 100 else ""
        return f"{names[number // 100]} hundred{rest}"
    if number in names:
        return names[number]
    return f"{names[number // 10 * 10]} {names[number % 10]}"


def _german(number: int) -> str:
    names = _names("de")
    if number >= 1000:
        head = "" if number // 1000 == 1 else _german(number // 1000)
        return f"{head}tausend{_german(number % 1000) if number % 1000 else ''}"
    if number >= 100:
        head = "" if number // 100 == 1 else names[number // 100]
        return f"{head}hundert{_german(number % 100) if number % 100 else ''}"
    if number == 1:
        return "eins"
    return names[number] if number in names else f"{names[number % 10]}und{names[number // 10 * 10]}"


def _spanish(number: int) -> str:
    names = _names("es")
    if number >= 1000:
        head = "" if number // 1000 == 1 else f"{_spanish(number // 1000)} "
        return f"{head}mil{' ' + _spanish(number % 1000) if number % 1000 else ''}"
    if number == 100:
        return "cien"
    if number >= 100:
        head = names.get(number // 100 * 100, "ciento")
        return f"{head}{' ' + _spanish(number % 100) if number % 100 else ''}"
    if number == 1:
        return "uno"
    return names[number] if number in names else f"{names[number // 10 * 10]} y {names[number % 10]}"


def digits_in_words(digits: str, language: str = "en") -> str:
    """Return digits one by one in words; other characters separate groups: `555-0199` is "five five five, oh one …"."""
    names = {**_names(language), **({0: "oh"} if language == "en" else {})}
    groups = re.findall(r"\d+", digits)
    return ", ".join(" ".join(names[int(digit)] for digit in group) for group in groups)


def year_in_words(year: int) -> str:
    """Return a year as English speakers say it: "nineteen ninety one", "two thousand and five", "twenty twenty six"."""
    century, rest = divmod(year, 100)
    if not 11 <= century <= 20 or 2000 <= year < 2010:
        return in_words(year).replace("thousand ", "thousand and ")
    if rest == 0:
        return f"{in_words(century)} hundred"
    return f"{in_words(century)} {'oh ' if rest < 10 else ''}{in_words(rest)}"


@lru_cache(maxsize=1)
def _ordinal_names() -> dict[int, str]:
    return {value: word for word, value in read_values()["ordinals"].items()}


def ordinal_in_words(number: int) -> str:
    """Return an English ordinal below 100: "twenty first"."""
    names = _ordinal_names()
    return names[number] if number in names else f"{_names('en')[number // 10 * 10]} {names[number % 10]}"
