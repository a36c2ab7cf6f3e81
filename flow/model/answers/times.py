"""Times of day as people say them: "half past nine", "two thirty in the afternoon", "noon", "after work"."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from random import Random

from dryline.flow.model.answers.dates import find_date, find_dates
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import form, pattern_of, read_values

_MINUTES = {"half past": 30, "quarter": 15, "halb": 30, "viertel": 15, "media": 30, "cuarto": 15}
_BEFORE = ("to", "of", "before", "till", "vor", "menos")
_UNSURE = ("two numbers", "at", "military")  # which can be other numbers as well
_HALF_DAY = r"\d{1,2}(?P<minute>:\d{2})?(?P<space>\s?)(?P<half>[ap]\.?m\.?)"
_CLOCK = r"\d{1,2}(:\d{2}){1,2}"


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """A time of day in a text. `half` is `a` or `p` if it was said; `is_sure` if it can be nothing else."""

    start: int
    end: int
    text: str
    hour: int
    minute: int = 0
    half: str | None = None
    is_sure: bool = True

    def clock(self, context: str) -> tuple[int, int]:
        """Return hour and minute on a clock of 24 hours; the usual half of the day where none was said."""
        hour = self.hour
        if self.half == "p" and hour < 12:
            hour += 12
        elif self.half == "a" and hour == 12:
            hour = 0
        elif self.half is None and 1 <= hour <= 11 and not re.match(r"0\d", self.text):
            hour += 12 if hour < 7 or form("of_evening").search(context) else 0
        return hour, self.minute


@lru_cache(maxsize=256)
def find_times(text: str) -> tuple[SpokenTime, ...]:
    """Return the times of a text whose numbers are digits, in their order."""
    rest, times = text, []
    for name, source in read_values()["time_forms"].items():
        for match in re.finditer(source, rest, re.IGNORECASE):
            if spoken := _read(name, match):
                times.append(spoken)
                rest = f"{rest[: match.start()]}{'_' * (match.end() - match.start())}{rest[match.end() :]}"
    return tuple(sorted(times, key=lambda each: each.start))


def _read(name: str, match: re.Match[str]) -> SpokenTime | None:
    """Return the time of a match, behind which the half of the day may stand; None for what is no time."""
    groups = {name: value.lower() for name, value in match.groupdict().items() if value}
    spoken = SpokenTime(match.start(), match.end(), match[0].strip(), 0, is_sure=name not in _UNSURE)
    if name == "noon":
        is_midnight = groups["noon"] == "midnight"
        return replace(spoken, hour=0 if is_midnight else 12, half=None if is_midnight else "p")
    hour = 12 if groups["hour"] == "noon" else int(groups["hour"])
    way, *more = (groups.get("more") or groups.get("way") or "").split() or [""]  # "menos cuarto", "vor"
    said = more[0] if more else groups.get("minute", "0")
    minute = _MINUTES.get(name) or _MINUTES.get(said) or int(said)
    if name == "halb" or way in _BEFORE:
        hour, minute = hour - 1 or 12, 60 - minute
    if hour > 24 or minute > 59:
        return None
    half = pattern_of("halves_of_day").match(match.string[match.end() :].lstrip())
    half_said = read_values()["halves_of_day"][half[0].lower()] if half else None
    return replace(spoken, hour=hour % 24, minute=minute, half=groups.get("half") or half_said)


def format_time(spoken: SpokenTime, example: str, context: str = "") -> str:
    """Return a time in the form of the example: "14:00", "2pm", "2:00 PM"."""
    hour, minute = spoken.clock(context)
    if re.fullmatch(_CLOCK, example):
        return f"{hour:02}:{minute:02}{':00' if example.count(':') == 2 else ''}"
    if like := re.fullmatch(_HALF_DAY, example, re.IGNORECASE):
        half = re.sub("[ap]", "p" if hour >= 12 else "a", like["half"].lower(), count=1)
        minutes = f":{minute:02}" if like["minute"] or minute else ""
        return f"{hour % 12 or 12}{minutes}{like['space']}{half.upper() if like['half'].isupper() else half}"
    return f"{hour % 12 or 12}:{minute:02} {'AM' if hour < 12 else 'PM'}" if spoken.half else f"{hour}:{minute:02}"


def find_time(slot: Slot, utterance: Utterance) -> str | None:
    """Return the time that a slot asks for, in the form of its example, or a part of the day as it was said."""
    text = utterance.digits
    is_vague = not re.fullmatch(_CLOCK, slot.example_text) and slot.is_asked_for(utterance)
    phrase = form("part_of_day").search(utterance.text) if is_vague else None
    if phrase and slot.example_text.isalpha():
        return phrase[0].lower()
    days = {at for day in find_dates(text, utterance.language) for at in range(day.start, day.end)}
    times = [each for each in find_times(text) if each.is_sure or days.isdisjoint(range(each.start, each.end))]
    if not times and slot.is_asked_for(utterance) is not False:
        times = _bare_hours(text)
    if not times:
        return phrase[0].lower() if phrase else None
    context = f"{slot.question} {utterance.question} {utterance.text}"
    if slot.end_of_span:
        return _end_of_span(slot, times, text, context)
    sure = [each for each in times if each.is_sure] or times
    return format_time(sure[0 if re.search(r"\bbetween\b", text) else -1], slot.example_text, context)


def _end_of_span(slot: Slot, times: list[SpokenTime], text: str, context: str) -> str | None:
    """Return the begin or the end of a span; the end of "from nine to five" is in the afternoon."""
    is_end = slot.end_of_span == "end"
    if len(times) < 2:
        return format_time(times[0], slot.example_text, context) if is_end == bool(form("until").search(text)) else None
    first, last = times[0], times[-1]
    if last.half is None and last.clock("") <= first.clock("") and last.clock("")[0] < 12:
        last = replace(last, half="p")
    chosen = last if is_end else first
    return format_time(chosen, slot.example_text, context if chosen.half else "")


def _bare_hours(text: str) -> list[SpokenTime]:
    """Return the hour, if it is the only number in a short text: "seven, please"."""
    match = form("bare_hour").fullmatch(text)
    if match is None or not 1 <= int(match[1]) <= 24:
        return []
    return [SpokenTime(match.start(1), match.end(1), match[1], int(match[1]) % 24, is_sure=False)]


def find_datetime(slot: Slot, utterance: Utterance) -> str | None:
    """Return day and time in the form of the example: `2026-01-05T14:00`, `Monday at 2pm`."""
    iso = re.match(r"\d{4}-\d{2}-\d{2}(?P<between>[T ])\d{2}:\d{2}(?P<seconds>:\d{2})?", slot.example_text)
    half = re.search(_HALF_DAY, slot.example_text, re.IGNORECASE)
    day = find_date(Slot("2026-01-05" if iso else "Monday", "date"), utterance)
    like = f"14:00{':00' if iso['seconds'] else ''}" if iso else half[0] if half else ""
    time = find_time(Slot(like, slot.key, question=slot.question), utterance)
    if iso:
        return f"{day}{iso['between']}{time}" if day and time else None
    return " at ".join(filter(None, (day, time))) or None


def find_offered_time(text: str, choices: list[str]) -> int | None:
    """Return the place of the one of several times that a text in digits means; None if the choices are no times."""
    offered = [find_times(choice) for choice in choices]
    said = [*(find_times(text) or _bare_hours(text))][-1:]
    if any(len(times) != 1 for times in offered) or not said:
        return None
    fits = (said[0].hour % 12, said[0].minute)
    named = [at for at, (each,) in enumerate(offered) if (each.hour % 12, each.minute) == fits]
    named = [at for at in named if said[0].half in (None, offered[at][0].half)]
    return named[0] if len(named) == 1 else None


def make_time(slot: Slot, random: Random, now: datetime) -> str:
    hour, minute = random.randint(9, 16), random.choice((0, 15, 30, 45))
    return format_time(SpokenTime(0, 0, "", hour, minute, "a" if hour < 12 else "p"), slot.example_text)
