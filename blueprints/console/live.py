"""Live: a card for each call in progress, and a place to make one."""

from __future__ import annotations

from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console import conversation
from dryline.blueprints.console.base import Pages, done, form, team
from dryline.blueprints.control import simulate as plane
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.deployments import Deployment
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES
from dryline.models.workers import Worker
from dryline.storage.current_world import current

blp = Pages("live", "Live", "l", path="/live")

SHOWN = 24


@blp.get("")
def show() -> Any:
    """The page. `deployment` in the address is the one that the form has chosen."""
    calls = CallInProgress.logs(g.team, SHOWN) if g.team else []
    deployments = list(VoiceDeployment.listing(g.team, status="ACTIVE")) if g.team else []
    chosen = next((one for one in deployments if one.id == request.args.get("deployment")), None)
    return render_template(
        "live.html",
        cards=[(call, conversation.turns(call)[-1:], conversation.elapsed_s(call)) for call in calls],
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
    asked = form(plane.SimulateCallsBody, workerId=deployment.worker_id, inProgress="true")
    plane.simulate_calls(asked, deployment.team_id)
    return done("The call has begun.", "live.show", deployment=deployment.id)
