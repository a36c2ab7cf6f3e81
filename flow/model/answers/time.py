"""Times of day as people say them: "half past nine", "two thirty in the afternoon", "noon"."""

import re
from dataclasses import dataclass
from random import Random

from dryline.flow.model.answers.kind import MultiValueKind, Span, blanked
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.number_words import to_digits

_HALF = r"(?:\s?(?P<half>[ap])\s?\.?\s?m\b\.?)?"
_HOUR = r"(?P<hour>1\d|2[0-4]|0?\d)"
_NOT_A_TIME = (
    r"(?![\d:/.,-]\d|\d|\s*(?:%|percent|dollars?|bucks|people|persons|of us|guests|adults|kids|children"
    r"|nights?|days?|weeks?"
    r"|months?|years?|hours?|minutes?|st|nd|rd|th)\b)"
)


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """A time of day in a text. `half` is `a` or `p` if it was said. One that is not sure can be another number."""

    span: Span
    hour: int
    minute: int
    half: str | None = None
    is_sure: bool = True

    def on_clock(self, about: str) -> tuple[int, int]:
        """Return hour and minute on a clock of 24 hours. Where no half of the day was said, `about` may tell it."""
        if self.half is not None:
            return self.hour % 12 + (12 if self.half == "p" else 0), self.minute
        is_late = self.hour < 7 or EVENING.search(about) is not None
        return (self.hour + 12 if 1 <= self.hour < 12 and is_late else self.hour % 24), self.minute


EVENING = re.compile(r"\b(?:dinner|table|reservation|restaurant|evening|tonight|supper|party|movie|concert)\b")


class Time(MultiValueKind):
    """A time of day, in digits or words, with or without its half of the day.

    Hours before seven are in the afternoon and others in the morning, unless more was said. A bare number counts where
    the agent asked for a time. The example decides on the format: 14:00, 2pm, 2 PM or 2:30 PM.
    """

    name = "time"
    keys = ("time", "hour", "start time", "end time", "pickup time", "arrival time", "clock", "at")
    asked_by = ("what time", "which time", "at what hour", "how late", "which of the times", "time")
    question = "What time would suit you?"
    sentences = ("At {value}, please.", "{value} would be good.", "How about {value}?", "{value} works.")

    patterns = (
        re.compile(rf"(?<![\d:.]){_HOUR}:(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:]){_HALF}"),
        re.compile(
            rf"(?<!from )(?<!between )\b(?P<before>(?:5|10|20|25)"
            rf"|\d{{1,2}}(?= min)) (?:minutes? )?(?:to|before|till) {_HOUR}\b(?![:/]){_HALF}(?! ?%)"
        ),
        re.compile(
            rf"\b(?P<minute>(?:5|10|20|25)|\d{{1,2}}(?= min)) (?:minutes? )?(?:past"
            rf"|after) {_HOUR}\b(?![:/]){_HALF}"
        ),
        re.compile(rf"\b(?P<half_past>half)(?: past)? {_HOUR}\b{_HALF}"),
        re.compile(rf"\b(?P<quarter_past>quarter) (?:past|after) {_HOUR}\b{_HALF}"),
        re.compile(rf"\b(?P<quarter_to>quarter) (?:to|of|before|till) (?:{_HOUR}\b{_HALF}|(?P<noon>noon))"),
        re.compile(rf"(?<![\d:.]){_HOUR} (?P<minute>[0-5]\d)\s?(?P<half>[ap])\s?\.?\s?m\b\.?"),
        re.compile(rf"(?<![\d:.]){_HOUR}\s?(?P<half>[ap])\s?\.?\s?m\b\.?"),
        re.compile(rf"(?<![\d:.]){_HOUR}\s?o\s?['\u2019]?\s?clock\b{_HALF}"),
        re.compile(r"\b(?P<noon>noon|midday|midnight)\b"),
        re.compile(
            rf"(?<![\d:.]){_HOUR}(?: (?P<minute>[0-5]\d))?(?= (?:in the (?:morning|afternoon|evening)|at night"
            rf"|tonight)\b)"
        ),
    )
    unsure = (  # these can be other numbers
        re.compile(
            rf"\b(?:at|by|around|about|from|until|till|after|before|between|to|and"
            rf"|or) {_HOUR} (?P<minute>[0-5]\d){_NOT_A_TIME}"
        ),
        re.compile(rf"\b(?:at|by|around|from|until|till|after|before|between|to|and) {_HOUR}{_NOT_A_TIME}"),
        re.compile(rf"(?<![\d:.$€£#-])(?<!\d ){_HOUR} (?P<minute>[0-5]\d)(?! \d){_NOT_A_TIME}"),
    )
    bare = (  # these are times only where the agent asked for one
        re.compile(r"(?<![\d:.$€£#-])(?P<hour>1\d|2[0-3]|0?\d)\.(?P<minute>[0-5]\d)(?![\d.%])"),
        re.compile(r"(?<![\d:.$€£#-])(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?![\d.%])"),
        re.compile(rf"(?<![\d:.$€£#-]){_HOUR}{_NOT_A_TIME}"),
    )
    half_of_day = re.compile(r"\b(?:(?P<a>morning)|(?P<p>afternoon|evening|at night|tonight|after lunch|after work))\b")

    CASES = (
        ("around quarter to eleven in the morning", "2pm", "10:45am"),
        ("half past three", "3:30 PM", "3:30 PM"),
        ("two thirty in the afternoon", "14:00", "14:30"),
        ("Tuesday at 9", "2:30 PM", "9:00 AM"),
        ("10:15 would be fine", "2pm", "10:15am"),
        ("noon", "14:00", "12:00"),
        ("at midnight", "14:00", "00:00"),
        ("ten to four", "2 PM", "3:50 PM"),
        ("20 past 8 in the evening", "14:00", "20:20"),
        ("quarter to noon", "14:00", "11:45"),
        ("3pm would be great", "2 PM", "3 PM"),
        ("could we do 4 o'clock?", "14:00", "16:00"),
        ("tonight, nine o'clock", "14:00", "21:00"),
        ("a table for dinner at eight", "14:00", "20:00"),
        ("seven, please", "2 PM", "7 AM"),
        ("nine forty five", "14:00:00", "09:45:00"),
        ("from nine to five", "2 PM", "5 PM"),
        ("15.30", "2 PM", "3:30 PM"),
        ("8:30 AM", "", "8:30 AM"),
        ("12/02", "14:00", None),
        ("there are 4 of us, and 3 kids", "14:00", None),
        ("it costs about 20 dollars", "14:00", None),
        ("any time is fine", "14:00", None),
        ("on the 9th", "14:00", None),
        ("my number is 303 555 0188", "14:00", None),
        ("K48210", "14:00", None),
        ("in the afternoon", "2pm", None),
        ("I waited for 2 hours", "2pm", None),
        ("25:70", "14:00", None),
    )

    _clock = re.compile(r"\d{1,2}(?::\d{2}){1,2}")
    _half_day = re.compile(r"\d{1,2}(?P<minute>:\d{2})?(?P<space>\s?)(?P<half>[ap]\.?m\.?)", re.IGNORECASE)

    def is_example(self, text: str) -> bool:
        is_on_clock = self._clock.fullmatch(text) is not None
        has_half_of_day = self._half_day.fullmatch(text) is not None
        return is_on_clock or has_half_of_day or text.lower() in ("noon", "midnight")

    def find(self, said: str, *, is_asked: bool = False) -> list[SpokenTime]:
        """Return the times of a text whose numbers are digits, in their order. Bare numbers count if it `is_asked`."""
        rest = said.lower()
        times: list[SpokenTime] = []
        for pattern in (*self.patterns, *self.unsure):
            spoken = [self._read(match, is_sure=pattern in self.patterns) for match in pattern.finditer(rest)]
            possible = [each for each in spoken if each is not None]
            times += possible
            rest = blanked(rest, [each.span for each in possible])
        if is_asked and not times:
            times = self._find_bare(rest)
        return sorted(times, key=lambda each: each.span)

    def _find_bare(self, text: str) -> list[SpokenTime]:
        """Return the time that the only bare number of a text is; none where there are several numbers."""
        for pattern in self.bare:
            spoken = [self._read(match, is_sure=False) for match in pattern.finditer(text)]
            if len(spoken) == 1 and spoken[0] is not None:
                return [spoken[0]]
        return []

    def read_all(self, said: str, context: Slot) -> list[str]:
        text = to_digits(said)
        times = self.find(blanked(text, other_numbers(text)), is_asked=context.is_asked)
        about = f"{context.question} {context.agent} {said}".lower()
        return [self.written(each, context.example_text, about) for each in times]

    def make(self, random: Random, context: Slot) -> str:
        """Return a time of usual business hours."""
        hour, minute = random.randint(9, 16), random.choice((0, 15, 30, 45))
        return self.written(_spoken(hour, minute), context.example_text, "")

    def say(self, value: str) -> str:
        """Return a time with its half of the day, and without minutes on the hour: "2 PM", "2:30 PM"."""
        if not self._clock.fullmatch(value):
            return re.sub(r":00(?= ?[AP]M)", "", value)
        hour, minute, *_ = map(int, value.split(":"))
        return self.written(_spoken(hour, minute), "2 PM", "")

    def written(self, spoken: SpokenTime, example: str, about: str) -> str:
        """Return a time in the format of an example."""
        hour, minute = spoken.on_clock(about)
        if self._clock.fullmatch(example):
            return f"{hour:02}:{minute:02}{':00' if example.count(':') == 2 else ''}"
        half_day = self._half_day.fullmatch(example)
        if half_day is None:
            return f"{hour % 12 or 12}:{minute:02} {'AM' if hour < 12 else 'PM'}"
        half = "p" if hour >= 12 else "a"
        half = re.sub("[ap]", half, half_day["half"].lower(), count=1)
        half = half.upper() if half_day["half"].isupper() else half
        minutes = f":{minute:02}" if half_day["minute"] or minute else ""
        return f"{hour % 12 or 12}{minutes}{half_day['space']}{half}"

    def _read(self, match: re.Match[str], *, is_sure: bool) -> SpokenTime | None:
        """Return the time of a match; None for what is no time, such as 25:70."""
        parts = {name: value for name, value in match.groupdict().items() if value}
        hour, minute, half = _clock_of(parts)
        if hour > 24 or minute > 59:
            return None
        if half is None and 1 <= hour <= 12:
            behind = self.half_of_day.search(match.string, match.start(), match.end() + 25)
            half = behind.lastgroup if behind else None
        return SpokenTime(Span(*match.span()), hour % 24, minute, half, is_sure)


def _clock_of(parts: dict[str, str]) -> tuple[int, int, str | None]:
    """Return the hour, the minute and the half of the day that the parts of a match say."""
    half = parts.get("half")
    if "hour" in parts:
        hour = int(parts["hour"])
    else:
        hour, half = (0, "a") if parts["noon"] == "midnight" else (12, "p")

    if "quarter_to" in parts or "before" in parts:
        minute = 60 - int(parts.get("before", 15))
        return hour - 1 or 12, minute, "a" if "noon" in parts else half
    if "half_past" in parts:
        return hour, 30, half
    if "quarter_past" in parts:
        return hour, 15, half
    return hour, int(parts.get("minute", 0)), half


def _spoken(hour: int, minute: int) -> SpokenTime:
    """Return a time on a clock of 24 hours as people say it, with its half of the day."""
    return SpokenTime(Span(0, 0), hour % 12 or 12, minute, "a" if hour < 12 else "p")


_OTHER_NUMBERS = re.compile(
    r"(?<![\d().+-])\+?\(?\d[\d().-]*(?: [\d().-]+){2,}|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{1,2}\.\d{1,2}\."
    r"|\b[a-z]{1,6}-?\d{3,}|\d{5,}",
    re.IGNORECASE,
)


def other_numbers(text: str) -> list[Span]:
    """Return where dates in digits, telephone numbers and codes stand, whose digits are no times."""
    return [Span(*match.span()) for match in _OTHER_NUMBERS.finditer(text)]
