"""The overview: figures, recent calls, work that is under way, and the newest errors."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, NamedTuple

from flask import g, render_template, request, url_for

from dryline.blueprints.console import charts, figures
from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.figures import Figure
from dryline.blueprints.console.template_filters import day
from dryline.models import activity, call_figures
from dryline.models.call_figures import WEEK, Comparison, Period
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.exports import Export
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.storage.errors import NotFound
from dryline.world.clock import wire
from dryline.world.wording import count

blp = PageBlueprint("overview", "Overview", "o")

MAX_CALLS, MAX_ERRORS = 12, 5
MILLISECOND = timedelta(milliseconds=1)


class Range(NamedTuple):
    """A period of the page, in words and as the columns of its chart."""

    title: str
    period: Period
    label_step: int


RANGES = {
    "24h": Range("24 hours", Period(24, timedelta(hours=1)), 4),
    "7d": Range("7 days", WEEK, 1),
    "5w": Range("5 weeks", Period(35, timedelta(days=1)), 7),
}


@blp.get("")
def show() -> Any:
    """Show the figures and the chart of `?range=`, and the newest calls and errors."""
    key = request.args.get("range", "7d")
    if key not in RANGES:
        raise NotFound(f"There is no range {key!r}.")
    return render_template("overview.html", page=OverviewPage(g.team, key))


@dataclass
class OverviewPage:
    """The page: figures and a chart of a period, and the newest calls and errors."""

    team: Team
    range_key: str

    @property
    def ranges(self) -> Mapping[str, Range]:
        """The periods that a person may choose, by their keys in the address."""
        return RANGES

    @property
    def range(self) -> Range:
        """The period that is shown."""
        return RANGES[self.range_key]

    # Work that is under way.

    @cached_property
    def running(self) -> int:
        """The number of calls in progress."""
        return CallInProgress.count(self.team)

    @cached_property
    def exports(self) -> list[Export]:
        """The exports that are being made."""
        return activity.open_exports(self.team)

    @cached_property
    def campaigns(self) -> list[OutboundCampaign]:
        """The campaigns that call."""
        return activity.active_campaigns(self.team)

    @property
    def is_busy(self) -> bool:
        """Whether any work is under way."""
        return bool(self.running or self.exports or self.campaigns)

    # Figures.

    @cached_property
    def _comparisons(self) -> Mapping[str, Comparison]:
        return call_figures.figures_by_worker(self.team, self.range.period)

    @cached_property
    def figures(self) -> list[Figure]:
        """The figures of all workers together."""
        return figures.figures_of(self._comparisons.values())

    @property
    def is_compared(self) -> bool:
        """Whether any figure has a change against the time before."""
        return any(figure.change for figure in self.figures)

    @property
    def figure_titles(self) -> list[str]:
        """The titles of the figures."""
        return [kind.title for kind in figures.KINDS]

    @cached_property
    def businesses(self) -> list[tuple[Worker, list[str]]]:
        """Each worker with its figures."""
        none = Comparison([])
        totals = [self._comparisons.get(worker.id, none).total for worker in self._workers]
        return [(worker, figures.figure_texts(total)) for worker, total in zip(self._workers, totals, strict=True)]

    @cached_property
    def _workers(self) -> list[Worker]:
        return list(Worker.listing(self.team))

    @cached_property
    def worker_names(self) -> dict[str, str]:
        """The names of the workers by id."""
        return {worker.id: worker.name for worker in self._workers}

    # The chart.

    @cached_property
    def columns(self) -> list[charts.Column]:
        """The columns of the chart."""
        return _chart_columns(self.team, self.range.period)

    @property
    def _highest(self) -> int:
        return max(column.total for column in self.columns)

    @cached_property
    def axis(self) -> list[int]:
        """The numbers of the chart's horizontal lines, from zero."""
        return charts.axis(self._highest)

    @property
    def chart_words(self) -> str:
        """The chart in words."""
        total = sum(column.total for column in self.columns)
        return f"{count(total, 'call')} in {self.range.title}, at most {self._highest} in one"

    @property
    def legend(self) -> list[tuple[str, str, int]]:
        """The class, the name and the number of calls of each outcome in the chart."""
        return _legend(self.columns)

    # The newest calls and errors.

    @cached_property
    def calls(self) -> list[VoiceLog]:
        """The newest calls."""
        return activity.newest_logs(self.team, VoiceLog, MAX_CALLS)

    @cached_property
    def errors(self) -> list[RuntimeErrorRecord]:
        """The newest runtime errors."""
        return activity.newest_errors(self.team, MAX_ERRORS)


def _chart_columns(team: Team, period: Period) -> list[charts.Column]:
    """Return the chart's columns, each with a link to its calls."""
    counts = activity.count_calls(team, period.stamps())
    is_hours = period.part < timedelta(days=1)
    return [
        charts.Column(
            f"{stamp[11:]}:00" if is_hours else day(stamp),
            url_for("calls.show", startTimeAfter=wire(start), startTimeBefore=wire(start + period.part - MILLISECOND)),
            charts.calls_by_colour(of_column),
        )
        for start, (stamp, of_column) in zip(period.starts(), counts.items(), strict=True)
    ]


def _legend(columns: Iterable[charts.Column]) -> list[tuple[str, str, int]]:
    """Return the class, the name and the number of calls of each outcome in the chart."""
    sums: Counter[str] = Counter()
    for column in columns:
        sums.update(dict(column.calls))
    return [(colour, title, sums[colour]) for colour, title in charts.LEGEND.items()]
