"""Calls in progress, and a form that places one."""

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from flask import g, render_template, request, session, url_for
from markupsafe import Markup

from dryline.blueprints.console import conversation
from dryline.blueprints.console.base import (
    PageBlueprint,
    flash_and_redirect,
    form_texts,
    load_form,
    require_team,
    wire_values,
)
from dryline.blueprints.console.conversation import Turn
from dryline.blueprints.console.snippets import plane_curl
from dryline.blueprints.control.simulate import SimulateCallsBody, simulate
from dryline.flow.language.errors import CodeRefused
from dryline.flow.sessions.engines import engine_of
from dryline.models import activity
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES, VoiceLog
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
    return render_template("live.html", page=LivePage(g.team))


@dataclass
class LivePage:
    """The page: the form, and the calls in progress."""

    team: Team

    # The form.

    @cached_property
    def deployments(self) -> list[VoiceDeployment]:
        """The lines on which a call can be placed."""
        return activity.usual_lines(self.team)

    @property
    def conditions(self) -> Iterable[str]:
        """The conditions of the flow of the chosen deployment."""
        ids = [one.id for one in self.deployments]
        chosen_id = request.args.get("deploymentId") or next(iter(ids), None)
        return _fixed_conditions(chosen_id) if chosen_id in ids else ()

    @property
    def outcomes(self) -> Iterable[str]:
        """The outcomes that a call may have."""
        return OUTCOMES

    # The calls.

    @property
    def total(self) -> int:
        """The number of calls in progress, also of those that are not listed."""
        return CallInProgress.count(self.team)

    @cached_property
    def _calls(self) -> list[tuple[VoiceLog, float]]:
        """The calls in progress, each with the time since it began."""
        return [(call, conversation.elapsed_s(call)) for call in CallInProgress.logs(self.team, MAX_CALLS)]

    @cached_property
    def _with_a_person(self) -> set[str]:
        return CallInProgress.ids_with_a_person(self.team)

    @property
    def cards(self) -> list[tuple[VoiceLog, list[Turn], float]]:
        """The calls that an agent speaks in, each with its last two turns and the time since it began."""
        return [
            (call, conversation.read_turns(call)[-2:], elapsed_s)
            for call, elapsed_s in self._calls
            if call.id not in self._with_a_person
        ]

    @cached_property
    def transferred(self) -> list[tuple[VoiceLog, float]]:
        """The calls that a person took over, each with the time since it began."""
        return [(call, elapsed_s) for call, elapsed_s in self._calls if call.id in self._with_a_person]

    @cached_property
    def ended(self) -> list[tuple[VoiceLog, str | None]]:
        """The calls that ended just now, each with its summary."""
        calls = activity.ended_calls(self.team, _ended_since(), MAX_ENDED)
        return [(call, call.analysis.get("call_summary")) for call in calls]

    # Names.

    @cached_property
    def worker_names(self) -> dict[str, str]:
        """The names of the workers by id."""
        return {worker.id: worker.name for worker in Worker.listing(self.team)}

    @cached_property
    def _deployment_names(self) -> dict[str, str]:
        return {one.id: one.name for one in Deployment.listing(self.team)}

    def line_of(self, call: VoiceLog) -> str:
        """Return the names of the worker and of the deployment of a call."""
        names = (self.worker_names.get(call.worker_id, ""), self._deployment_names.get(call.deployment_id or "", ""))
        return ", ".join(names)


def _ended_since() -> str:
    """Return the time from which on calls that have ended are shown: a minute ago.

    Somebody who has moved the clock sees the calls that ended by it, too, for a minute of real time.
    """
    minute_ago = wire(current().now() - timedelta(minutes=1))
    last_move = session.get("clock_move")
    if last_move is None or time.time() >= last_move["until"]:
        return minute_ago
    return min(minute_ago, last_move["since"])


@blp.get("/conditions")
def conditions() -> Any:
    """Return the conditions of a deployment's flow as the options of a list."""
    return render_template("conditions.html", conditions=_fixed_conditions(request.args.get("deploymentId", "")))


def _fixed_conditions(deployment_id: str) -> Iterable[str]:
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
    more = {"workerId": deployment.worker_id, "inProgress": "true"}
    body = load_form(SimulateCallsBody, **more)
    curl = plane_curl("POST", "/simulate/calls", wire_values(SimulateCallsBody, form_texts() | more))
    from dryline.simulator.calls import prepare_calls  # noqa: PLC0415  # 62 ms

    (log_id,) = simulate(prepare_calls, body, deployment.team_id, "Voice")["ids"]
    choices = {name: request.form[name] for name in CHOICES if request.form.get(name)}
    link = Markup('The call has begun. <a href="{}">Open</a>').format(url_for("calls.call", log_id=log_id))
    return flash_and_redirect(link, "live.show", curl=curl, **choices)
