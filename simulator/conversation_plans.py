"""Plans of conversations: the other party, the outcome, and the words."""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from random import Random
from typing import Any

from dryline.models.voice_logs import OUTCOMES
from dryline.simulator.deployment_context import DeploymentContext, contact_row, with_person
from dryline.simulator.facts import Facts
from dryline.simulator.flow_runner import FlowRun
from dryline.simulator.followed import CannotFollow, FollowedFlow, NotFollowed, dialogue_of
from dryline.simulator.people import facts_of_row
from dryline.simulator.request import SimulationRequest
from dryline.simulator.script_dialogues import UNREACHED, Dialogue, call_dialogue, chat_dialogue
from dryline.simulator.scripts import load_script
from dryline.simulator.timeline import Timeline, flow_timeline, script_timeline

# Outcomes in percent: of any call, and of an inbound one, which reaches no voicemail.
_SHARES = tuple(accumulate((64, 14, 8, 7, 3, 4)))
_SHARES_INBOUND = tuple(accumulate((75, 16, 3, 2, 0, 4)))
# Seconds of ringing: the least, and how much more it can be. Assumed.
_RINGS_S = {"no-answer": (20, 10), "voicemail": (14, 8), "busy": (2, 1), "failed": (1, 2)}
_ANSWERED_S = (3, 4)


@dataclass(slots=True)
class ConversationPlan:
    """The plan of a conversation. One that follows the flow has its `run`; else `why` may say why it does not.

    `not_taken` says which branch or outcome was wanted, and which condition was taken instead, if the flow led there.
    """

    facts: Facts
    outcome: str = "completed"
    direction: str = ""  # of a call
    row: Mapping[str, Any] | None = None  # of the contact
    longest_s: float | None = None
    dialogue: Dialogue = field(default_factory=lambda: Dialogue("", "", ""))
    timeline: Timeline = field(default_factory=Timeline)
    run: FlowRun | None = None
    why: str | None = None
    not_taken: dict[str, str | None] | None = None

    def add_run(self, run: FlowRun, timeline: Timeline, *, left: str) -> None:
        """Add a run of the flow. `left` is its ending if the user, or the channel, broke it off."""
        self.outcome, self.run, self.timeline = run.outcome, run, timeline
        self.dialogue = dialogue_of(run, self.facts, left=left)


class FlowPlanner:
    """Plans conversations by runs of a flow, one for each, outside of any transaction; by scripts where it cannot."""

    def __init__(self, deployment: DeploymentContext, rng: Random, flow: FollowedFlow | NotFollowed) -> None:
        self.deployment, self.rng, self.flow = deployment, rng, flow
        self._prompt = f"You are {deployment.agent}, the voice agent of {deployment.business}."  # of scripts

    def plan_chat(self, at: datetime) -> ConversationPlan:
        """Return the plan of a chat as of a time. Raises Busy."""
        plan = ConversationPlan(Facts(self.deployment, self.rng, {}))
        person = _own_facts(plan.facts)
        try:
            flow = self._flow_to_follow()
            run = flow.converse("completed", {}, at, self.rng, facts=person)
        except CannotFollow as fault:
            plan.why = str(fault)
            plan.dialogue = chat_dialogue(self.deployment, plan.facts, self.rng)
            plan.timeline = script_timeline(plan.dialogue.steps, self.rng, self._prompt, typed=True)
            return plan
        timeline = flow_timeline(run, self.rng, opening=self.deployment.profile.opening, typed=True)
        plan.add_run(run, timeline, left="user_left")
        plan.not_taken = flow.not_taken(run, None)
        return plan

    def plan_call(self, request: SimulationRequest, at: datetime) -> ConversationPlan:
        """Return the plan of a call as of a time. Raises Busy."""
        answered_s = self._between(_ANSWERED_S)
        plan = self._begin(request, at)
        longest_s = self.deployment.profile.longest_s
        if longest_s is not None:
            plan.longest_s = max(0.0, longest_s - answered_s)
        self._add_words(plan, at, is_fixed=request.is_fixed)
        if plan.outcome in _RINGS_S and (not plan.timeline.messages or plan.outcome == "voicemail"):
            answered_s = self._between(_RINGS_S[plan.outcome])
        plan.timeline = plan.timeline.delayed(answered_s)
        return plan

    def _flow_to_follow(self) -> FollowedFlow:
        if isinstance(self.flow, NotFollowed):
            raise CannotFollow(self.flow.why)
        return self.flow

    def _between(self, seconds: tuple[int, int]) -> float:
        least, more = seconds
        return round(least + more * self.rng.random(), 2)

    def _begin(self, request: SimulationRequest, at: datetime) -> ConversationPlan:
        """Return a plan without words. A call of an outbound flow has a contact row."""
        outcome, row = self._outcome(request), request.row
        is_outbound = self.deployment.is_outbound or outcome in ("voicemail", "no-answer", "busy")
        direction = request.direction or ("outbound" if is_outbound else "inbound")
        facts = Facts(self.deployment, self.rng, facts_of_row(row, request.customer_number))
        if row is None and direction == "outbound" and self.deployment.code is not None:
            row = with_person(contact_row(self.deployment, self.rng, at), facts)
            facts |= facts_of_row(row, request.customer_number)
        return ConversationPlan(facts, outcome, direction, row)

    def _outcome(self, request: SimulationRequest) -> str:
        if isinstance(self.flow, FollowedFlow) and self.flow.branch and not request.is_fixed:
            return "voicemail" if self.flow.meets_machine else "completed"
        shares = _SHARES_INBOUND if request.direction == "inbound" else _SHARES
        return request.wanted_outcome or OUTCOMES[bisect(shares, 100 * self.rng.random())]

    def _add_words(self, plan: ConversationPlan, at: datetime, *, is_fixed: bool) -> None:
        """Add the words of a call that is no longer than the longest one, unless a person takes over."""
        outcome = plan.outcome
        try:
            flow = self._flow_to_follow()
            run = self._run(flow, plan, at, is_fixed=is_fixed)
        except CannotFollow as fault:
            plan.why = str(fault)
            self._add_script(plan)
            return
        if run is None:
            return
        profile = self.deployment.profile
        timeline = flow_timeline(run, self.rng, opening=profile.opening, closing=profile.closing)
        longest_s = timeline.seconds if plan.longest_s is None else plan.longest_s
        left = "user_hangup"
        if run.outcome == "completed" and (run.is_late or timeline.seconds > longest_s):
            timeline, left = timeline.ended_at(longest_s), "max_duration"
        plan.add_run(run, timeline, left=left)
        plan.not_taken = flow.not_taken(run, outcome if is_fixed else None)

    def _add_script(self, plan: ConversationPlan) -> None:
        plan.dialogue = call_dialogue(self.deployment, plan.outcome, plan.direction == "inbound", plan.facts, self.rng)
        if not plan.dialogue.steps:
            return
        plan.timeline = script_timeline(plan.dialogue.steps, self.rng, self._prompt)
        if plan.longest_s is not None and plan.timeline.seconds > plan.longest_s and plan.outcome == "completed":
            plan.dialogue = plan.dialogue.shortened(plan.timeline.turns_within(plan.longest_s))
            plan.timeline = plan.timeline.ended_at(plan.longest_s)

    def _run(self, flow: FollowedFlow, plan: ConversationPlan, at: datetime, *, is_fixed: bool) -> FlowRun | None:
        """Run the flow for a call; None if nobody says anything. Raises CannotFollow."""
        outcome, is_outbound, machine = plan.outcome, plan.direction == "outbound", None
        has_own_message = self.deployment.profile.voicemail is not None
        if outcome == "voicemail" and is_outbound and has_own_message and not flow.branch:
            raise CannotFollow("The deployment has a message of its own for voicemails.")
        if outcome in ("no-answer", "busy") or (outcome == "failed" and is_outbound and self.rng.random() < 0.5):
            hung_up = outcome == "no-answer" and not is_outbound
            plan.dialogue = Dialogue("", "", "user_hangup" if hung_up else UNREACHED[outcome])
            return None
        if outcome == "voicemail":
            machine = load_script("voicemail").lines(self.rng)[0][1].format_map(plan.facts)
        state = {"Caller": plan.facts["phone"], **(plan.row or {})}
        caller: dict[str, Any] = {"first": machine, "facts": _own_facts(plan.facts), "longest_s": plan.longest_s}
        return flow.converse(outcome, state, at, self.rng, is_fixed=is_fixed, **caller)


def _own_facts(facts: Facts) -> dict[str, Any]:
    """Return the facts about the person; those of an appointment in a contact row may be what they want to change."""
    return {name: facts[name] for name in ("name", "first", "last", "phone", "email") if facts[name]}
