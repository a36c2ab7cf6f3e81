"""The opening hours of a business, as its calls use and say them."""

from collections.abc import Sequence
from dataclasses import dataclass

from dryline.models.business_hours import DAY, Opening, parse_openings
from dryline.simulator.tables import table

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
    usual = table("usual hours")
    workday, saturday = usual[variant % len(usual)]
    return week_of([*[parse_openings(workday)] * 5, parse_openings(saturday), []])


def clock_text(minute: int) -> str:
    """Return a minute of the day as in `10:15 AM`."""
    hour, rest = divmod(minute % DAY, 60)
    return f"{(hour - 1) % 12 + 1}:{rest:02} {'AM' if hour < 12 else 'PM'}"


def _starts(ranges: Sequence[Opening]) -> tuple[str, ...]:
    """Return usual times at which an appointment of half an hour fits into the hours, else the first of them."""
    starts = []
    for minute in table("usual times"):
        if any(start <= minute <= end - 30 for start, end in ranges):
            starts.append(minute)
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
