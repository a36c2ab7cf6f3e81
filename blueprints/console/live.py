"""Calls in progress, and a form that places one."""

import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from flask import g, render_template, request, session, url_for
from markupsafe import Markup

from dryline.blueprints.console import conversation
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team
from dryline.blueprints.control.simulate import SimulateCallsBody, simulate
from dryline.flow.language.errors import CodeRefused
from dryline.flow.sessions.engines import engine_of
from dryline.models import activity
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import DomainError
from dryline.world.clock import wire

blp = PageBlueprint("live", "Live", "l", path="/live")

MAX_CALLS, MAX_ENDED = 48, 12
CHOICES = ("deploymentId", "outcome", "branch", "direction", "customerNumber")


@blp.get("")
def show() -> Any:
    """Show a card for each call and each that ended just now, and a line for each that a person took over.

    The address has the form's choices.
    """
    calls = CallInProgress.logs(g.team, MAX_CALLS)
    with_a_person = CallInProgress.ids_with_a_person(g.team)
    deployments = activity.usual_lines(g.team)
    ids = [one.id for one in deployments]
    chosen_id = request.args.get("deploymentId") or next(iter(ids), None)
    return render_template(
        "live.html",
        total=CallInProgress.count(g.team),
        cards=[
            (call, conversation.read_turns(call)[-2:], conversation.elapsed_s(call))
            for call in calls
            if call.id not in with_a_person
        ],
        transferred=[(call, conversation.elapsed_s(call)) for call in calls if call.id in with_a_person],
        ended=[
            (call, conversation.call_analysis(call).get("call_summary"))
            for call in activity.ended_calls(g.team, _ended_since(), MAX_ENDED)
        ],
        worker_names={worker.id: worker.name for worker in Worker.listing(g.team)},
        deployment_names={one.id: one.name for one in Deployment.listing(g.team)},
        deployments=deployments,
        conditions=_conditions_of(chosen_id) if chosen_id in ids else (),
        outcomes=OUTCOMES,
    )


def _ended_since() -> str:
    """Return the time a minute ago, or for a minute of real time the one from which this person moved the clock."""
    minute_ago = wire(current().now() - timedelta(minutes=1))
    move = session.get("clock_move", {})
    return min(minute_ago, move["since"]) if move.get("until", 0) > time.time() else minute_ago


@blp.get("/conditions")
def conditions() -> Any:
    """Return the conditions of a deployment's flow as the options of a list."""
    return render_template("conditions.html", conditions=_conditions_of(request.args.get("deploymentId", "")))


def _conditions_of(deployment_id: str) -> Iterable[str]:
    """Return the conditions of a deployment's flow; none of a flow that cannot run, or while the engine is busy."""
    deployment = VoiceDeployment.fetch(require_team(), deployment_id)
    flow = Flow.find(id=deployment.flow_id, team_id=deployment.team_id)
    if flow:
        with suppress(DomainError, CodeRefused):
            conditions = engine_of(current()).checked_program(flow.code).conditions
            return dict.fromkeys(one.text for one in conditions if one.fixed)
    return ()


@blp.post("")
def place() -> Any:
    """Place a call that begins now."""
    with current().reading():
        deployment = VoiceDeployment.fetch(require_team(), request.form.get("deploymentId", ""))
    body = load_form(SimulateCallsBody, workerId=deployment.worker_id, inProgress="true")
    from dryline.simulator.calls import prepare_calls  # noqa: PLC0415  # 62 ms

    (log_id,) = simulate(prepare_calls, body, deployment.team_id, "Voice")["ids"]
    choices = {name: request.form[name] for name in CHOICES if request.form.get(name)}
    link = Markup('The call has begun. <a href="{}">Open</a>').format(url_for("calls.call", log_id=log_id))
    return flash_and_redirect(link, "live.show", **choices)
