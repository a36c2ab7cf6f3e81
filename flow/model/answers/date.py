"""Dates as people say them: "next Tuesday", "December 18th", "12/02", "in two weeks"."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from dryline.flow.model.answers.kind import MultiValueKind, Span, blanked
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.time import Time
from dryline.flow.model.number_words import to_digits

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

# Short names, and misspellings that are usual. "Sat" and "Sun" are words of their own.
_SHORT_MONTHS = {**{name[:3]: name for name in MONTHS}, "sept": "september"}
_MONTH_NAMES = {**_SHORT_MONTHS, **{name: name for name in MONTHS}}
_SHORT_WEEKDAYS = {
    **{"mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thur": "thursday"},
    **{"thurs": "thursday", "fri": "friday", "tuseday": "tuesday", "teusday": "tuesday", "wensday": "wednesday"},
    **{"wendsday": "wednesday", "wednsday": "wednesday", "wedensday": "wednesday", "thurday": "thursday"},
    **{"thrusday": "thursday", "thirsday": "thursday", "firday": "friday", "saterday": "saturday"},
}
_WEEKDAY_NAMES = {**_SHORT_WEEKDAYS, **{name: name for name in WEEKDAYS}}
_DAYS_AHEAD = {
    **{"today": 0, "tonight": 0, "tomorrow": 1, "tomorow": 1, "tommorow": 1, "tommorrow": 1, "tmrw": 1},
    **{"day after tomorrow": 2, "yesterday": -1, "day before yesterday": -2},
    **{"this morning": 0, "this afternoon": 0, "this evening": 0, "last night": -1},
}
_DAYS_OF_UNIT = {"day": 1, "week": 7, "fortnight": 14, "month": 30}

_MONTH = "|".join(sorted(_MONTH_NAMES, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(_WEEKDAY_NAMES, key=len, reverse=True))
_RELATIVE = "|".join(sorted(_DAYS_AHEAD, key=len, reverse=True))
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_ENDING = r"(?:st|nd|rd|th)?(?![\d:]|,\d| ?[ap]\.?m\b)"
_YEAR = r"(?:,? (?P<year>(?:19|20)\d\d)\b)?"
_MOST_DAYS = 1_500  # of which one is a 29th of February
_FRIDAY = 4
_LAST_YEAR_SAID = 2010  # as of a birthday
_WHICH_DAY = r"\b(?:when|(?:what|which) (?:day|date))"
_WISHES = (
    "want|wish|need|have in mind|choose|pick|prefer|plan|mean|say|mention|ask|like|think|agree"  # for a day to come
)
# In the names of members for days on which something has happened.
_WORDS_OF_PAST = frozenset(("happened", "occurred", "incident", "accident", "loss", "purchase", "purchased", "bought"))


@dataclass(frozen=True, slots=True)
class SpokenDate:
    """A date in a text: where it stands, and the parts of it that were said."""

    span: Span
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    days_ahead: int | None = None  # of today; with a weekday, of the next such day
    is_past: bool = False

    def resolve(self, today: date, *, is_past: bool = False) -> date | None:
        """Return the day that is meant; None if there is none.

        It is the nearest one in the future, but in the past if it `is_past`, or if "last Friday" was said.
        """
        if self.weekday is None and self.day is None:
            return None if self.days_ahead is None else today + timedelta(days=self.days_ahead)
        if self.year is not None and self.month is not None and self.day is not None:
            return _date(self.year, self.month, self.day)
        step = timedelta(days=-1 if is_past or self.is_past else 1)
        day = today if self.day is not None else today + step
        for _ in range(_MOST_DAYS):
            if self._is_met_by(day):
                return day + timedelta(days=self.days_ahead or 0)
            day += step
        return None

    def _is_met_by(self, day: date) -> bool:
        if self.day is None:
            return day.weekday() == self.weekday
        return day.day == self.day and self.month in (None, day.month)


class Date(MultiValueKind):
    """A day, in digits, by the name of a month or of a weekday, or counted from today.

    Where two readings are possible, the nearest day in the future counts, or in the past for what has happened. The
    example decides on the format: 2026-01-05, 01/05/2026, 05.01.2026, March 15, or Monday. A day that is more than a
    week ahead has no weekday's name: then the month is named. An example with a time of day, such as
    2026-01-05T14:00, needs both.
    """

    name = "date"
    keys = (
        *(
            "date",
            "day",
            "when",
            "weekday",
            "appointment",
            "deadline",
            "due",
            "expiry",
            "expires",
            "arrival",
            "departure",
        ),
        *("check in", "check out", "dob", "birthday", "birthdate", "birth", "since", "until", "start", "end"),
    )
    asked_by = ("what day", "which day", "what date", "which date", "what other day", "which other day", "when", "date")
    question = "Which day would suit you?"
    sentences = ("{value}, please.", "{value} would be good.", "How about {value}?", "{value} works for me.")

    patterns = (
        re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?![\d-])"),
        re.compile(r"(?<![\d/.])(?!24/7)(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?(?![\d/]| of\b)"),
        re.compile(r"(?<![\d/.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})?(?![\d])"),
        re.compile(rf"\b(?P<month>{_MONTH})\.?,?(?: the)? {_DAY}{_ENDING}{_YEAR}"),
        re.compile(rf"\b{_DAY}(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b{_YEAR}"),
        re.compile(r"\b(?P<count>\d{1,3}|an?) (?P<unit>day|week|fortnight|month)s? ago\b"),
        re.compile(rf"\b(?P<count>1|a) (?P<unit>week) (?:from|on|after) (?:next |this )?(?P<weekday>{_WEEKDAY})\b"),
        re.compile(rf"\b(?:(?P<last>last) )?(?P<weekday>{_WEEKDAY})s?\b(?:,? (?:the )?{_DAY}(?:st|nd|rd|th)\b)?"),
        re.compile(r"\b(?:in|within) (?P<count>\d{1,3}|an?) (?P<unit>day|week|fortnight|month)s?\b"),
        re.compile(
            r"\b(?P<count>\d{1,3}|an?) (?P<unit>day|week|fortnight|month)s? (?:from (?:now|today|(?P<from>tomorrow))\b)"
        ),
        re.compile(r"\b(?P<count>\d{1,3}|an?) (?P<unit>day|week|fortnight|month)s? later\b"),
        re.compile(rf"\b(?:the )?(?P<relative>{_RELATIVE})\b"),
        re.compile(r"\b(?:the|on|until|till|to|by) (?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b"),
    )

    CASES = (
        ("Tuesday would be good", "Monday", "Tuesday"),
        ("next Wednesday", "Monday", "Wednesday"),
        ("tomorrow at nine", "Monday", "Thursday"),
        ("December 18th, please", "Monday", "December 18"),
        ("let's say January third", "March 15", "January 3"),
        ("December 3rd", "March 15, 2026", "December 3, 2026"),
        ("on March 4th, 1987", "March 15", "March 4, 1987"),
        ("the 3rd of December", "2026-01-05", "2026-12-03"),
        ("12/02 would work", "2026-01-05", "2026-12-02"),
        ("25/12, that's Christmas", "2026-01-05", "2026-12-25"),
        ("on the third", "2026-01-05", "2026-12-03"),
        ("in ten days", "2026-01-05", "2026-12-05"),
        ("a week from Monday", "2026-01-05", "2026-12-07"),
        ("the day after tomorrow at half past three", "2026-01-05", "2026-11-27"),
        ("last Friday night", "2026-01-05", "2026-11-20"),
        ("two days ago", "2026-01-05", "2026-11-23"),
        ("March the fourth nineteen eighty seven", "1980-05-21", "1987-03-04"),
        ("the 29th of February", "2026-01-05", "2028-02-29"),
        ("Monday the 7th", "12/31/2026", "12/07/2026"),
        ("thurday is fine", "31.12.2026", "26.11.2026"),
        ("Friday next week", "2026-01-05", "2026-12-04"),
        ("Tuesday at four thirty", "2026-01-05T14:00", "2026-12-01T16:30"),
        ("at the end, I guess", "Monday", None),
        ("may I have a word", "2026-01-05", None),
        ("I sat in the sun for 3 days", "2026-01-05", None),
        ("the order number is 48210", "2026-01-05", None),
        ("the line is open 24/7, and 2/3 of us wait", "2026-01-05", None),
        ("February 31st", "2026-01-05", None),
        ("at 10:30", "2026-01-05", None),
        ("call me at 303 555 0188", "Monday", None),
        ("as soon as possible", "Monday", None),
        ("the 45th of May", "Monday", None),
        ("Tuesday, but I don't know the time", "2026-01-05T14:00", None),
        ("the second one", "Monday", None),
    )

    _iso_time = re.compile(r"\d{4}-\d{2}-\d{2}(?P<between>[T ])(?P<time>\d{2}:\d{2}(?::\d{2})?)Z?")
    _named = re.compile(r"[A-Z][a-z]{2,8}\.? \d{1,2}(?P<year>,? \d{4})?")
    _in_digits = (
        (re.compile(r"\d{4}-\d{2}-\d{2}"), "%Y-%m-%d"),
        (re.compile(r"(?:1[3-9]|[23]\d)/\d{1,2}/\d{4}"), "%d/%m/%Y"),
        (re.compile(r"\d{1,2}/\d{1,2}/\d{4}"), "%m/%d/%Y"),
        (re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), "%d.%m.%Y"),
    )
    _next_week = re.compile(r"\bnext week\b")
    # "When did it happen?" and "When was your last visit?", but not "Which day did you have in mind?".
    _asks_about_past = re.compile(
        rf"{_WHICH_DAY} (?:did (?!(?:\w+ ){{1,3}}(?:{_WISHES})\b)|(?:was|were)\b[^.?!]*\blast\b|[^.?!]*\bhappened\b)"
    )

    def is_example(self, text: str) -> bool:
        is_in_digits = any(pattern.fullmatch(text) for pattern, _ in self._in_digits)
        return is_in_digits or bool(self._iso_time.fullmatch(text)) or text.lower() in WEEKDAYS or self._is_named(text)

    def find(self, said: str) -> list[SpokenDate]:
        """Return the dates of a text whose numbers are digits, in their order."""
        rest = said.lower()
        dates: list[SpokenDate] = []
        for pattern in self.patterns:
            spoken = [each for each in map(self._read, pattern.finditer(rest)) if each is not None]
            dates += spoken
            rest = blanked(rest, [each.span for each in spoken])
        return sorted(dates, key=lambda each: each.span)

    def read_all(self, said: str, context: Slot) -> list[str]:
        text, today = to_digits(said), context.now.date()
        is_past = self.is_past(context)
        resolved = [spoken.resolve(today, is_past=is_past) for spoken in self.find(text)]
        days = [day for day in resolved if day is not None]
        if len(resolved) == len(days) == 1 and self._next_week.search(text.lower()):
            days = [_in_next_week(days[0], today)]

        iso_time = self._iso_time.fullmatch(context.example_text)
        if iso_time is None:
            return [self._written(day, context) for day in days]
        time = Time().read(said, Slot(iso_time["time"], now=context.now, agent=context.agent))
        return [] if time is None else [f"{day}{iso_time['between']}{time}" for day in days]

    def make(self, random: Random, context: Slot) -> str:
        """Return a day of the next three weeks, or of one for a weekday, no weekend.

        A day on which something has happened is one of the last three weeks, a birthday one long ago.
        """
        today = context.now.date()
        if "birth" in context.label or context.label in ("dob", "born"):
            return self._written(date(today.year - random.randint(20, 75), random.randint(1, 12), 17), context)
        is_weekday = context.example_text.lower() in WEEKDAYS
        step = timedelta(days=-1 if self.is_past(context) else 1)
        day = today + step * random.randint(2, 4 if is_weekday else 21)
        while day.weekday() > _FRIDAY or day.weekday() == today.weekday():
            day += step
        iso_time = self._iso_time.fullmatch(context.example_text)
        if iso_time is None:
            return self._written(day, context)
        return f"{day}{iso_time['between']}{Time().make(random, Slot(iso_time['time'], now=context.now))}"

    def is_past(self, context: Slot) -> bool:
        """Return whether something has happened on the day, by its member's name or by the agent's question."""
        if not _WORDS_OF_PAST.isdisjoint(context.label.split()):
            return True
        return context.is_asked and self._asks_about_past.search(context.agent.lower()) is not None

    def say(self, value: str) -> str:
        """Return a date in digits with the name of its month; other dates as they are."""
        in_digits = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](.+))?", value)
        if in_digits is None:
            return value
        year, month, day, time = in_digits.groups()
        said = f"{MONTHS[int(month) - 1].capitalize()} {int(day)}"
        said = said if int(year) > _LAST_YEAR_SAID else f"{said}, {year}"
        return f"{said} at {Time().say(time)}" if time else said

    def _is_named(self, text: str) -> bool:
        return self._named.fullmatch(text) is not None and text.split()[0].lower().rstrip(".") in _MONTH_NAMES

    def _read(self, match: re.Match[str]) -> SpokenDate | None:
        """Return the date of a match; None for what is no date, such as 13/13."""
        parts = {name: value for name, value in match.groupdict().items() if value}
        span, weekday = Span(*match.span()), _weekday(parts.get("weekday"))
        if "relative" in parts:
            return SpokenDate(span, days_ahead=_DAYS_AHEAD[parts["relative"]])
        if "count" in parts:
            count = int(parts["count"]) if parts["count"].isdigit() else 1
            ahead = count * _DAYS_OF_UNIT[parts["unit"]] * (-1 if match[0].endswith("ago") else 1)
            return SpokenDate(span, weekday=weekday, days_ahead=ahead + ("from" in parts))
        if "day" in parts:
            return self._read_day_of_month(match, parts)
        return SpokenDate(span, weekday=weekday, is_past="last" in parts)

    def _read_day_of_month(self, match: re.Match[str], parts: dict[str, str]) -> SpokenDate | None:
        """Return the date of a match with a day, and perhaps a month and a year; None for no date, such as 13/13."""
        day, month = int(parts["day"]), _month(parts.get("month"))
        if month is not None and month > 12 and "/" in match[0]:
            month, day = day, month
        year = int(parts["year"]) if "year" in parts else None
        if year is not None and year < 100:
            year += 2000 if year < 50 else 1900
        is_possible = _date(year or 2028, month or 1, day) is not None  # 2028 has a 29th of February
        return SpokenDate(Span(*match.span()), year, month, day) if is_possible else None

    def _written(self, day: date, context: Slot) -> str:
        example = context.example_text
        for pattern, date_format in self._in_digits:
            if pattern.fullmatch(example):
                return day.strftime(date_format)
        is_near = 0 <= (day - context.now.date()).days <= 7
        if is_near and not self._is_named(example):
            weekday = WEEKDAYS[day.weekday()]
            return weekday if example.islower() else weekday.capitalize()
        named = self._named.fullmatch(example)
        year = f", {day.year}" if (named and named["year"]) or day.year < context.now.year - 1 else ""
        return f"{MONTHS[day.month - 1].capitalize()} {day.day}{year}"


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(name: str | None) -> int | None:
    """Return the number of a month, which may be in digits."""
    if name is None:
        return None
    return int(name) if name.isdigit() else 1 + MONTHS.index(_MONTH_NAMES[name])


def _weekday(name: str | None) -> int | None:
    return None if name is None else WEEKDAYS.index(_WEEKDAY_NAMES[name])


def _in_next_week(day: date, today: date) -> date:
    """Return the weekday of a day in the week that begins with the next Monday."""
    return today + timedelta(days=7 - today.weekday() + day.weekday())
