"""Dates as people say them ("next Tuesday", "in two weeks"), written in the form of an example."""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Any
from unicodedata import combining, normalize

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import LANGUAGES, alternatives, in_all_languages, read_values

_IN_THE_PAST = re.compile(
    r"\b(?:(?:paid|bought|happened|ordered|placed|since|ago|received)\b|last (?!day\b|of\b|\w+day (?:of|in)\b))", re.I
)
_ASKS_FOR_PAST = re.compile(
    r"\b(?:(?:was|were|did) (?!(?:you|they|he|she) (?:want|like|need|prefer|hop|think|plan))|since|last (?!day|date)|"
    r"happen(?:ed)?\b|occurred\b)",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(?:until|till|through|bis|hasta)\b")


@dataclass(frozen=True, slots=True)
class SpokenDate:
    """A date in a text: what was said of it, and where. A part that was not said is None."""

    start: int
    end: int
    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    offset: int | None = None
    is_next: bool = False  # "next Tuesday"
    weeks: int = 0  # "a week from Monday"
    week: int | None = None  # "Friday next week"

    def resolve(self, today: date, *, past: bool = False) -> date | None:
        """Return the day that is meant, the next one that fits unless it is `past`; None if too little was said."""
        if self.offset is not None:
            return today + timedelta(days=self.offset)
        if self.weekday is not None and self.day is None:
            if self.week is not None:
                return today + timedelta(days=self.weekday - today.weekday() + 7 * self.week)
            ahead = (self.weekday - today.weekday()) % 7
            if past:
                return today - timedelta(days=7 - ahead)
            is_a_week_ahead = self.is_next and 0 < ahead <= 6 - today.weekday()  # "next" is not still in this week
            return today + timedelta(days=(ahead or 7) + 7 * (self.weeks + is_a_week_ahead))
        if self.day is None:
            return None
        years = [self.year] if self.year is not None else [today.year - 1, today.year, today.year + 1]
        months = [divmod(today.year * 12 + today.month - 1 + step, 12) for step in (-1, 0, 1, 2)]
        places = [(year, self.month - 1) for year in years] if self.month is not None else months
        days = [day for year, month in places if (day := _date(year, month + 1, self.day))]
        if len(days) > 1:
            days = [day for day in days if (day <= today if past else day >= today)]
        return (max if past else min)(days, default=None)


def _date(year: int, month: int, day: int) -> date | None:
    return date(year, month, day) if 1 <= day <= monthrange(year, month)[1] else None


@lru_cache(maxsize=256)
def find_dates(text: str, language: str) -> tuple[SpokenDate, ...]:
    """Return the dates of a text whose numbers are digits, in their order. A bare day takes the month before it."""
    rest, dates = text, []
    for pattern, read in _forms(language):
        for match in pattern.finditer(rest):
            parts = {name: value.lower() for name, value in match.groupdict().items() if value is not None}
            read_parts = read(parts)
            if read_parts is not None:
                dates.append(SpokenDate(match.start(), match.end(), match[0].strip(), **read_parts))
                rest = f"{rest[: match.start()]}{' ' * (match.end() - match.start())}{rest[match.end() :]}"
    dates.sort(key=lambda each: each.start)
    if week := re.search(r"\b(next|last) week\b", text, re.IGNORECASE):
        ahead = 1 if week[1].lower() == "next" else -1
        dates = [replace(each, week=ahead) if each.weekday is not None and not each.weeks else each for each in dates]
    for index, (before, each) in enumerate(pairwise(dates), 1):
        if each.day and each.month is None and each.weekday is None:  # "May 4th to the 6th"
            dates[index] = replace(each, month=before.month, year=before.year)
    return tuple(dates)


@lru_cache(maxsize=len(LANGUAGES))
def _forms(language: str) -> list[tuple[re.Pattern[str], Callable[[dict[str, str]], dict[str, Any] | None]]]:
    """Return the forms of dates in a language, the longest first, each with the function that reads its groups."""
    names = {
        "month": "|".join(sorted(_months(language), key=len, reverse=True)),
        "weekday": "|".join(name for day in read_values(language)["weekdays"] for name in {day: 0, _plain(day): 0}),
        "span": "|".join(sorted(in_all_languages("spans"), key=len, reverse=True)),
        "relative": alternatives("relative_days", language),
        "year": read_values()["date_year"],
        "of_month": read_values(language)["day_of_month"],
    }
    reader = _Reader(language)
    return [
        (re.compile(_filled(form, names), re.IGNORECASE), getattr(reader, name))
        for name, form in read_values()["date_forms"]
    ]


def _filled(form: str, names: dict[str, str]) -> str:
    """Return a form with the words of a language for `[month]` and the other names in square brackets."""
    return re.sub(r"\[(\w+)\]", lambda match: names.get(match[1], match[0]), form)


class _Reader:
    """Reads the groups of the forms of dates in one language. A function returns None for what is no date."""

    def __init__(self, language: str) -> None:
        self._table = read_values(language)
        self._months = _months(language)
        self._days = {_plain(day): at for at, day in enumerate(self._table["weekdays"])}

    def in_numbers(self, parts: dict[str, str]) -> dict[str, Any] | None:
        month, day = int(parts["month"]), int(parts["day"])
        return {"month": month, "day": day, "year": _year(parts.get("year"))} if 1 <= month <= 12 else None

    def with_slashes(self, parts: dict[str, str]) -> dict[str, Any] | None:
        first, second, year = int(parts["first"]), int(parts["second"]), _year(parts.get("year"))
        month, day = (second, first) if first > 12 else (first, second)
        if not 1 <= month <= 12 or not (1 <= day <= 31 or year is None):
            return None
        return {"month": month, "day": day if day <= 31 else None, "year": year}

    def with_month(self, parts: dict[str, str]) -> dict[str, Any]:
        month, day = self._months[parts["name"]], parts.get("day")
        return {"month": month, "day": int(day) if day else None, "year": _year(parts.get("year"))}

    def with_weekday(self, parts: dict[str, str]) -> dict[str, Any]:
        weeks = int(parts.get("weeks", "1").replace("a", "1")) * (2 if parts.get("unit") == "fortnight" else 1)
        weeks = weeks if parts.keys() & {"weeks", "skip"} else 0
        day = int(parts["day"]) if "day" in parts else None
        return {"weekday": self._days[_plain(parts["weekday"])], "weeks": weeks, "day": day, "is_next": "next" in parts}

    def after_span(self, parts: dict[str, str]) -> dict[str, Any]:
        count = parts.get("count") or parts["count2"]
        length = in_all_languages("spans")[parts.get("span") or parts["span2"]]
        days = (1 if count in ("a", "an") else int(count)) * length
        start = self._table["relative_days"][parts["from"]] if "from" in parts else 0
        return {"offset": start - days if parts.keys() & {"ago", "vor"} else start + days}

    def relative(self, parts: dict[str, str]) -> dict[str, Any]:
        return {"offset": self._table["relative_days"][parts["relative"]]}

    def alone(self, parts: dict[str, str]) -> dict[str, Any] | None:
        day = int(parts.get("day") or parts["day2"])
        return {"day": day} if 1 <= day <= 31 else None


@lru_cache(maxsize=len(LANGUAGES))
def _months(language: str) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(read_values(language)["months"], 1)}
    if language == "en":
        numbers |= {name[:3]: number for name, number in numbers.items() if name != "may"} | {"sept": 9}
    return numbers


def _plain(text: str) -> str:
    """Return a text without accents."""
    return "".join(each for each in normalize("NFD", text) if not combining(each))


def _year(text: str | None) -> int | None:
    year = int(text.strip("'")) if text else None
    return year if year is None or year > 99 else year + (1900 if year > 35 else 2000)


def find_date(slot: Slot, utterance: Utterance, now: datetime) -> str | None:
    """Return the date that a slot asks for, in the form of its example."""
    text = utterance.digits
    dates = list(find_dates(text, utterance.language))
    if slot.kind == "birth" and not any(each.month for each in dates):
        dates = _birth_in_numbers(text) or dates
    if not dates:
        return None
    if slot.has_span and len(dates) == 1 and slot.is_end != bool(_UNTIL.search(text)):
        return None
    chosen = dates[-1] if slot.has_span and slot.is_end else dates[0]
    if slot.kind in ("birth", "past"):
        chosen = next((each for each in dates if each.month), dates[0])
    is_past = _IN_THE_PAST.search(text) or _ASKS_FOR_PAST.search(utterance.question or slot.question)
    kind = "past" if slot.kind == "date" and is_past else slot.kind
    return format_date(chosen, slot.example_text, now.date(), kind=kind, language=utterance.language)


def _birth_in_numbers(text: str) -> list[SpokenDate]:
    """Return a date that was said as three numbers: "1 31 75"."""
    match = re.search(r"\b(\d{1,2})[\s,]+(\d{1,2})[\s,]+((?:19|20)?\d{2})\b", text)
    match = match or re.search(r"\b(\d{2})(\d{2})((?:19|20)?\d{2})\b", text)
    if match is None or not 1 <= int(match[1]) <= 12 or not 1 <= int(match[2]) <= 31:
        return []
    month, day = int(match[1]), int(match[2])
    return [SpokenDate(match.start(), match.end(), match[0], year=_year(match[3]), month=month, day=day)]


def format_date(spoken: SpokenDate, example: str, today: date, *, kind: str, language: str) -> str | None:
    """Return a date in the form of the example; None if too little was said for that form."""
    names, is_past = read_values(language), kind in ("birth", "past")
    if re.fullmatch(r"\d{1,2}/\d{2}", example):  # the expiry of a card
        of_card = spoken.year if spoken.year is not None else spoken.day  # "09/27" reads like a month and a day
        return f"{spoken.month:02}/{of_card % 100:02}" if spoken.month and of_card is not None else None
    if strict := _strict_format(example):
        day = spoken.resolve(today, past=is_past) if kind != "birth" or spoken.year is not None else None
        return day.strftime(strict) if day else None
    if example.casefold() in names["weekdays"] and (weekday := _as_weekday(spoken, example, today, is_past, language)):
        return weekday
    form = re.fullmatch(r"[A-Z][a-z]{2,8}\.? \d{1,2}(?:,? \d{4})?", example)
    if form and spoken.day and spoken.month is None and (day := spoken.resolve(today, past=kind == "past")):
        spoken = replace(spoken, month=day.month)  # "the fifth"
    if form and spoken.month and spoken.day:
        year = f", {spoken.year}" if spoken.year else ""
        return f"{names['months'][spoken.month - 1].capitalize()} {spoken.day}{year}"
    return _as_spoken(spoken.text, language)


def _as_weekday(spoken: SpokenDate, example: str, today: date, is_past: bool, language: str) -> str | None:
    """Return the weekday of a near day, with "next" if that was said of a day a week ahead; None for other days."""
    if spoken.weekday is None and (spoken.offset is None or not 0 <= spoken.offset < 7):  # "tomorrow"
        return None
    day = spoken.resolve(today, past=is_past)
    if day is None:
        return None
    names = read_values(language)
    weekday = str(names["weekdays"][day.weekday() if spoken.weekday is None else spoken.weekday])
    weekday = weekday if example.islower() else weekday.capitalize()
    return str(names["next_weekday"]).format(weekday) if spoken.is_next and (day - today).days >= 7 else weekday


def _strict_format(example: str) -> str | None:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", example):
        return "%Y-%m-%d"
    match = re.fullmatch(r"(\d{1,2})([/.])(\d{1,2})[/.](\d{2,4})", example)
    if not match:
        return None
    year = "%Y" if len(match[4]) == 4 else "%y"
    is_day_first = match[2] == "." or int(match[1]) > 12
    return f"%d{match[2]}%m{match[2]}{year}" if is_day_first else f"%m/%d/{year}"


def _as_spoken(text: str, language: str) -> str:
    """Return the words of a date, months and weekdays with a capital as the language has them."""
    text = re.sub(r"^the\s+(?=\D)", "", text, flags=re.IGNORECASE)
    if language == "es":
        return text
    names = {*read_values(language)["months"], *read_values(language)["weekdays"]}
    return re.sub(r"\w+", lambda word: word[0].capitalize() if word[0].lower() in names else word[0], text)


def find_weekdays(text: str, language: str, example: str) -> list[str]:
    """Return all weekdays that a text names, in its order; "every day but …" included."""
    names: list[str] = read_values(language)["weekdays"]
    folded, either = text.casefold(), "|".join(names)
    days = list(dict.fromkeys(match[1] for match in re.finditer(rf"\b({either})s?\b", folded)))
    if re.search(r"\b(?:every ?day|any day|all days)\b", folded):
        days = names[:]
    if match := re.search(r"\b(?:but|except|apart from|other than)\b(.*)", folded):
        days = [day for day in days if day not in match[1]]
    return [day if example.islower() else day.capitalize() for day in days]
