"""Live: a card for each call whose time is now, and a place to make one."""

from __future__ import annotations

from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console import conversation
from dryline.blueprints.console.base import Pages, done, form, team
from dryline.blueprints.control import simulate as plane
from dryline.models import activity
from dryline.models.deployments import Deployment
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES, VoiceLog
from dryline.models.workers import Worker
from dryline.world.clock import parse
from dryline.world.world import current

blp = Pages("live", "Live", "l", path="/live")

SHOWN = 24


@blp.get("")
def show() -> Any:
    """The page. `deployment` in the address is the one that the form has chosen."""
    calls = activity.calls_in_progress(g.team, current().clock.stamp(), SHOWN) if g.team else []
    deployments = list(VoiceDeployment.listing(g.team, status="ACTIVE")) if g.team else []
    chosen = next((one for one in deployments if one.id == request.args.get("deployment")), None)
    return render_template(
        "live.html",
        cards=[(call, *_now(call)) for call in calls],
        names={worker.id: worker.name for worker in Worker.listing(g.team)} if g.team else {},
        lines={one.id: one.name for one in Deployment.listing(g.team)} if g.team else {},
        deployments=deployments,
        chosen=chosen,
        outcomes=OUTCOMES,
    )


@blp.post("")
def place() -> Any:
    """Make a call that begins now."""
    with current().reading():
        deployment = VoiceDeployment.fetch(team(), request.form.get("deploymentId", ""))
    asked = form(plane.SimulateCallsBody, workerId=deployment.worker_id, startTime=current().clock.stamp())
    plane.simulate_calls(asked, deployment.team_id)
    return done("The call has begun.", "live.show", deployment=deployment.id)


def _now(call: VoiceLog) -> tuple[float, conversation.Turn | None]:
    """How far a call is, from 0 to 1, and what is being said in it."""
    now, began, ends = current().clock.now(), parse(call.start_time or ""), parse(call.end_time or "")
    after_s = (now - began).total_seconds()
    said = [turn for turn in conversation.turns(call) if turn.start is not None and turn.start <= after_s]
    return after_s / max((ends - began).total_seconds(), 1), said[-1] if said else None
