"""The numbers and colours of drawings. The templates draw them as SVG."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

# The classes of outcomes in the style sheet, from the bottom of a column to its top, and their names in a legend.
LEGEND = {
    "completed": "completed",
    "transferred": "transferred",
    "failed": "failed",
    "voicemail": "voicemail",
    "missed": "no answer or busy",
    "running": "running",
}
OUTCOME_COLOURS = {
    **{outcome: outcome for outcome in ("completed", "transferred", "failed", "voicemail")},
    **dict.fromkeys(("no-answer", "busy"), "missed"),
    **dict.fromkeys(("ringing", "in-progress"), "running"),
}


class Column(NamedTuple):
    """A column of the chart: its label, the address of the list of its calls, and their number by colour."""

    label: str
    link: str
    calls: list[tuple[str, int]]

    @property
    def total(self) -> int:
        """The number of its calls."""
        return sum(number for _, number in self.calls)

    @property
    def words(self) -> str:
        """Its numbers in words."""
        return ", ".join(f"{number} {LEGEND[colour]}" for colour, number in self.calls) or "no calls"


def axis(highest: int) -> list[int]:
    """Return the numbers of the chart's horizontal lines, from zero: round ones, up to four above it."""
    sizes = (size * 10**digits for digits in range(18) for size in (1, 2, 5))
    step = next(size for size in sizes if size * 4 >= highest)
    return [step * number for number in range(max(-(-highest // step), 1) + 1)]


def sparkline(values: Sequence[float | None]) -> str:
    """Return the points of a line through the values of some days, in a drawing 100 wide and 24 high."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0), max(known, default=0)
    across, up = 100 / max(len(values) - 1, 1), 20 / ((high - low) or 1)
    points = [(index * across, 22 - (value - low) * up) for index, value in enumerate(values) if value is not None]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def calls_by_colour(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the number of calls of each colour in `LEGEND`, given the numbers by status. Zeros are left out."""
    sums = dict.fromkeys(LEGEND, 0)
    for status, number in counts.items():
        sums[OUTCOME_COLOURS.get(status, "missed")] += number
    return [(colour, number) for colour, number in sums.items() if number]
