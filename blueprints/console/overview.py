"""The overview: figures, recent calls, work that is under way, and the newest errors."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from flask import g, render_template, request, url_for

from dryline.blueprints.console import charts, figures
from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.template_filters import day
from dryline.models import activity, call_figures
from dryline.models.call_figures import WEEK, Comparison, Period
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.storage.errors import NotFound
from dryline.world.clock import wire

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
    shown = RANGES[key]
    columns = _columns(g.team, shown.period)
    comparisons = call_figures.by_worker(g.team, shown.period)
    workers = list(Worker.listing(g.team))
    none = Comparison([])
    return render_template(
        "overview.html",
        figures=figures.figures_of(comparisons.values()),
        kinds=figures.KINDS,
        businesses=[(worker, figures.texts(comparisons.get(worker.id, none).total)) for worker in workers],
        names={worker.id: worker.name for worker in workers},
        calls=activity.newest_logs(g.team, VoiceLog, MAX_CALLS),
        ranges=RANGES,
        range=key,
        columns=columns,
        axis=charts.axis(max(column.total for column in columns)),
        legend=_legend(columns),
        errors=activity.newest_errors(g.team, MAX_ERRORS),
        exports=activity.open_exports(g.team),
        campaigns=activity.active_campaigns(g.team),
        running=CallInProgress.count(g.team),
    )


def _columns(team: Team, period: Period) -> list[charts.Column]:
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
