"""The overview: what goes on, and how the last day went."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import g, render_template

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import Pages
from dryline.models import activity
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.world.clock import wire
from dryline.world.world import current

blp = Pages("overview", "Overview", "o")

NEWEST = 12
HOURS = 24


@blp.get("")
def show() -> Any:
    """The page."""
    if g.team is None:
        return render_template(
            "overview.html", workers=[], calls=[], hours={}, chart="", errors=[], exports=[], campaigns=[]
        )
    since = current().clock.now() - timedelta(hours=HOURS - 1)
    hours = activity.calls_by_hour(g.team, wire(since)[:13])
    return render_template(
        "overview.html",
        workers=list(Worker.listing(g.team)),
        calls=activity.newest_logs(g.team, VoiceLog, NEWEST),
        hours=hours,
        chart=charts.stacked_hours(hours, since, HOURS),
        errors=activity.newest_errors(g.team, 5),
        exports=activity.exports_at_work(g.team),
        campaigns=activity.campaigns_at_work(g.team),
    )
