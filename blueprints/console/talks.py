"""Conversations of a person with a flow, turn by turn, with the flow's decisions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from flask import current_app, redirect, render_template, request, url_for

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team
from dryline.blueprints.console.template_filters import pretty
from dryline.flow.sessions import conversations
from dryline.flow.sessions.conversations import FlowSource
from dryline.flow.sessions.suggestions import OpenQuestion, suggest
from dryline.models import activity
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.talk_sessions import TalkSession
from dryline.models.voice_deployments import VoiceDeployment
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
    page = TalksPage(worker, request.args.get("flowId"), request.args.get("deploymentId"))
    return render_template("talks.html", worker=worker, page=page, model=remote_model())


@dataclass
class TalksPage:
    """The page of a worker's conversations, with a form that begins one.

    `asked_flow_id` and `deployment_id` are those of the address.
    """

    worker: Worker
    asked_flow_id: str | None
    deployment_id: str | None

    @cached_property
    def flows(self) -> list[Flow]:
        """The flows of the worker."""
        return list(Flow.listing(self.worker, worker_id=self.worker.id))

    @cached_property
    def deployments(self) -> list[Deployment]:
        """The deployments of these flows."""
        flow_ids = {flow.id for flow in self.flows}
        deployments = Deployment.listing(self.worker, worker_id=self.worker.id)
        return [one for one in deployments if one.flow_id in flow_ids]

    @property
    def names(self) -> dict[str, str]:
        """The names of flows and deployments by id."""
        return {one.id: one.name for one in self.flows} | {one.id: one.name for one in self.deployments}

    @property
    def talks(self) -> list[TalkSession]:
        """The newest conversations."""
        return list(TalkSession.listing(self.worker, worker_id=self.worker.id).slice(MAX_TALKS))

    # The flow or the deployment to talk to.

    @cached_property
    def _lines(self) -> list[VoiceDeployment]:
        return [line for line in activity.usual_lines(require_team()) if line.worker_id == self.worker.id]

    @cached_property
    def flow_id(self) -> str | None:
        """The flow of the address, or else the most used one, unless the address has a deployment."""
        if self.asked_flow_id or self.deployment_id:
            return self.asked_flow_id
        flow_ids = [flow.id for flow in self.flows]
        usual_ids = [line.flow_id for line in self._lines if line.flow_id in flow_ids]
        return next(iter(usual_ids + flow_ids), None)

    @property
    def target_name(self) -> str:
        """The name of the form's field with the id of the flow or of the deployment."""
        return "flowId" if self.flow_id else "deploymentId"

    @property
    def target_id(self) -> str | None:
        """The id of the flow or of the deployment; None for a worker without flows."""
        return self.flow_id or self.deployment_id

    @cached_property
    def source(self) -> FlowSource | None:
        """The code and the variables; None for a worker without flows."""
        if self.flow_id:
            return conversations.find_source(self.worker.team_id, flow_id=self.flow_id)
        if self.deployment_id:
            return conversations.find_source(self.worker.team_id, deployment_id=self.deployment_id)
        return None

    # The options.

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options of the address."""
        return _talk_options(request.args)

    @property
    def has_open_options(self) -> bool:
        """Whether an option is set that a person sees only among the options."""
        return not self.options.keys().isdisjoint(("variables", "state", "say", "channel"))

    @cached_property
    def _line(self) -> VoiceDeployment | None:
        lines = (line for line in self._lines if self.deployment_id == line.id or self.flow_id == line.flow_id)
        return next(lines, None)

    @cached_property
    def contact(self) -> dict[str, Any] | None:
        """A made-up contact for a flow that calls people, unless there are options."""
        return None if self._line is None or self.options else sample_contact(self._line)

    @property
    def contact_text(self) -> str:
        """The made-up contact in one line."""
        return ", ".join(map(str, (self.contact or {}).values()))

    @property
    def initial_state_text(self) -> str:
        """The state in which the conversation begins, as JSON."""
        if self.options:
            return self.options.get("state", "")
        if self.contact:
            return pretty(self.contact)
        if self._line is not None and self._line.type in conversations.VOICE:
            return pretty({"Caller": _CALLER})
        return ""


@blp.post("")
def begin(worker_id: str) -> Any:
    talk = conversations.begin(current(), Worker.fetch(require_team(), worker_id).team_id, **load_form(TalkBody))
    return _redirect_to_talk(worker_id, talk.id, request.form)


@blp.get("/<talk_id>")
def talk(worker_id: str, talk_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    page = TalkPage(_require_talk(worker_id, talk_id).recall())
    return render_template("talk.html", worker=worker, page=page, model=remote_model())


@dataclass
class TalkPage:
    """The page of a conversation."""

    talk: TalkSession

    @cached_property
    def flow(self) -> Flow | None:
        """Its flow; None for a draft, and for one that is deleted."""
        return Flow.find(id=self.talk.flow_id, team_id=self.talk.team_id) if self.talk.flow_id else None

    @property
    def title(self) -> str:
        """The name of the flow."""
        if self.flow is None:
            return "A deleted flow" if self.talk.flow_id else "A draft"
        return self.flow.name

    @cached_property
    def speaks_words(self) -> bool:
        """Whether the agent can be heard."""
        return recording_files.speaks_words(current())

    @property
    def language(self) -> str:
        """The language that a microphone hears."""
        return recordings.speakers_of(_find_deployment(self.talk), "", "")[0].language or "en-US"

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options of the address."""
        return _talk_options(request.args)

    @property
    def again(self) -> dict[str, Any]:
        """The flow or deployment, and the options, of a conversation like this one."""
        if self.talk.deployment_id:
            return {**self.options, "deploymentId": self.talk.deployment_id}
        return {**self.options, "flowId": self.talk.flow_id}

    @cached_property
    def suggestions(self) -> list[str]:
        """Sentences that answer the agent's last question."""
        return _suggest_answers(self.talk, self.flow)


def _suggest_answers(talk: TalkSession, flow: Flow | None) -> list[str]:
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
    talk = _require_talk(worker_id, talk_id).recall()
    events = talk.events[number : number + 1]
    if not events or events[0]["type"] != "said" or not recording_files.speaks_words(current()):
        raise NotFound(
            f"Event {number} of conversation {talk_id} is no spoken line, or the server has no speech program."
        )
    content = recording_files.spoken_line(current(), events[0]["text"], _find_deployment(talk))
    return current_app.response_class(content, mimetype="audio/wav")


@blp.post("/<talk_id>")
def turn(worker_id: str, talk_id: str) -> Any:
    """Say something, or choose a condition."""
    body = load_form(TurnBody)
    talk = _require_talk(worker_id, talk_id)
    conversations.take_turn(current(), talk.id, talk.team_id, **body)
    return _redirect_to_talk(worker_id, talk_id, request.args)


@blp.post("/<talk_id>/delete")
def delete(worker_id: str, talk_id: str) -> Any:
    with current().transaction():
        _require_talk(worker_id, talk_id).remove()
    return flash_and_redirect("The conversation is deleted.", "talks.show", worker_id=worker_id)


def _require_talk(worker_id: str, talk_id: str) -> TalkSession:
    talk = TalkSession.by_id(talk_id, require_team().id)
    if talk.worker_id != worker_id:
        raise NotFound(f"Worker {worker_id} has no conversation {talk_id}.")
    return talk


def _find_deployment(talk: TalkSession) -> Deployment | None:
    """Return the deployment of a conversation; that of a flow is its voice deployment, if it has one."""
    if talk.deployment_id:
        return Deployment.find(id=talk.deployment_id, team_id=talk.team_id)
    lines = Deployment.listing(talk, flow_id=talk.flow_id) if talk.flow_id else ()
    return next((one for one in lines if one.type in conversations.VOICE), None)


def remote_model() -> str | None:
    """Return the name of the language model that is configured, if one is."""
    settings = current().settings
    return settings.model if settings.model_url else None


def _talk_options(values: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[name] for name in _OPTIONS if values.get(name)}


def _redirect_to_talk(worker_id: str, talk_id: str, values: Mapping[str, str]) -> Any:
    return redirect(url_for("talks.talk", worker_id=worker_id, talk_id=talk_id, **_talk_options(values)), 303)
