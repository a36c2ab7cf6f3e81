"""Conversations of a person with a flow, turn by turn, with the flow's decisions."""

from collections.abc import Mapping
from random import Random
from typing import Any

from flask import current_app, redirect, render_template, request, url_for

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team
from dryline.flow.sessions import conversations
from dryline.flow.sessions.suggestions import OpenQuestion, suggest
from dryline.models import activity
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.talk_sessions import TalkSession
from dryline.models.workers import Worker
from dryline.schemas.talk_sessions import TalkBody, TurnBody
from dryline.simulator import recording_files, recordings
from dryline.simulator.deployment_context import sample_contact
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound

blp = PageBlueprint("talks", path="/workers/<worker_id>/talk", section="workers")

MAX_TALKS = 20
_CALLER = "+14155550123"  # in `state` of a talk with a line that is called; a flow may tell a call from a chat by it
# Parameters of a conversation. Its address has them, so that "Start again" can use them.
_OPTIONS = ("variables", "state", "channel", "seed", "unsaid", "say")


@blp.get("")
def show(worker_id: str) -> Any:
    """Show a form for a conversation with the flow or deployment in the address, and the conversations so far."""
    worker = Worker.fetch(require_team(), worker_id)
    flows = list(Flow.listing(worker, worker_id=worker.id))
    flow_ids = {flow.id for flow in flows}
    deployments = [one for one in Deployment.listing(worker, worker_id=worker.id) if one.flow_id in flow_ids]
    lines = [line for line in activity.usual_lines(require_team()) if line.worker_id == worker.id]
    deployment_id = request.args.get("deploymentId")
    usual_ids = [line.flow_id for line in lines if line.flow_id in flow_ids] + [flow.id for flow in flows]
    flow_id = request.args.get("flowId") or (usual_ids[0] if usual_ids and not deployment_id else None)
    target, source = None, None
    if flow_id:
        target, source = ("flowId", flow_id), conversations.source_of(worker.team_id, flow_id=flow_id)
    elif deployment_id:
        target = ("deploymentId", deployment_id)
        source = conversations.source_of(worker.team_id, deployment_id=deployment_id)
    line = next((line for line in lines if deployment_id == line.id or flow_id == line.flow_id), None)
    options = _options(request.args)
    contact = None if line is None or options else sample_contact(line)
    initial_state = contact
    if line is not None and line.type in conversations.VOICE and not contact and not options:
        initial_state = {"Caller": _CALLER}
    return render_template(
        "talks.html",
        contact=contact,
        initial_state=initial_state,
        worker=worker,
        flows=flows,
        deployments=deployments,
        target=target,
        source=source,
        model=remote_model(),
        options=options,
        talks=list(TalkSession.listing(worker, worker_id=worker.id).slice(MAX_TALKS)),
        names={one.id: one.name for one in (*flows, *deployments)},
    )


@blp.post("")
def begin(worker_id: str) -> Any:
    talk = conversations.begin(current(), Worker.fetch(require_team(), worker_id).team_id, **load_form(TalkBody))
    return _redirect_to_talk(worker_id, talk.id, request.form)


@blp.get("/<talk_id>")
def talk(worker_id: str, talk_id: str) -> Any:
    talk = _find(worker_id, talk_id).recall()
    flow = Flow.find(id=talk.flow_id, team_id=talk.team_id) if talk.flow_id else None
    return render_template(
        "talk.html",
        worker=Worker.fetch(require_team(), worker_id),
        talk=talk,
        model=remote_model(),
        speaks_words=recording_files.speaks_words(current()),
        language=recordings.speakers_of(_deployment(talk), "", "")[0].language,
        target=("deploymentId", talk.deployment_id) if talk.deployment_id else ("flowId", talk.flow_id),
        flow=flow,
        options=_options(request.args),
        suggestions=_suggestions(talk, flow),
    )


def _suggestions(talk: TalkSession, flow: Flow | None) -> list[str]:
    """Return sentences that answer the agent's last question, in words that fit the flow."""
    said = [event["text"] for event in talk.events if event["type"] == "said"]
    question = OpenQuestion(
        agent=said[-1] if said else "",
        conditions=tuple(talk.waiting),
        code=flow.code if flow else "",
        about=f"{flow.code} {flow.variables}" if flow else " ".join(said),
        is_opening=all(event["type"] != "heard" for event in talk.events),
    )
    return suggest(question, Random(f"{talk.id} {talk.turns}"), current().now())


@blp.get("/<talk_id>/lines/<int:number>.wav")
def line(worker_id: str, talk_id: str, number: int) -> Any:
    """Speak a line of the agent in the voice of its recordings. `number` counts the events from 0."""
    talk = _find(worker_id, talk_id).recall()
    events = talk.events[number : number + 1]
    if not events or events[0]["type"] != "said" or not recording_files.speaks_words(current()):
        raise NotFound(
            f"Event {number} of conversation {talk_id} is no spoken line, or the server has no speech program."
        )
    content = recording_files.spoken_line(current(), events[0]["text"], _deployment(talk))
    return current_app.response_class(content, mimetype="audio/wav")


@blp.post("/<talk_id>")
def turn(worker_id: str, talk_id: str) -> Any:
    """Say something, or choose a condition."""
    body = load_form(TurnBody)
    talk = _find(worker_id, talk_id)
    conversations.take_turn(current(), talk.id, talk.team_id, **body)
    return _redirect_to_talk(worker_id, talk_id, request.args)


@blp.post("/<talk_id>/delete")
def delete(worker_id: str, talk_id: str) -> Any:
    with current().transaction():
        _find(worker_id, talk_id).remove()
    return flash_and_redirect("The conversation is deleted.", "talks.show", worker_id=worker_id)


def _find(worker_id: str, talk_id: str) -> TalkSession:
    talk = TalkSession.by_id(talk_id, require_team().id)
    if talk.worker_id != worker_id:
        raise NotFound(f"Worker {worker_id} has no conversation {talk_id}.")
    return talk


def _deployment(talk: TalkSession) -> Deployment | None:
    """Return the deployment of a conversation; that of a flow is its voice deployment, if it has one."""
    if talk.deployment_id:
        return Deployment.find(id=talk.deployment_id, team_id=talk.team_id)
    lines = Deployment.listing(talk, flow_id=talk.flow_id) if talk.flow_id else ()
    return next((one for one in lines if one.type in conversations.VOICE), None)


def remote_model() -> str | None:
    """Return the name of the language model that is configured, if one is."""
    settings = current().settings
    return settings.model if settings.model_url else None


def _options(values: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[name] for name in _OPTIONS if values.get(name)}


def _redirect_to_talk(worker_id: str, talk_id: str, values: Mapping[str, str]) -> Any:
    return redirect(url_for("talks.talk", worker_id=worker_id, talk_id=talk_id, **_options(values)), 303)
