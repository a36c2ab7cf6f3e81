"""Dates in the form of an example: `2026-01-05`, `01/31/1975`, `March 15`, `Monday`, `09/27`."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from dryline.engine.date_values import SpokenDate
from dryline.phrases.number_words import suffix_of
from dryline.phrases.value_kinds import read_values

_WEEK = 7


def format_date(spoken: SpokenDate, example: str, today: date, *, kind: str, language: str) -> str | None:
    """Return a date in the form of the example; None if too little was said for that form."""
    names = read_values(language)
    if re.fullmatch(r"\d{1,2}/\d{2}(?:\d{2})?", example):  # a card's expiry
        return _expiry(spoken, example)
    strict = _strict_format(example)
    if strict is not None:
        if kind == "birth" and spoken.year is None:
            return None
        day = spoken.resolve(today, past=kind in ("birth", "past"))
        return day.strftime(strict) if day else None
    if example.casefold() in names["weekdays"] and (
        weekday := _as_weekday(spoken, example, today, past=kind == "past", names=names)
    ):
        return weekday
    form = re.fullmatch(r"[A-Z][a-z]{2,8}\.? \d{1,2}(?P<th>st|nd|rd|th)?(?P<year>,? \d{4})?", example)
    if form and spoken.day and spoken.month is None and (day := spoken.resolve(today, past=kind == "past")):
        spoken = replace(spoken, month=day.month)  # "the fifth"
    month = names["months"][spoken.month - 1].capitalize() if spoken.month else ""
    if form and month and spoken.day:
        year = f", {spoken.year}" if spoken.year else ""
        return f"{month} {spoken.day}{suffix_of(spoken.day) if form['th'] else ''}{year}"
    return _as_spoken(spoken.text, language)


def _as_weekday(spoken: SpokenDate, example: str, today: date, *, past: bool, names: Mapping[str, Any]) -> str | None:
    """Return the weekday of a near day, with "next" if that was said of a day a week ahead; None for other days."""
    if spoken.weekday is None and (spoken.offset is None or not 0 <= spoken.offset < _WEEK):  # "tomorrow"
        return None
    day = spoken.resolve(today, past=past)
    if day is None:
        return None
    weekday = str(names["weekdays"][day.weekday() if spoken.weekday is None else spoken.weekday])
    if not example.islower():
        weekday = weekday.capitalize()
    is_a_week_ahead = spoken.is_next and (day - today).days >= _WEEK
    return str(names["next_weekday"]).format(weekday) if is_a_week_ahead else weekday


def _strict_format(example: str) -> str | None:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", example):
        return "%Y-%m-%d"
    match = re.fullmatch(r"(\d{1,2})([/.])(\d{1,2})[/.](\d{2,4})", example)
    if not match:
        return None
    year = "%Y" if len(match[4]) == 4 else "%y"
    if match[2] == "." or int(match[1]) > 12:
        return f"%d{match[2]}%m{match[2]}{year}"
    return f"%m/%d/{year}"


def _expiry(spoken: SpokenDate, example: str) -> str | None:
    if spoken.month is None:
        return None
    year = spoken.year if spoken.year is not None else spoken.day  # "09/27" reads like a month and a day
    if year is None:
        return None
    digits = len(example.rpartition("/")[2])
    return f"{spoken.month:02}/{year % 100:02}" if digits == 2 else f"{spoken.month:02}/{year % 100 + 2000}"


def _as_spoken(text: str, language: str) -> str:
    """Return the words of a date, months and weekdays with a capital as the language has them."""
    text = re.sub(r"^the\s+(?=\D)", "", text, flags=re.IGNORECASE)
    if language == "es":
        return text
    table = read_values(language)
    names = {*table["months"], *table["weekdays"]}
    return re.sub(r"\w+", lambda word: word[0].capitalize() if word[0].lower() in names else word[0], text)
