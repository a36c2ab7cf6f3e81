"""The overview: figures, recent calls, work that is under way, and the newest errors."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from flask import g, render_template, request

from dryline.blueprints.console import charts, figures
from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.template_filters import day, readable
from dryline.models import activity, call_figures
from dryline.models.call_figures import TwoWeeks
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.world.clock import wire

blp = PageBlueprint("overview", "Overview", "o")

MAX_CALLS, MAX_ERRORS = 12, 5


class Range(NamedTuple):
    """A time that the chart can span, in columns of one length."""

    title: str
    columns: int
    length: timedelta
    stamp_length: int  # of the part of a time that says which column it belongs to
    label_step: int


RANGES = {
    "24h": Range("24 hours", 24, timedelta(hours=1), 13, 4),
    "7d": Range("7 days", 7, timedelta(days=1), 10, 1),
    "5w": Range("5 weeks", 35, timedelta(days=1), 10, 7),
}


@blp.get("")
def show() -> Any:
    """Show the figures, the chart of `?range=`, and the newest calls and errors."""
    key = request.args.get("range", "7d")
    if key not in RANGES:
        raise NotFound(f"There is no range {key!r}.")
    counts = _counts(g.team, RANGES[key])
    weeks = call_figures.by_worker(g.team)
    workers = list(Worker.listing(g.team))
    return render_template(
        "overview.html",
        figures=figures.figures_of(weeks.values()),
        kinds=figures.KINDS,
        businesses=[(worker, figures.texts(weeks.get(worker.id, TwoWeeks()).week)) for worker in workers],
        names={worker.id: worker.name for worker in workers},
        calls=activity.newest_logs(g.team, VoiceLog, MAX_CALLS),
        ranges=RANGES,
        range=key,
        chart=charts.stacked_columns(counts, RANGES[key].label_step, RANGES[key].title),
        legend=_legend(counts.values()),
        errors=[(error, readable(error.error)) for error in activity.newest_errors(g.team, MAX_ERRORS)],
        exports=activity.open_exports(g.team),
        campaigns=activity.active_campaigns(g.team),
        running=CallInProgress.count(g.team),
    )


def _counts(team: Team, span: Range) -> dict[str, dict[str, int]]:
    """Return the numbers of calls by status for each column, by its label."""
    now = current().clock.now()
    moments = [now - ago * span.length for ago in reversed(range(span.columns))]
    counts = activity.count_calls(team, [wire(moment)[: span.stamp_length] for moment in moments])
    is_hours = span.length < timedelta(days=1)
    return {f"{stamp[11:]}:00" if is_hours else day(stamp): of_column for stamp, of_column in counts.items()}


def _legend(columns: Iterable[dict[str, int]]) -> list[tuple[str, str, int]]:
    """Return the class, the name and the number of calls of each outcome in the chart."""
    sums: Counter[str] = Counter()
    for counts in columns:
        sums.update(dict(charts.calls_by_colour(counts)))
    return [(colour, title, sums[colour]) for colour, title in charts.LEGEND.items()]
