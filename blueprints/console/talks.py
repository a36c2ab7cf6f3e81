"""Talk to a flow: what it says, what it decides and why, turn by turn."""

from __future__ import annotations

from typing import Any

from flask import redirect, render_template, request, url_for

from dryline.blueprints.console.base import Pages, done, form, team
from dryline.flow_sessions import conversations
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.talk_sessions import TalkSession
from dryline.models.workers import Worker
from dryline.schemas.talk_sessions import TalkBody, TurnBody
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound

blp = Pages("talks", path="/workers/<worker_id>/talk", under="workers")

SHOWN = 20
# What a conversation is begun with; the address keeps it, so that it can be begun again.
_GIVEN = ("variables", "state", "channel", "seed", "say")


@blp.get("")
def show(worker_id: str) -> Any:
    """What to talk to, and the conversations so far."""
    worker = Worker.fetch(team(), worker_id)
    flows = list(Flow.listing(worker, worker_id=worker.id))
    deployments = [
        one for one in Deployment.listing(worker, worker_id=worker.id) if one.flow_id in {flow.id for flow in flows}
    ]
    args = request.args
    chosen = next(((name, args[name]) for name in ("flowId", "deploymentId") if args.get(name)), None)
    if chosen is None and flows:
        chosen = ("flowId", flows[0].id)
    source = conversations.source_of(worker.team_id, **_which(chosen)) if chosen else None
    return render_template(
        "talks.html",
        worker=worker,
        flows=flows,
        deployments=deployments,
        chosen=chosen,
        source=source,
        given=args,
        talks=list(TalkSession.listing(worker, worker_id=worker.id).slice(SHOWN)),
        names={one.id: one.name for one in (*flows, *deployments)},
    )


def _which(chosen: tuple[str, str]) -> dict[str, str]:
    return {"flow_id" if chosen[0] == "flowId" else "deployment_id": chosen[1]}


@blp.post("")
def begin(worker_id: str) -> Any:
    """Begin a conversation."""
    row = conversations.begin(current(), Worker.fetch(team(), worker_id).team_id, **form(TalkBody))
    given: dict[str, Any] = {name: value for name in _GIVEN if (value := request.form.get(name))}
    return redirect(url_for("talks.talk", worker_id=worker_id, talk_id=row.id, **given), 303)


@blp.get("/<talk_id>")
def talk(worker_id: str, talk_id: str) -> Any:
    """One conversation with all that happened in it."""
    found = _find(worker_id, talk_id).recall()
    which = ("deploymentId", found.deployment_id) if found.deployment_id else ("flowId", found.flow_id)
    return render_template(
        "talk.html",
        worker=Worker.fetch(team(), worker_id),
        talk=found,
        which=which,
        flow=Flow.find(id=found.flow_id, team_id=found.team_id) if found.flow_id else None,
        given={name: value for name in _GIVEN if (value := request.args.get(name))},
    )


def _find(worker_id: str, talk_id: str) -> TalkSession:
    found = conversations.find(talk_id, team().id)
    if found.worker_id != worker_id:
        raise NotFound(f"Worker {worker_id} has no conversation {talk_id}.")
    return found


@blp.post("/<talk_id>")
def turn(worker_id: str, talk_id: str) -> Any:
    """Say something, or take a condition whatever was said."""
    taken = form(TurnBody)
    row = _find(worker_id, talk_id)
    conversations.take_turn(
        current(),
        row.id,
        row.team_id,
        lambda session: session.say(taken["say"]) if "say" in taken else session.choose(taken["choose"]),
    )
    given: dict[str, Any] = {name: value for name in _GIVEN if (value := request.args.get(name))}
    return redirect(url_for("talks.talk", worker_id=worker_id, talk_id=talk_id, **given), 303)


@blp.post("/<talk_id>/forget")
def forget(worker_id: str, talk_id: str) -> Any:
    """Forget a conversation."""
    with current().transaction():
        _find(worker_id, talk_id).remove()
    return done("The conversation is forgotten.", "talks.show", worker_id=worker_id)
