"""Values for dates and times of day, spans of both included."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from dryline.engine.date_formats import format_date
from dryline.engine.date_values import SpokenDate, find_birth, find_dates
from dryline.engine.measure_values import find_measure
from dryline.engine.slots import Slot, digits_of
from dryline.engine.spoken_turns import Utterance
from dryline.engine.time_values import SpokenTime, find_times, format_time
from dryline.phrases.value_kinds import read_values

_DAY = 24 * 60  # minutes
_IN_THE_PAST = re.compile(
    r"\b(?:(?:paid|bought|happened|ordered|placed|since|ago|received)\b|last (?!day\b|of\b|\w+day (?:of|in)\b))", re.I
)
_BEFORE_OR_AFTER = re.compile(r"\b(after|before)\s+$", re.IGNORECASE)  # "any day after Wednesday" names no day
_HOURS = re.compile(r"\b(1[0-2]|[1-9]) (?:to|till|until|through|-) (1[0-2]|[1-9])\b(?! (?:people|days|hours))")
_BEGIN = re.compile(r"\b(1[0-2]|[1-9]) (?:to|till|until|through|-) $")
_YEAR = re.compile(r"\b(?P<year>(?:19|20)\d\d)\b|\b(?P<ago>\d{1,2}) years? ago|(?:(?P<last>last)|this) year\b")
_FROM_NOW = re.compile(
    r"\b(?:in|give me|after) (?:about |another |just )?(?=\d|an?\b|half\b)|\bfrom now\b|\btime\b|\bago\b", re.IGNORECASE
)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_ASKS_FOR_PAST = re.compile(
    r"\b(?:(?:was|were|did) (?!(?:you|they|he|she) (?:want|like|need|prefer|hop|think|plan))|since|last (?!day|date)|"
    r"happen(?:ed)?\b|occurred\b)",
    re.IGNORECASE,
)


def find_date(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    text = digits_of(utterance)
    dates = list(find_dates(text, utterance.language))
    if slot.kind == "birth" and not any(each.month for each in dates) and (birth := find_birth(text)):
        dates = [birth]
    if re.fullmatch(r"\d{1,2}/\d{2,4}", slot.example_text) and not dates:
        dates = _expiry_in_numbers(text)
    if not dates:
        return None
    if len(dates) == 1 and (beside := _BEFORE_OR_AFTER.search(text[: dates[0].start])):
        return None if re.search(r"\d", slot.example_text) else f"{beside[1]} {dates[0].text}"
    chosen = dates[-1]
    if slot.has_span:
        if len(dates) == 1 and slot.is_end != bool(re.search(r"\b(?:until|till|through|bis|hasta)\b", text)):
            return None
        chosen = dates[-1] if slot.is_end else dates[0]
    elif slot.kind in ("birth", "past"):
        chosen = next((each for each in dates if each.month), dates[0])
    elif len(dates) > 1:
        chosen = _specific(dates)
    if chosen.month and chosen.year is None and (year := _YEAR.search(text)):
        chosen = replace(chosen, year=int(year["year"] or now.year - int(year["ago"] or year["last"] is not None)))
    is_past = _IN_THE_PAST.search(text) or _ASKS_FOR_PAST.search(utterance.question or slot.question)
    kind = "past" if slot.kind == "date" and is_past else slot.kind
    return format_date(chosen, slot.example_text, now.date(), kind=kind, language=utterance.language)


def _specific(dates: list[SpokenDate]) -> SpokenDate:
    """Return the date of "next week, on Tuesday" that says the most; of equal ones the first."""
    return max(
        dates,
        key=lambda each: (
            sum(part is not None for part in (each.day, each.weekday, each.month)),
            bool(re.search(r"\d", each.text)),  # rather than a holiday
        ),
    )


def _expiry_in_numbers(text: str) -> list[SpokenDate]:
    match = re.search(r"\b(0?[1-9]|1[0-2])\D{1,3}((?:20)?\d{2})\b", text) or re.search(
        r"\b(0[1-9]|1[0-2])(\d{2})\b", text
    )
    if match is None:
        match = re.search(r"\b([1-9])(\d{2})\b", text)
    return (
        [SpokenDate(match.start(), match.end(), match[0], month=int(match[1]), year=int(match[2]) % 100 + 2000)]
        if match
        else []
    )


def find_time(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    text = digits_of(utterance)
    is_vague = not _CLOCK.fullmatch(slot.example_text) and slot.is_asked_for(utterance)
    if is_vague and slot.example_text.isalpha() and (phrase := _time_of_day(utterance)):
        return phrase
    covered = find_dates(text, utterance.language)
    times = [
        each
        for each in find_times(text)
        if each.is_sure or not any(d.start < each.end and each.start < d.end for d in covered)
    ]
    if slot.has_span and (span := _HOURS.search(text)):
        hours = [SpokenTime(span.start(at), span.end(at), span[at], int(span[at]), is_sure=False) for at in (1, 2)]
        times = hours if len(times) < 2 else times
    if slot.has_span and len(times) == 1 and (hour := _BEGIN.search(text[: times[0].start])):  # "9 to half past 5"
        times = [SpokenTime(hour.start(), hour.end(), hour[0], int(hour[1]), is_sure=False), *times]
    context = f"{slot.question} {utterance.question} {utterance.text}"
    if not times and _FROM_NOW.search(text) and (minutes := find_measure(text, "minute")) and minutes <= _DAY:
        then = now + timedelta(minutes=-minutes if re.search(r"\bago\b", text) else minutes)
        half = "a" if then.hour < 12 else "p"
        return format_time(SpokenTime(0, 0, "", then.hour % 12 or 12, then.minute, half), slot.example_text, context)
    if not times and slot.is_answered_by(utterance):
        times = _bare_hours(text)
    if not times:
        return _time_of_day(utterance) if is_vague else None
    sure = [each for each in times if each.is_sure] or times
    if not slot.has_span:
        return format_time(
            sure[-1] if len(sure) > 1 and not re.search(r"\bbetween\b", text) else sure[0], slot.example_text, context
        )
    if len(times) < 2:
        is_until = bool(re.search(r"\b(?:until|till|before|by|up to|no later than|bis|hasta)\b", text))
        return format_time(times[0], slot.example_text, context) if is_until == slot.is_end else None
    first, last = times[0], times[-1]
    if not slot.is_end:
        return format_time(first, slot.example_text, context if first.half else "")
    begin, end = first.clock(""), last.clock("")
    if last.half is None and end <= begin and end[0] < 12:
        last = SpokenTime(last.start, last.end, last.text, end[0], end[1], "p")
    return format_time(last, slot.example_text, context if last.half else "")


def _time_of_day(utterance: Utterance) -> str | None:
    """Return a part of the day as it was said: "after work"."""
    phrases = read_values(utterance.language).get("times_of_day", [])
    spoken = re.search(rf"(?<!good )\b(?:{'|'.join(phrases)})\b", utterance.text, re.IGNORECASE) if phrases else None
    return spoken[0].lower() if spoken else None


def _bare_hours(text: str) -> list[SpokenTime]:
    """Return the hour, if it is the only number in a short text: "seven, please"."""
    match = re.fullmatch(r"\D{0,24}?\b(\d{1,2})\b\D{0,16}", text)
    if (
        match is None
        or not 1 <= int(match[1]) <= 24
        or re.match(r"\d+(?:st|nd|rd|th)|\d+\s*(?:people|persons|of us)", text[match.start(1) :])
    ):
        return []
    return [SpokenTime(match.start(1), match.end(1), match[1], int(match[1]) % 24, is_sure=False)]


def find_datetime(slot: Slot, utterance: Utterance, now: datetime) -> Any:
    day = find_date(Slot("2026-01-05" if re.match(r"\d{4}-", slot.example_text) else "Monday", "date"), utterance, now)
    iso = re.match(r"\d{4}-\d{2}-\d{2}(?P<between>[T ])\d{2}:\d{2}(?P<seconds>:\d{2})?", slot.example_text)
    half = re.search(r"\d{1,2}(?::\d{2})?\s?[ap]\.?m\.?", slot.example_text, re.IGNORECASE)
    form = ("14:00:00" if iso["seconds"] else "14:00") if iso else half[0] if half else ""
    time = find_time(Slot(form, slot.key, question=slot.question), utterance, now)
    if iso:
        return f"{day}{iso['between']}{time}" if day and time else None
    return " at ".join(filter(None, (day, time))) or None
