"""Times of day as people say them: "half past nine", "two thirty in the afternoon", "noon", "after work"."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from dryline.flow.model.answers.dates import find_date, find_dates
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import alternatives, read_values

_EVENING = re.compile(
    r"\b(?:dinner|table|reservation|restaurant|evening|tonight|supper|party|movie|show|concert)\b", re.IGNORECASE
)
_OPENING = re.compile(r"\b(?:opens?|opening|breakfast|get up|wake|sunrise)\b", re.IGNORECASE)
_MINUTES = {"half past": 30, "quarter": 15, "halb": 30, "viertel": 15, "media": 30, "cuarto": 15}
_UNSURE = ("two numbers", "at", "military")  # which can be other numbers as well
_MORNING = re.compile(r"^\W*(?:in the morning|a\.?m\b|de la ma\u00f1ana|morgens|vormittags|fr\u00fch)", re.IGNORECASE)
_LATER = re.compile(
    r"^\W*(?:in the (?:afternoon|evening)|at night|tonight|p\.?m\b|de la (?:tarde|noche)|abends|nachmittags)",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(?:until|till|before|by|up to|no later than|bis|hasta)\b")
_HALF_DAY = r"\d{1,2}(?P<minute>:\d{2})?(?P<space>\s?)(?P<half>[ap]\.?m\.?)"


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
            is_evening = hour >= 5 and _EVENING.search(context)
            is_morning = hour >= 5 and _OPENING.search(context)
            hour += 12 if (hour < 7 or is_evening) and not is_morning else 0
        return hour, self.minute


@lru_cache(maxsize=1)
def _forms() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(form, re.IGNORECASE) for name, form in read_values()["time_forms"].items()}


@lru_cache(maxsize=256)
def find_times(text: str) -> tuple[SpokenTime, ...]:
    """Return the times of a text whose numbers are digits, in their order."""
    rest, times = text, []
    for form, pattern in _forms().items():
        for match in pattern.finditer(rest):
            if spoken := _read(form, match, text[match.end() :]):
                times.append(spoken)
                rest = f"{rest[: match.start()]}{'_' * (match.end() - match.start())}{rest[match.end() :]}"
    return tuple(sorted(times, key=lambda each: each.start))


def _read(form: str, match: re.Match[str], behind: str) -> SpokenTime | None:
    """Return the time of a match, `behind` which the half of the day may stand; None for what is no time."""
    groups = {name: (value or "").lower() for name, value in match.groupdict().items()}
    spoken = SpokenTime(match.start(), match.end(), match[0].strip(), 0, is_sure=form not in _UNSURE)
    if form == "noon":
        is_midnight = groups["noon"] == "midnight"
        return replace(spoken, hour=0 if is_midnight else 12, half=None if is_midnight else "p")
    hour = 12 if groups["hour"] == "noon" else int(groups["hour"])
    way, *more = (groups.get("more") or groups.get("way") or "").split() or [""]  # "menos cuarto", "vor"
    minute = _MINUTES.get(form) or int(groups.get("minute") or groups.get("minute2") or 0)
    if more:
        minute = _MINUTES.get(more[0]) or int(more[0])
    if form == "halb" or way in ("to", "of", "before", "till", "vor", "menos"):
        hour, minute = hour - 1 or 12, 60 - minute
    if hour > 24 or minute > 59:
        return None
    said = "a" if _MORNING.match(behind) else "p" if _LATER.match(behind) else None
    return replace(spoken, hour=hour % 24, minute=minute, half=groups.get("half") or said)


def format_time(spoken: SpokenTime, example: str, context: str) -> str:
    """Return a time in the form of the example: "14:00", "2pm", "2:00 PM"."""
    hour, minute = spoken.clock(context)
    if re.fullmatch(r"\d{1,2}(:\d{2}){1,2}", example):
        return f"{hour:02}:{minute:02}{':00' if example.count(':') == 2 else ''}"
    if form := re.fullmatch(_HALF_DAY, example, re.IGNORECASE):
        half = re.sub("[ap]", "p" if hour >= 12 else "a", form["half"].lower(), count=1)
        minutes = f":{minute:02}" if form["minute"] or minute else ""
        return f"{hour % 12 or 12}{minutes}{form['space']}{half.upper() if form['half'].isupper() else half}"
    return f"{hour % 12 or 12}:{minute:02} {'AM' if hour < 12 else 'PM'}" if spoken.half else f"{hour}:{minute:02}"


def find_time(slot: Slot, utterance: Utterance, now: datetime) -> str | None:
    """Return the time that a slot asks for, in the form of its example, or a part of the day as it was said."""
    text = utterance.digits
    is_vague = not re.fullmatch(r"\d{1,2}(:\d{2}){1,2}", slot.example_text) and slot.is_asked_for(utterance)
    phrase = _time_of_day(utterance) if is_vague else None
    if phrase and slot.example_text.isalpha():
        return phrase
    times = _times_in(text, utterance.language)
    context = f"{slot.question} {utterance.question} {utterance.text}"
    if not times and slot.is_answered_by(utterance):
        times = _bare_hours(text)
    if not times:
        return phrase
    if slot.has_span:
        return _end_of_span(slot, times, text, context)
    sure = [each for each in times if each.is_sure] or times
    return format_time(sure[0 if re.search(r"\bbetween\b", text) else -1], slot.example_text, context)


def _times_in(text: str, language: str) -> list[SpokenTime]:
    """Return the times of a text but the numbers of its dates."""
    dates = find_dates(text, language)
    return [
        each
        for each in find_times(text)
        if each.is_sure or not any(day.start < each.end and each.start < day.end for day in dates)
    ]


def _end_of_span(slot: Slot, times: list[SpokenTime], text: str, context: str) -> str | None:
    """Return the begin or the end of a span; the end of "from nine to five" is in the afternoon."""
    if len(times) < 2:
        is_end = bool(_UNTIL.search(text))
        return format_time(times[0], slot.example_text, context) if is_end == slot.is_end else None
    first, last = times[0], times[-1]
    if not slot.is_end:
        return format_time(first, slot.example_text, context if first.half else "")
    begin, end = first.clock(""), last.clock("")
    if last.half is None and end <= begin and end[0] < 12:
        last = replace(last, hour=end[0], minute=end[1], half="p")
    return format_time(last, slot.example_text, context if last.half else "")


def _time_of_day(utterance: Utterance) -> str | None:
    """Return a part of the day as it was said: "after work"."""
    phrases = alternatives("times_of_day", utterance.language)
    spoken = re.search(rf"(?<!good )\b(?:{phrases})\b", utterance.text, re.IGNORECASE)
    return spoken[0].lower() if spoken else None


def _bare_hours(text: str) -> list[SpokenTime]:
    """Return the hour, if it is the only number in a short text: "seven, please"."""
    match = re.fullmatch(r"\D{0,24}?\b(\d{1,2})\b(?!st|nd|rd|th|\s*(?:people|persons|of us))\D{0,16}", text)
    if match is None or not 1 <= int(match[1]) <= 24:
        return []
    return [SpokenTime(match.start(1), match.end(1), match[1], int(match[1]) % 24, is_sure=False)]


def find_datetime(slot: Slot, utterance: Utterance, now: datetime) -> str | None:
    """Return day and time in the form of the example: `2026-01-05T14:00`, `Monday at 2pm`."""
    iso = re.match(r"\d{4}-\d{2}-\d{2}(?P<between>[T ])\d{2}:\d{2}(?P<seconds>:\d{2})?", slot.example_text)
    half = re.search(_HALF_DAY, slot.example_text, re.IGNORECASE)
    day = find_date(Slot("2026-01-05" if iso else "Monday", "date"), utterance, now)
    form = f"14:00{':00' if iso['seconds'] else ''}" if iso else half[0] if half else ""
    time = find_time(Slot(form, slot.key, question=slot.question), utterance, now)
    if iso:
        return f"{day}{iso['between']}{time}" if day and time else None
    return " at ".join(filter(None, (day, time))) or None


def find_offered_time(text: str, choices: list[str]) -> int | None:
    """Return the place of the one of several times that a text in digits means; None if the choices are no times."""
    offered = [find_times(choice) for choice in choices]
    if any(len(times) != 1 for times in offered):
        return None
    clocks = [(times[0].hour % 12, times[0].minute, times[0].half) for times in offered]
    said = [*(find_times(text) or _bare_hours(text))][-1:]
    named = [
        at
        for at, (hour, minute, half) in enumerate(clocks)
        for each in said
        if (each.hour % 12, each.minute) == (hour, minute) and each.half in (None, half)
    ]
    return named[0] if len(named) == 1 else None
