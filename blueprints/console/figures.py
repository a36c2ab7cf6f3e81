"""Figures of calls as a person reads them: each with its value, its change, and a line of the period's parts."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from dryline.blueprints.console.charts import sparkline
from dryline.blueprints.console.template_filters import count, duration
from dryline.models.call_figures import CallFigures, Comparison

MAX_RISE = 10  # times as many calls as before: with less there is nothing to compare with


class Kind(NamedTuple):
    """A kind of figure: its title, what it is, the attribute that holds it, and how it is written.

    `good` says whether a rise is good (1), bad (-1) or neither.
    """

    title: str
    about: str
    attribute: str
    write: Callable[..., str]
    is_share: bool = False
    good: int = 0


class Figure(NamedTuple):
    """A figure in words, its change since the period before, whether it is `better` or `worse`, and a line's points."""

    title: str
    about: str
    text: str
    change: str
    trend: str
    line: str


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


KINDS = (
    Kind("Calls", "Calls that have ended", "calls", count, good=1),
    Kind("Answered", "Calls in which a person spoke with the agent", "answered_share", _percent, True, 1),
    Kind("Transferred", "Answered calls that went on to a person", "transferred_share", _percent, True),
    Kind("Mean length", "Of the answered calls", "mean_length_s", duration),
    Kind("Latency", "p50 of the time that the agent takes to answer", "latency_ms", _seconds, good=-1),
    Kind("Success", "Evaluated calls that were a success", "success_share", _percent, True, 1),
)


def figure_texts(calls: CallFigures) -> list[str]:
    """Return the figures in words, in the order of `KINDS`."""
    values = [getattr(calls, kind.attribute) for kind in KINDS]
    return [kind.write(value) if value is not None else "-" for kind, value in zip(KINDS, values, strict=True)]


def figures_of(comparisons: Iterable[Comparison]) -> list[Figure]:
    """Return the figures of some workers together."""
    together = Comparison.combined(comparisons)
    total, before = together.total, together.before
    is_comparable = total.calls <= MAX_RISE * before.calls
    whole_parts = together.parts[:-1]  # the last part has only begun
    figures = []
    for kind, text in zip(KINDS, figure_texts(total), strict=True):
        value = getattr(total, kind.attribute)
        value_before = getattr(before, kind.attribute) if is_comparable else None
        change, trend = _change_and_trend(kind, value, value_before)
        line = sparkline([getattr(part, kind.attribute) for part in whole_parts])
        figures.append(Figure(kind.title, kind.about, text, change, trend, line))
    return figures


def _change_and_trend(kind: Kind, value: float | None, before: float | None) -> tuple[str, str]:
    """Return the change in words, of a share in points and of another figure in percent, and its trend."""
    if value is None or not before:
        return "", ""
    rise = value - before if kind.is_share else value / before - 1
    difference = round(rise * 100)
    if difference == 0:
        return "unchanged", ""

    size = abs(difference)
    unit = "%"
    if kind.is_share:
        unit = "point" if size == 1 else "points"
    arrow, sign = ("↑", 1) if difference > 0 else ("↓", -1)
    trend = {1: "better", -1: "worse", 0: ""}[kind.good * sign]
    return f"{arrow} {size} {unit}", trend
