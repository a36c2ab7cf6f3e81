"""The opening hours of a business, as its calls use and say them."""

from collections.abc import Sequence
from dataclasses import dataclass

from dryline.models.business_hours import DAY, Opening, openings

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# The usual times of appointments, in minutes from midnight, where the hours allow it.
_STARTS = (510, 540, 585, 615, 660, 690, 810, 840, 885, 915, 960, 1005, 1050)
# For businesses without hours of their own. Assumed.
_USUAL = (
    ("09:00-17:00", "closed"),
    ("09:00-18:00", "10:00-14:00"),
    ("08:00-18:00", "closed"),
    ("08:00-17:00", "09:00-12:00"),
)


@dataclass(frozen=True, slots=True)
class Week:
    """A week's opening hours. `times` are those of appointments on each open day, `said` is the answer to a caller."""

    times: dict[str, tuple[str, ...]]
    said: dict[str, str]

    @property
    def days(self) -> tuple[str, ...]:
        """The open days."""
        return tuple(self.times)


def week_of(hours: Sequence[Sequence[Opening]]) -> Week:
    """Return the week with these openings, from Monday on; a usual week where there are none."""
    if not any(hours):
        return default_week(0)
    times = {day: _starts(ranges) for day, ranges in zip(DAYS, hours, strict=True) if ranges}
    back = {day: _next_open(index, hours) for index, day in enumerate(DAYS)}
    said = {day: _said(day, ranges, back[day]) for day, ranges in zip(DAYS, hours, strict=True)}
    return Week(times, said)


def default_week(variant: int) -> Week:
    """Return usual opening hours; `variant` chooses among a few."""
    workday, saturday = _USUAL[variant % len(_USUAL)]
    return week_of([*[openings(workday)] * 5, openings(saturday), []])


def clock_text(minute: int) -> str:
    """Return a minute of the day as in `10:15 AM`."""
    hour, rest = divmod(minute % DAY, 60)
    return f"{(hour - 1) % 12 + 1}:{rest:02} {'AM' if hour < 12 else 'PM'}"


def _starts(ranges: Sequence[Opening]) -> tuple[str, ...]:
    starts = [minute for minute in _STARTS if any(start <= minute <= end - 30 for start, end in ranges)]
    return tuple(clock_text(minute) for minute in starts or [ranges[0].start])


def _next_open(index: int, hours: Sequence[Sequence[Opening]]) -> str:
    """Return the next open day with its opening time."""
    day = next(day for day in range(index + 1, index + 8) if hours[day % 7])
    return f"{DAYS[day % 7]} at {clock_text(hours[day % 7][0].start)}"


def _said(day: str, ranges: Sequence[Opening], back: str) -> str:
    if not ranges:
        return f"I'm sorry, on {day} we are closed. We open again on {back}."
    if (0, DAY) in ranges:
        return f"On {day} we are open around the clock."
    hours = " and ".join(f"from {clock_text(start)} to {clock_text(end)}" for start, end in ranges)
    return f"On {day} we are open {hours}."
