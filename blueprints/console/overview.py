"""The overview: recent calls, exports and campaigns that are under way, and the newest errors."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import g, render_template
from markupsafe import Markup

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.template_filters import day
from dryline.models import activity
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.world.clock import wire

blp = PageBlueprint("overview", "Overview", "o")

MAX_CALLS, MAX_ERRORS = 12, 5
HOURS, DAYS = 24, 7
# A day with fewer calls is not worth a chart of its own.
MIN_CALLS_OF_A_DAY = 10


@blp.get("")
def show() -> Any:
    if g.team is None:
        return render_template("overview.html", span="", chart="", legend={})
    span, chart = _calls_chart(g.team)
    return render_template(
        "overview.html",
        workers=list(Worker.listing(g.team)),
        calls=activity.newest_logs(g.team, VoiceLog, MAX_CALLS),
        span=span,
        chart=chart,
        legend=charts.LEGEND,
        errors=activity.newest_errors(g.team, MAX_ERRORS),
        exports=activity.open_exports(g.team),
        campaigns=activity.active_campaigns(g.team),
    )


def _calls_chart(team: Team) -> tuple[str, Markup]:
    """Return the time that the chart spans, and the chart.

    It has the last day by hour, or the last week by day if the day had few calls and the week had more.
    """
    now = current().clock.now()
    by_hour = activity.count_calls(team, [wire(now - timedelta(hours=ago))[:13] for ago in reversed(range(HOURS))])
    if _total(by_hour) < MIN_CALLS_OF_A_DAY:
        by_day = activity.count_calls(team, [wire(now - timedelta(days=ago))[:10] for ago in reversed(range(DAYS))])
        if _total(by_day) > _total(by_hour):
            span = f"{DAYS} days"
            columns = {day(stamp): counts for stamp, counts in by_day.items()}
            return span, charts.stacked_columns(columns, 1, span)
    span = f"{HOURS} hours"
    columns = {f"{stamp[11:]}:00": counts for stamp, counts in by_hour.items()}
    return span, charts.stacked_columns(columns, 4, span)


def _total(counts: dict[str, dict[str, int]]) -> int:
    return sum(sum(of_period.values()) for of_period in counts.values())
