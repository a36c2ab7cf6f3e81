"""Times of day as people say them: "half past nine", "two thirty in the afternoon", "noon"."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

_EVENING = re.compile(
    r"\b(?:dinner|table|reservation|restaurant|evening|tonight|supper|party|movie|show|concert)\b", re.I
)
_OPENING = re.compile(r"\b(?:opens?|opening|breakfast|get up|wake|sunrise)\b", re.IGNORECASE)
_HALF = r"(?:\s*(?P<half>[ap])\s?\.?\s?m\b\.?)?"
_HOUR = r"(?P<hour>\d{1,2})"
_TO_HOUR = rf"(?P<hour>\d{{1,2}}|noon)\b{_HALF}"
_OTHER_UNITS = (
    "%|percent|dollars|bucks|people|persons|of us|guests|adults|kids|children|nights|days|weeks|personen|minutes|hours"
)
_PARTS_OF_DAY = (
    r"in the (?:morning|afternoon|evening)|at night|tonight|de la (?:ma\u00f1ana|tarde|noche)|"
    "morgens|abends|nachmittags"
)
_SOURCES = {
    "clock": rf"\b{_HOUR}:(?P<minute>\d{{2}})(?::\d{{2}})?{_HALF}",
    "half past": rf"\bhalf\s+(?:past\s+)?{_HOUR}\b{_HALF}",
    "quarter past": rf"\b(?:a\s+)?quarter\s+(?:past|after)\s+{_TO_HOUR}",
    "quarter to": rf"\b(?:a\s+)?quarter\s+(?:to|of|before|till)\s+{_TO_HOUR}",
    "minutes": r"(?<!from )(?<!between )\b(?P<minute>5|10|20|25|\d{1,2}(?=\s+minutes?))\s+(?:minutes?\s+)?"
    rf"(?P<way>past|after|to|before)\s+{_HOUR}\b(?!/){_HALF}",
    "halb": rf"\bhalb\s+{_HOUR}\b",
    "uhr": rf"\b{_HOUR}(?:[.:](?P<minute>\d{{2}}))?\s*uhr(?:\s+(?P<minute2>\d{{1,2}}))?\b",
    "viertel": rf"\bviertel\s+(?P<way>nach|vor)\s+{_HOUR}\b",
    "a las": rf"\ba?\s*las?\s+{_HOUR}(?:[:.](?P<minute>\d{{2}}))?"
    r"(?P<more>\s+y\s+media|\s+y\s+cuarto|\s+menos\s+cuarto|\s+y\s+\d{1,2})?\b",
    "two numbers": rf"\b{_HOUR}\s(?P<minute>[0-5]\d)\b(?!\s*(?:dollars|percent|%|/|:)){_HALF}",
    "half of day": rf"\b{_HOUR}\s*(?P<half>[ap])\s?\.?\s?m\b\.?",
    "o'clock": rf"\b{_HOUR}\s*o\s?['\u2019]?\s?clock\b{_HALF}",
    "noon": r"\b(?P<noon>noon|midday|midnight|mittags|mediod\u00eda)\b",
    "part of day": rf"\b{_HOUR}(?=\s+(?:{_PARTS_OF_DAY}))",
    "at": r"\b(?:at|by|around|about|from|until|till|to|before|after|between|and|um|gegen|bis|von|ab)\s+(?:about\s+)?"
    rf"{_HOUR}\b(?![\d:/]|\s*(?:{_OTHER_UNITS})|\s+past\b)",
    "military": r"\b(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)\b(?:\s+hours)?",
}
_MINUTES = {"half past": 30, "quarter past": 15, "quarter to": 15, "halb": 30, "viertel": 15, "media": 30, "cuarto": 15}
_PATTERNS = {form: re.compile(source, re.IGNORECASE) for form, source in _SOURCES.items()}
_UNSURE = ("two numbers", "at", "military")  # which can be other numbers as well
_MORNING = re.compile(r"^\W*(?:in the morning|a\.?m\b|de la ma\u00f1ana|morgens|vormittags|fr\u00fch)", re.IGNORECASE)
_LATER = re.compile(
    r"^\W*(?:in the (?:afternoon|evening)|at night|tonight|p\.?m\b|de la (?:tarde|noche)|abends|nachmittags)",
    re.IGNORECASE,
)


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


@lru_cache(maxsize=256)
def find_times(text: str) -> tuple[SpokenTime, ...]:
    """Return the times of a text whose numbers are digits, in their order."""
    rest, times = text, []
    for form, pattern in _PATTERNS.items():
        for match in pattern.finditer(rest):
            spoken = _read(form, match, text)
            if spoken is not None:
                times.append(spoken)
                rest = f"{rest[: match.start()]}{'_' * (match.end() - match.start())}{rest[match.end() :]}"
    return tuple(sorted(times, key=lambda each: each.start))


def _read(form: str, match: re.Match[str], text: str) -> SpokenTime | None:
    spoken = SpokenTime(match.start(), match.end(), match[0].strip(), 0, is_sure=form not in _UNSURE)
    if form == "noon":
        return replace(
            spoken,
            hour=0 if match["noon"].lower() == "midnight" else 12,
            half="p" if match["noon"].lower() != "midnight" else None,
        )
    hour = 12 if match["hour"] == "noon" else int(match["hour"])
    groups = match.groupdict()
    minute = _MINUTES.get(form) or int(groups.get("minute") or groups.get("minute2") or 0)
    way, *more = (groups.get("more") or groups.get("way") or "").lower().split() or [""]  # "menos cuarto", "vor"
    if more:
        minute = _MINUTES.get(more[0]) or int(more[0])
    if form in ("halb", "quarter to") or way in ("to", "before", "vor", "menos"):
        hour, minute = hour - 1 or 12, 60 - minute
    if hour > 24 or minute > 59:
        return None
    half = groups.get("half")
    if half is None:
        behind = text[match.end() :]
        half = "a" if _MORNING.match(behind) else "p" if _LATER.match(behind) else None
    return replace(spoken, hour=hour % 24, minute=minute, half=half.lower() if half else None)


def format_time(spoken: SpokenTime, example: str, context: str) -> str:
    """Return a time in the form of the example: "14:00", "2pm", "2:00 PM"."""
    hour, minute = spoken.clock(context)
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", example):
        seconds = ":00" if example.count(":") == 2 else ""
        return f"{hour:02}:{minute:02}{seconds}"
    form = re.fullmatch(r"\d{1,2}(?P<minute>:\d{2})?(?P<space>\s?)(?P<half>[ap]\.?m\.?)", example, re.IGNORECASE)
    if form:
        half = form["half"].lower().replace("a", "p", 1) if hour >= 12 else form["half"].lower().replace("p", "a", 1)
        half = half.upper() if form["half"].isupper() else half
        minutes = f":{minute:02}" if form["minute"] or minute else ""
        return f"{hour % 12 or 12}{minutes}{form['space']}{half}"
    if re.fullmatch(r"\d{1,2}(?::\d{2})?\s?[ap]\.?m\.?", spoken.text, re.IGNORECASE):
        return spoken.text.rstrip(".")
    if spoken.half:
        return f"{hour % 12 or 12}:{minute:02} {'AM' if hour < 12 else 'PM'}"
    return f"{hour}:{minute:02}"
