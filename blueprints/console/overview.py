"""The overview: what goes on, and how the last day went, or the last week."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import g, render_template
from markupsafe import Markup

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import Pages
from dryline.blueprints.console.template_filters import day
from dryline.models import activity
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.world.clock import wire

blp = Pages("overview", "Overview", "o")

NEWEST = 12
HOURS, DAYS = 24, 7
# Calls of a day that are worth a chart by the hour.
ENOUGH = 10


@blp.get("")
def show() -> Any:
    """The page."""
    if g.team is None:
        return render_template(
            "overview.html", workers=[], calls=[], span="", chart="", errors=[], exports=[], campaigns=[]
        )
    span, chart = _calls(g.team)
    return render_template(
        "overview.html",
        workers=list(Worker.listing(g.team)),
        calls=activity.newest_logs(g.team, VoiceLog, NEWEST),
        span=span,
        chart=chart,
        errors=activity.newest_errors(g.team, 5),
        exports=activity.open_exports(g.team),
        campaigns=activity.active_campaigns(g.team),
    )


def _calls(team: Team) -> tuple[str, Markup]:
    """The calls of the last day by the hour, or, where these are few and the week has more, of the week by the day.

    And which of them it is.
    """
    now = current().clock.now()
    by_hour = activity.count_calls(team, [wire(now - timedelta(hours=ago))[:13] for ago in reversed(range(HOURS))])
    if _sum(by_hour) < ENOUGH:
        by_day = activity.count_calls(team, [wire(now - timedelta(days=ago))[:10] for ago in reversed(range(DAYS))])
        if _sum(by_day) > _sum(by_hour):
            span = f"{DAYS} days"
            return span, charts.stacked({day(time): counts for time, counts in by_day.items()}, 1, span)
    span = f"{HOURS} hours"
    return span, charts.stacked({f"{time[11:]}:00": counts for time, counts in by_hour.items()}, 4, span)


def _sum(found: dict[str, dict[str, int]]) -> int:
    return sum(sum(counts.values()) for counts in found.values())
