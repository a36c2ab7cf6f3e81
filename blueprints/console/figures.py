"""Figures of calls as a person reads them: each with its value, its change in a week, and a line of seven days."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from markupsafe import Markup

from dryline.blueprints.console.charts import sparkline
from dryline.blueprints.console.template_filters import count, duration
from dryline.models.call_figures import DAYS, CallFigures, TwoWeeks


class Kind(NamedTuple):
    """A kind of figure: its title, what it is, the attribute that holds it, and how it is written."""

    title: str
    about: str
    attribute: str
    write: Callable[..., str]
    is_share: bool = False


class Figure(NamedTuple):
    """One figure in words, with its change since the week before, and its line."""

    title: str
    about: str
    text: str
    change: str
    line: Markup


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


KINDS = (
    Kind("Calls", "Calls of the last seven days that have ended", "calls", count),
    Kind("Answered", "Calls in which a person spoke with the agent", "answered_share", _percent, is_share=True),
    Kind("Transferred", "Answered calls that went on to a person", "transferred_share", _percent, is_share=True),
    Kind("Mean length", "Of the answered calls", "mean_length_s", duration),
    Kind("Latency", "p50 of the time that the agent takes to answer", "latency_ms", _seconds),
    Kind("Success", "Evaluated calls that were a success", "success_share", _percent, is_share=True),
)


def texts(calls: CallFigures) -> list[str]:
    """Return the figures in words, in the order of `KINDS`."""
    values = [getattr(calls, kind.attribute) for kind in KINDS]
    return [kind.write(value) if value is not None else "-" for kind, value in zip(KINDS, values, strict=True)]


def figures_of(parts: Iterable[TwoWeeks]) -> list[Figure]:
    """Return the figures of some workers together."""
    all_days = TwoWeeks.of_all(parts)
    week, before = all_days.week, all_days.before
    return [
        Figure(
            kind.title,
            kind.about,
            text,
            _change(getattr(week, kind.attribute), getattr(before, kind.attribute), kind.is_share),
            sparkline([getattr(day, kind.attribute) for day in all_days.days[DAYS:]]),
        )
        for kind, text in zip(KINDS, texts(week), strict=True)
    ]


def _change(value: float | None, before: float | None, is_share: bool) -> str:
    """Return the change since the week before: of a share in points, of another figure in percent."""
    if value is None or not before:
        return ""
    difference = round((value - before) * 100 if is_share else (value / before - 1) * 100)
    if difference == 0:
        return "unchanged"
    return f"{difference:+,} {'points' if is_share else '%'}"
