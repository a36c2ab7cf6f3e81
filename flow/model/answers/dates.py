"""Dates as people say them ("next Tuesday", "in two weeks"), written in the form of an example."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from random import Random

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import form, language_of, pattern_in, read_values

_FRIDAY = 4
_MOST_DAYS = 1_500  # of which one is a 29th of February


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
    is_later: bool = False  # "a week from Monday"
    week: int | None = None  # "Friday next week"

    def resolve(self, today: date, *, past: bool = False) -> date | None:
        """Return the day that is meant, the next one that fits unless it is `past`; None if too little was said."""
        if self.offset is not None:
            return today + timedelta(days=self.offset)
        if self.day is None and self.weekday is None:
            return None
        if self.day is None and self.week is not None:
            return today + timedelta(days=(self.weekday or 0) - today.weekday() + 7 * self.week)
        start = today if self.year is None else date(self.year, 1, 1)
        days = (start + timedelta(days=ahead * (-1 if past and start == today else 1)) for ahead in range(_MOST_DAYS))
        day = next((each for each in days if self._fits(each) and (self.day or each != today)), None)
        if day is None or self.day:
            return day
        is_this_week = 0 < (day - today).days <= 6 - today.weekday()  # "next Friday" is not still in this week
        return day + timedelta(days=7 * (self.is_later or (self.is_next and is_this_week)))

    def _fits(self, day: date) -> bool:
        if self.day is None:
            return day.weekday() == self.weekday
        return day.day == self.day and self.month in (None, day.month)


@lru_cache(maxsize=256)
def find_dates(text: str, language: str, forms: str = "date_forms") -> tuple[SpokenDate, ...]:
    """Return the dates of a text whose numbers are digits, in their order. A bare day takes the month before it."""
    rest, dates = text, []
    sources = [*read_values()[forms]]
    if forms == "date_forms":
        sources.append(read_values(language)["day_of_month"])
    for source in sources:
        for match in pattern_in(source, language).finditer(rest):
            parts = {name: value.lower() for name, value in match.groupdict().items() if value is not None}
            date_said = _read(SpokenDate(match.start(), match.end(), match[0].strip()), parts, language)
            if date_said is not None:
                dates.append(date_said)
                rest = f"{rest[: match.start()]}{' ' * (match.end() - match.start())}{rest[match.end() :]}"
    dates.sort(key=lambda each: each.start)
    if week := re.search(r"\b(next|last) week\b", text, re.IGNORECASE):
        ahead = 1 if week[1].lower() == "next" else -1
        dates = [each if each.weekday is None else replace(each, week=ahead) for each in dates]
    for index, (before, each) in enumerate(pairwise(dates), 1):
        if each.day and each.month is None and each.weekday is None:  # "May 4th to the 6th"
            dates[index] = replace(each, month=before.month, year=before.year)
    return tuple(dates)


def _read(spoken: SpokenDate, parts: dict[str, str], language: str) -> SpokenDate | None:
    """Return a date with the named parts of a match; None for what is no date."""
    table = read_values(language)
    if "span" in parts:
        days = (1 if parts["count"] in ("a", "an") else int(parts["count"])) * read_values()["spans"][parts["span"]]
        start = table["relative_days"][parts["from"]] if "from" in parts else 0
        return replace(spoken, offset=start - days if "ago" in parts else start + days)
    if "relative" in parts:
        return replace(spoken, offset=table["relative_days"][parts["relative"]])
    named, day = parts.get("month", ""), int(parts["day"]) if "day" in parts else None
    month = int(named) if named.isdigit() else table["month_numbers"].get(named)
    if month and day and "/" in spoken.text and month > 12:
        month, day = day, month
    if (month or 1) > 12 or not 1 <= (day or 1) <= 31:
        return None
    weekday = table["weekday_numbers"].get(parts.get("weekday"))
    year = _year(parts["year"]) if "year" in parts else None
    spoken = replace(spoken, is_next="next" in parts, is_later="later" in parts)
    return replace(spoken, year=year, month=month, day=day, weekday=weekday)


def _year(text: str) -> int:
    year = int(text.strip("'"))
    return year if year > 99 else year + (1900 if year > 35 else 2000)


def find_date(slot: Slot, utterance: Utterance) -> str | None:
    """Return the date that a slot asks for, in the form of its example."""
    text = utterance.digits
    dates = find_dates(text, utterance.language)
    if slot.kind == "birth" and not any(each.month for each in dates):
        dates = find_dates(text, utterance.language, "birth_forms") or dates
    is_end = slot.end_of_span == "end"
    if not dates or (slot.end_of_span and len(dates) == 1 and is_end != bool(form("until_day").search(text))):
        return None
    chosen = dates[-1 if is_end else 0]
    if slot.kind in ("birth", "past"):
        chosen = next((each for each in dates if each.month), dates[0])
    is_past = form("in_the_past").search(text) or form("asks_for_past").search(utterance.question or slot.question)
    kind = "past" if slot.kind == "date" and is_past else slot.kind
    return format_date(chosen, slot.example_text, utterance.now.date(), kind=kind, language=utterance.language)


def format_date(spoken: SpokenDate, example: str, today: date, *, kind: str, language: str) -> str | None:
    """Return a date in the form of the example; None if too little was said for that form."""
    names, is_past = read_values(language), kind in ("birth", "past")
    if re.fullmatch(r"\d{1,2}/\d{2}", example):  # the expiry of a card
        of_card = spoken.year if spoken.year is not None else spoken.day  # "09/27" reads like a month and a day
        return f"{spoken.month:02}/{of_card % 100:02}" if spoken.month and of_card is not None else None
    day = spoken.resolve(today, past=is_past)
    forms: dict[str, str] = read_values()["dates_in_numbers"]
    if in_numbers := next((form for source, form in forms.items() if re.fullmatch(source, example)), None):
        return day.strftime(in_numbers) if day and (kind != "birth" or spoken.year is not None) else None
    is_near = spoken.weekday is not None or (spoken.offset is not None and 0 <= spoken.offset < 7)
    if day and is_near and example.casefold() in names["weekdays"]:
        name = str(names["weekdays"][day.weekday()])
        name = name if example.islower() else name.capitalize()
        return str(names["next_weekday"]).format(name) if spoken.is_next and (day - today).days >= 7 else name
    is_named = re.fullmatch(r"[A-Z][a-z]{2,8}\.? \d{1,2}(?:,? \d{4})?", example)  # "March 15"
    if is_named and day and spoken.day:
        year = f", {spoken.year}" if spoken.year else ""
        return f"{names['months'][day.month - 1].capitalize()} {spoken.day}{year}"
    text = re.sub(r"^the\s+(?=\D)", "", spoken.text, flags=re.IGNORECASE)
    capitals = {*names["months"], *names["weekdays"]} if language != "es" else set()
    return re.sub(r"\w+", lambda word: word[0].capitalize() if word[0].lower() in capitals else word[0], text)


def find_weekdays(text: str, language: str, example: str) -> list[str]:
    """Return all weekdays that a text names, in its order; of "every day but Sunday" the others."""
    names: list[str] = read_values(language)["weekdays"]
    named = re.findall(rf"\b({'|'.join(names)})s?\b", text.casefold())
    every_day = re.search(r"\b(?:every ?day|any day|all days)\b", text, re.IGNORECASE)
    days = [name for name in names if name not in named] if every_day else dict.fromkeys(named)
    return [day if example.islower() else day.capitalize() for day in days]


def make_date(slot: Slot, random: Random, now: datetime) -> str:
    """Return an invented date. Days to come are no weekends, nor the weekday of today, which could be in a week."""
    today = now.date()
    if slot.kind == "birth":
        day = date(now.year - random.randint(20, 75), random.randint(1, 12), random.randint(1, 28))
    elif slot.kind == "past":
        day = today - timedelta(days=random.randint(1, 20))
    else:
        day = today + timedelta(days=random.randint(2, 21))
        while day.weekday() > _FRIDAY or day.weekday() == today.weekday():
            day += timedelta(days=1)
    language = language_of(f"{slot.question} {slot.example_text}")
    month = read_values(language)["months"][day.month - 1]
    said = read_values(language)["date_says"].format(day=day.day, month=month)
    said, year = (f"{said}, {day.year}", day.year) if slot.kind == "birth" else (said, None)
    spoken = SpokenDate(0, 0, said, year, day.month, day.day, day.weekday())
    return format_date(spoken, slot.example_text, today, kind=slot.kind, language=language) or said
