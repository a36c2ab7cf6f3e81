"""Calls in progress, and a form that places one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console import conversation
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team
from dryline.blueprints.control.simulate import SimulateCallsBody, simulate
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

blp = PageBlueprint("live", "Live", "l", path="/live")

MAX_CALLS = 48


@blp.get("")
def show() -> Any:
    """Show a card for each call, and a line for each that a person took over.

    `deployment` in the address is the form's choice.
    """
    calls = CallInProgress.logs(g.team, MAX_CALLS)
    with_a_person = CallInProgress.ids_with_a_person(g.team)
    return render_template(
        "live.html",
        total=CallInProgress.count(g.team),
        cards=[
            (call, conversation.read_turns(call)[-1:], conversation.elapsed_s(call))
            for call in calls
            if call.id not in with_a_person
        ],
        transferred=[(call, conversation.elapsed_s(call)) for call in calls if call.id in with_a_person],
        worker_names={worker.id: worker.name for worker in Worker.listing(g.team)},
        deployment_names={one.id: one.name for one in Deployment.listing(g.team)},
        deployments=activity.usual_lines(g.team),
        chosen_id=request.args.get("deployment"),
        outcomes=OUTCOMES,
    )


@blp.get("/conditions")
def conditions() -> Any:
    """Return the conditions of a deployment's flow as the options of a list; none while the engine is busy."""
    deployment = VoiceDeployment.fetch(require_team(), request.args.get("deploymentId", ""))
    flow = Flow.find(id=deployment.flow_id, team_id=deployment.team_id)
    loops: Sequence[Mapping[str, Any]] = ()
    with suppress(DomainError):
        engine = engine_of(current())
        if flow and all(finding.severity != "error" for finding in engine.check(flow.code)):
            loops = engine.paths(flow.code)
    return render_template("conditions.html", conditions=dict.fromkeys(_conditions(loops)))


def _conditions(loops: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for loop in loops:
        for one in loop["conditions"]:
            yield one["condition"]
            yield from _conditions(one["loops"])
        yield from _conditions(loop["loops"])


@blp.post("")
def place() -> Any:
    """Place a call that begins now."""
    with current().reading():
        deployment = VoiceDeployment.fetch(require_team(), request.form.get("deploymentId", ""))
    body = load_form(SimulateCallsBody, workerId=deployment.worker_id, inProgress="true")
    from dryline.simulator.calls import prepare_calls  # imported late: a start does not need it

    simulate(prepare_calls, body, deployment.team_id, "Voice")
    return flash_and_redirect("The call has begun.", "live.show", deployment=deployment.id)
