"""Dates as people say them: "the twenty first of March", "next Tuesday", "in two weeks"."""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from unicodedata import combining, normalize

from dryline.phrases.value_kinds import LANGUAGES, read_values, table_of_all_languages

_WEEK_AHEAD = re.compile(r"\b(?P<way>next|last) week\b|\bin (?P<weeks>\d{1,2}) weeks['\u2019]? time\b", re.IGNORECASE)


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
    nth: int | None = None  # "the first Monday in December"
    week: int | None = None  # "Monday of last week" is -1
    edge: str = ""  # "the end of the month", "the beginning of the week"

    def resolve(self, today: date, *, past: bool = False) -> date | None:
        """Return the day that is meant, the next one that fits unless it is `past`; None if too little was said."""
        if self.offset is not None:
            return today + timedelta(days=self.offset)
        if self.edge:
            return _edge(self.edge, today, is_next=self.is_next, past=past)
        if self.nth is not None and self.weekday is not None and self.month is not None:
            return _nearest(
                [_nth(year, self.month, self.weekday, self.nth) for year in self._years(today)], today, past
            )
        if self.weekday is not None and self.day is None:
            return self._resolve_weekday(today, past)
        if self.day is None:
            return None
        if self.month is not None:
            return _nearest([_date(year, self.month, self.day) for year in self._years(today)], today, past)
        months = [
            (today.year + (today.month - 1 + step) // 12, (today.month - 1 + step) % 12 + 1) for step in (-1, 0, 1, 2)
        ]
        return _nearest([_date(year, month, self.day) for year, month in months], today, past)

    def _years(self, today: date) -> list[int]:
        return [self.year] if self.year is not None else [today.year - 1, today.year, today.year + 1]

    def _resolve_weekday(self, today: date, past: bool) -> date:
        assert self.weekday is not None
        if self.week is not None:
            return today + timedelta(days=self.weekday - today.weekday() + 7 * self.week)
        ahead = (self.weekday - today.weekday()) % 7
        if past:
            return today - timedelta(days=(7 - ahead if ahead else 7) + 7 * self.weeks)
        if self.is_next and 0 < ahead <= 6 - today.weekday():  # still in this week, so next week's is meant
            ahead += 7
        return today + timedelta(days=(ahead or 7) + 7 * self.weeks)


def _edge(edge: str, today: date, *, is_next: bool, past: bool) -> date:
    """Return the first or last day of this week, month or year, or of the next one; Friday ends a week."""
    side, unit = edge.split()
    ahead = is_next or (side != "end" and not past)
    if unit == "week":
        return today + timedelta(days=(4 if side == "end" else 0) - today.weekday() + 7 * ahead)
    if unit == "year":
        year = today.year + ahead
        return date(year, 12, 31) if side == "end" else date(year, 1, 1)
    year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1] if side == "end" else 1)


def _nth(year: int, month: int, weekday: int, nth: int) -> date | None:
    """Return the nth such weekday of a month; -1 is its last one."""
    days = [day for day in range(1, monthrange(year, month)[1] + 1) if date(year, month, day).weekday() == weekday]
    return date(year, month, days[nth if nth < 0 else nth - 1]) if nth <= len(days) else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _nearest(days: list[date | None], today: date, past: bool) -> date | None:
    valid = [day for day in days if day is not None]
    if len(valid) == 1:
        return valid[0]
    return (
        max((day for day in valid if day <= today), default=None)
        if past
        else min((day for day in valid if day >= today), default=None)
    )


@lru_cache(maxsize=len(LANGUAGES))
def _patterns(language: str) -> list[tuple[str, re.Pattern[str]]]:
    table = read_values(language)
    months = "|".join(sorted([*_month_numbers(language)], key=len, reverse=True))
    weekdays = "|".join({name: None for day in table["weekdays"] for name in (day, _without_accents(day))})
    relative = "|".join(sorted(table["relative_days"], key=len, reverse=True))
    spans = "|".join(sorted(table_of_all_languages("spans"), key=len, reverse=True))
    ending = r"(?:st|nd|rd|th|\.|\u00ba)?"
    year = (
        r"(?:,?\s+(?:of |de |del )?(?P<year>(?:19|20)\d{2}|(?<=\d[a-z]{2} )\d{2}|'\d{2}|"
        r"[3-9]\d(?!\d|:|\s*(?:[ap]m|people|guests))))?"
    )
    sources = {
        "iso": r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})",
        "slashed": r"\b(?P<first>\d{1,2})/(?P<second>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?\b",
        "dotted": r"\b(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?:\s?(?P<year>\d{4}|\d{2}))?",
        "month first": rf"\b(?P<name>{months})(?:\.?\s+(?:the\s+)?|,\s+the\s+)"
        rf"(?P<day>3[01]|[12]\d|0?[1-9]){ending}(?!\d|:|\s?[ap]m|\s(?:year|week)s?\b)\b" + year,
        "day first": rf"\b(?P<day>\d{{1,2}}){ending}\s+(?:day\s+)?(?:of\s+|de\s+)?(?P<name>{months})\b{year}",
        "month": rf"\b(?P<name>{months})\s+(?:of\s+|de\s+)?(?P<year>(?:19|20)\d{{2}})\b",
        "weeks after": rf"\b(?P<weeks>a|\d{{1,2}})\s+(?:weeks?|(?P<fortnight>fortnight))\s+"
        rf"(?:from |on |after |last )(?:this |next )?(?P<weekday>{weekdays})\b",
        "weekday week": rf"\b(?P<weekday>{weekdays})\s+week\b(?!\s*end)",
        "nth weekday": rf"\b(?P<nth>first|second|third|fourth|last|[1-4](?:st|nd|rd|th))\s+(?P<weekday>{weekdays})\s+"
        rf"(?:in|of)\s+(?P<name>{months})\b",
        "edge of month": rf"\b(?P<edge>end|beginning|start) of (?P<name>{months})\b",
        "edge": r"\b(?P<edge>end|beginning|start|(?:first|1st|last)(?: day)?) of "
        r"(?:the|this|(?P<next>next)) (?P<unit>week|month|year)\b",
        "holiday": rf"\b(?P<holiday>{'|'.join(sorted(table.get('holidays', ('(?!)',)), key=len, reverse=True))})\b",
        "weekday": rf"\b(?:(?P<next>next|n\u00e4chsten?|pr\u00f3ximo)\s+|(?:this|coming|this coming|diesen|este)\s+)?"
        rf"(?P<weekday>{weekdays})s?\b(?P<skip> after next)?(?:,?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b)?",
        "span": rf"\b(?:in|within|vor)\s+(?P<count>an?|\d{{1,2}})\s+(?P<span>{spans})s?\b"
        rf"|\b(?P<count2>an?|\d{{1,2}})\s+(?P<span2>{spans})s?\s+"
        rf"(?:from\s+(?:now\b)?|after\s+|(?=to(?:day|morrow)\b)|(?P<ago>ago)\b)(?P<from>{relative})?",
        "relative": rf"\b(?<!por la )(?<!de la )(?:the\s+)?(?P<relative>{relative})\b",
        "day": r"\bthe\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b|\b(?P<day2>\d{1,2})(?:st|nd|rd|th)\b",
    }
    if language == "es":
        sources["day"] = r"\bel\s+(?:d\u00eda\s+)?(?P<day>\d{1,2})\b(?!\s+de\b)(?P<day2>(?!))?"
    if language == "de":
        sources["day"] = r"\b(?:am|den|der)\s+(?P<day>\d{1,2})\.(?P<day2>(?!))?"
    return [(name, re.compile(source, re.IGNORECASE)) for name, source in sources.items()]


@lru_cache(maxsize=len(LANGUAGES))
def _month_numbers(language: str) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(read_values(language)["months"], 1)}
    if language == "en":
        numbers |= {name[:3]: number for name, number in numbers.items() if name != "may"} | {"sept": 9}
    return numbers


@lru_cache(maxsize=256)
def find_dates(text: str, language: str) -> tuple[SpokenDate, ...]:
    """Return the dates of a text whose numbers are digits, in their order. A bare day takes the month before it."""
    rest, dates = text, []
    for form, pattern in _patterns(language):
        for match in pattern.finditer(rest):
            spoken = _read(form, match, language)
            if spoken is not None:
                dates.append(spoken)
                rest = f"{rest[: match.start()]}{' ' * (match.end() - match.start())}{rest[match.end() :]}"
    dates.sort(key=lambda each: each.start)
    if week := _WEEK_AHEAD.search(text):
        ahead = int(week["weeks"] or {"next": 1, "last": -1}[week["way"].lower()])
        dates = [replace(each, week=ahead) if each.weekday is not None and not each.weeks else each for each in dates]
    for index, (before, each) in enumerate(pairwise(dates), 1):
        if each.month is None and each.day is not None and each.weekday is None and before.month:
            month = before.month % 12 + 1 if each.day < (before.day or 1) else before.month
            dates[index] = replace(each, month=month, year=before.year)
    return tuple(dates)


def _read(form: str, match: re.Match[str], language: str) -> SpokenDate | None:
    spoken = SpokenDate(match.start(), match.end(), match[0].strip())
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    year = _year(parts.get("year"))
    if form == "slashed":
        first, second = int(parts["first"]), int(parts["second"])
        if first > 12:
            first, second = second, first
        if not 1 <= first <= 12 or not (1 <= second <= 31 or year is None):
            return None
        return replace(spoken, month=first, day=second if second <= 31 else None, year=year)
    if form in ("iso", "dotted"):
        month = int(parts["month"])
        return replace(spoken, month=month, day=int(parts["day"]), year=year) if 1 <= month <= 12 else None
    if form == "edge of month":
        month = _month_numbers(language)[parts["name"].lower()]
        return replace(spoken, month=month, day=monthrange(2027, month)[1] if parts["edge"].lower() == "end" else 1)
    if form == "nth weekday":
        word = parts["nth"].lower()
        nth = -1 if word == "last" else read_values()["ordinals"].get(word) or int(word[0])
        month = _month_numbers(language)[parts["name"].lower()]
        return replace(spoken, month=month, weekday=_weekday(parts["weekday"], language), nth=nth)
    if "name" in parts:
        month, day = _month_numbers(language)[parts["name"].lower()], parts.get("day")
        return replace(spoken, month=month, day=int(day) if day else None, year=year)
    if form == "holiday":
        month, holiday = read_values(language)["holidays"][parts["holiday"].lower()]
        return replace(spoken, month=month, day=holiday)
    if form in ("weeks after", "weekday week"):
        weeks = int(parts["weeks"]) if parts.get("weeks", "a") != "a" else 1
        weeks *= 2 if "fortnight" in parts else 1
        return replace(spoken, weekday=_weekday(parts["weekday"], language), weeks=weeks)
    if form == "edge":
        side = "end" if parts["edge"].lower().startswith(("end", "last")) else "begin"
        return replace(spoken, edge=f"{side} {parts['unit'].lower()}", is_next="next" in parts)
    if form == "weekday":
        weekday = _weekday(parts["weekday"], language)
        day = int(parts["day"]) if "day" in parts else None
        return replace(spoken, weekday=weekday, day=day, is_next="next" in parts, weeks=int("skip" in parts))
    if form == "relative":
        return replace(spoken, offset=read_values(language)["relative_days"][parts["relative"].lower()])
    if form == "span":
        if match[0].lower().startswith("vor "):
            parts["ago"] = ""
        count = parts.get("count") or parts["count2"]
        span = (parts.get("span") or parts["span2"]).lower()
        days = (1 if count in ("a", "an") else int(count)) * table_of_all_languages("spans")[span]
        start = read_values(language)["relative_days"][parts["from"].lower()] if "from" in parts else 0
        return replace(spoken, offset=start - days if "ago" in parts else start + days)
    day = int(parts.get("day") or parts["day2"])
    return replace(spoken, day=day) if 1 <= day <= 31 else None


def _weekday(name: str, language: str) -> int:
    return [_without_accents(day) for day in read_values(language)["weekdays"]].index(_without_accents(name.lower()))


def _without_accents(text: str) -> str:
    return "".join(each for each in normalize("NFD", text) if not combining(each))


def _year(text: str | None) -> int | None:
    if text is None:
        return None
    year = int(text.strip("'"))
    return year if year > 99 else year + (1900 if year > 35 else 2000)


def find_birth(text: str) -> SpokenDate | None:
    """Return a date that was said as three numbers: "1 31 75"."""
    match = re.search(r"\b(\d{1,2})[\s,]+(\d{1,2})[\s,]+((?:19|20)?\d{2})\b", text)
    match = match or re.search(r"\b(\d{2})(\d{2})((?:19|20)?\d{2})\b", text)
    if turned := re.search(r"\b(\d{1,2})(?:st|nd|rd|th) of the (\d{1,2})(?:st|nd|rd|th),? (\d{2,4})\b", text):
        day, month, year = (int(turned[at]) for at in (1, 2, 3))
        if 1 <= month <= 12 and 1 <= day <= 31:
            return SpokenDate(turned.start(), turned.end(), turned[0], _year(str(year)), month, day)
    if match is None or not 1 <= int(match[1]) <= 12 or not 1 <= int(match[2]) <= 31:
        return None
    return SpokenDate(
        match.start(), match.end(), match[0], year=_year(match[3]), month=int(match[1]), day=int(match[2])
    )


def find_weekdays(text: str, language: str, example: str) -> list[str]:
    """Return all weekdays that a text names, in its order; "every day but …", "weekdays" and spans included."""
    names: list[str] = read_values(language)["weekdays"]
    folded = text.casefold()
    if re.search(r"\bweekends?\b", folded):
        days = names[5:]
    elif re.search(r"\b(?:weekdays?|working days|during the week|monday (?:to|through) friday)\b", folded):
        days = names[:5]
    elif match := re.search(
        rf"\b({'|'.join(names)})s?\s+(?:to|through|till|until|bis|a)\s+({'|'.join(names)})", folded
    ):
        days = names[names.index(match[1]) : names.index(match[2]) + 1]
    elif re.search(r"\b(?:every ?day|any day|all days)\b", folded):
        days = names[:]
    else:
        days = list(dict.fromkeys(match[1] for match in re.finditer(rf"\b({'|'.join(names)})s?\b", folded)))
    if match := re.search(r"\b(?:but|except|apart from|other than)\b(.*)", folded):
        days = [day for day in days if day not in match[1]]
    return [day if example.islower() else day.capitalize() for day in days]
