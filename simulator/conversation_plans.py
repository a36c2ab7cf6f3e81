"""Plans of conversations: the other party, the outcome, and the words."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from random import Random
from typing import Any

from dryline.models.voice_logs import OUTCOMES
from dryline.simulator.contacts import contact_row, with_person
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_dialogues import dialogue_of
from dryline.simulator.flow_runner import FlowRun
from dryline.simulator.flow_timeline import Timeline, build_timeline
from dryline.simulator.followed import CannotFollow, FollowedFlow, state_of
from dryline.simulator.people import facts_of_row
from dryline.simulator.script_dialogues import LEAVE, UNREACHED, Dialogue, call_dialogue, chat_dialogue
from dryline.simulator.scripts import load_script
from dryline.simulator.slots import Slots
from dryline.simulator.timeline import TimedDialogue, timed

# Outcomes in percent: of any call, and of an inbound one, which reaches no voicemail.
_SHARES = tuple(accumulate((64, 14, 8, 7, 3, 4)))
_SHARES_INBOUND = tuple(accumulate((75, 16, 3, 2, 0, 4)))
# Seconds of ringing: the least, and how much more it can be. Assumed.
_RINGS_S = {"no-answer": (20, 10), "voicemail": (14, 8), "busy": (2, 1), "failed": (1, 2)}
_ANSWERED_S = (3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTerms:
    """The terms of a call before it is planned. None is left to chance.

    `customer_number` (E.164) and `row`, a campaign's contact row, describe the other party. `is_drawn` says that the
    outcome was drawn: the flow may have another. A call that `rings` lasts from its first ring.
    """

    outcome: str | None = None
    direction: str | None = None
    customer_number: str | None = None
    row: Mapping[str, Any] | None = None
    is_drawn: bool = False
    rings: bool = True


@dataclass(slots=True)
class ConversationPlan:
    """The plan of a conversation. One that follows the flow has a `timeline`; else `why` may say why it does not.

    `not_taken` says which branch or outcome was wanted, and which condition was taken instead, if the flow led there.
    """

    facts: Slots
    outcome: str = "completed"
    direction: str = ""  # of a call
    row: Mapping[str, Any] | None = None  # of the contact
    longest_s: float | None = None
    dialogue: Dialogue = field(default_factory=lambda: Dialogue("", "", ""))
    talk: TimedDialogue = field(default_factory=lambda: TimedDialogue([], [], [], [], 0.0))
    timeline: Timeline | None = None
    why: str | None = None
    not_taken: dict[str, str | None] | None = None

    def ring(self, rng: Random, answered_s: float) -> None:
        """Let the call ring first: for `answered_s` where somebody answers."""
        seconds = answered_s
        if self.outcome in _RINGS_S and (not self.talk.messages or self.outcome == "voicemail"):
            least, more = _RINGS_S[self.outcome]
            seconds = round(least + more * rng.random(), 2)
        self.timeline = self.timeline.delayed(seconds) if self.timeline else None
        self.talk = self.timeline.talk if self.timeline else self.talk.delayed(seconds)

    @property
    def size(self) -> int:
        """About the memory that it takes, in bytes, if it follows a flow."""
        return self.timeline.size if self.timeline else 0

    def lean(self) -> ConversationPlan:
        """Drop what only LLM logs need, since thousands of plans may wait to be written, and return the plan."""
        if self.timeline is not None:
            self.timeline.sent = []
        return self


class ScriptPlanner:
    """Plans conversations of a line by scripts."""

    def __init__(self, line: DeploymentContext, rng: Random) -> None:
        self.line = line
        self.rng = rng

    def plan_chat(self, at: datetime) -> ConversationPlan:
        """Return the plan of a chat as of a time. Raises Busy."""
        plan = ConversationPlan(Slots(self.line, self.rng, {}))
        self._follow_chat_script(plan)
        return plan

    def plan_call(self, terms: CallTerms, at: datetime) -> ConversationPlan:
        """Return the plan of a call as of a time. Raises Busy."""
        if not terms.rings:
            return self._plan_talk(terms, at, self.line.longest_s)
        answered_s = round(_ANSWERED_S[0] + _ANSWERED_S[1] * self.rng.random(), 2)
        longest_s = None if self.line.longest_s is None else max(0.0, self.line.longest_s - answered_s)
        plan = self._plan_talk(terms, at, longest_s)
        plan.ring(self.rng, answered_s)
        return plan

    def _plan_talk(self, terms: CallTerms, at: datetime, longest_s: float | None) -> ConversationPlan:
        """Return the plan of what is said in a call, in `longest_s` seconds at most."""
        plan = self._begin(terms, terms.outcome or _outcome(terms.direction, self.rng), at, longest_s)
        self._follow_call_script(plan)
        return plan

    def _begin(self, terms: CallTerms, outcome: str, at: datetime, longest_s: float | None) -> ConversationPlan:
        """Return a plan without words. A call of an outbound flow has a contact row."""
        direction, row = terms.direction or _direction(self.line, outcome), terms.row
        facts = Slots(self.line, self.rng, facts_of_row(row, terms.customer_number))
        if row is None and direction == "outbound" and self.line.code is not None:
            row = with_person(contact_row(self.line, self.rng, at), facts)
            facts |= facts_of_row(row, terms.customer_number)
        return ConversationPlan(facts, outcome, direction, row, longest_s)

    def _follow_chat_script(self, plan: ConversationPlan) -> None:
        plan.dialogue = chat_dialogue(self.line, plan.facts, self.rng)
        plan.talk = timed(plan.dialogue.steps, self.rng, is_typed=True)

    def _follow_call_script(self, plan: ConversationPlan) -> None:
        """Add the words of a call that is no longer than the longest one, unless a person takes over."""
        plan.dialogue = call_dialogue(self.line, plan.outcome, plan.direction == "inbound", plan.facts, self.rng)
        if not plan.dialogue.steps:
            return
        plan.talk = timed(plan.dialogue.steps, self.rng)
        if plan.longest_s is not None and plan.talk.seconds > plan.longest_s and plan.outcome == "completed":
            turns = plan.talk.turns_within(plan.longest_s)
            plan.dialogue, plan.talk = plan.dialogue.shortened(turns), plan.talk.shortened(turns, plan.longest_s)


class FlowPlanner(ScriptPlanner):
    """Plans conversations by runs of a flow, one for each, outside of any transaction; by scripts where it cannot."""

    def __init__(self, line: DeploymentContext, rng: Random, flow: FollowedFlow) -> None:
        super().__init__(line, rng)
        self.flow = flow

    def plan_chat(self, at: datetime) -> ConversationPlan:
        """Return the plan of a chat as of a time. Raises Busy."""
        plan = ConversationPlan(Slots(self.line, self.rng, {}))
        try:
            run = self.flow.converse("completed", {}, at, self.rng, leaves=LEAVE, facts=_own_facts(plan.facts))
        except CannotFollow as fault:
            plan.why = str(fault)
            self._follow_chat_script(plan)
            return plan
        timeline = build_timeline(run, self.rng, opening=self.line.opening, typed=True)
        self._add_run(plan, run, timeline, left="user_left")
        plan.not_taken = self._not_taken(run, None)
        return plan

    def _plan_talk(self, terms: CallTerms, at: datetime, longest_s: float | None) -> ConversationPlan:
        is_fixed = terms.outcome is not None and not terms.is_drawn
        outcome = terms.outcome or _outcome(terms.direction, self.rng)
        if self._follows_branch and not is_fixed:
            outcome = "voicemail" if self.flow.meets_machine else "completed"
        plan = self._begin(terms, outcome, at, longest_s)
        try:
            if run := self._run(plan, at, is_fixed=is_fixed):
                self._follow_run(plan, run)
                plan.not_taken = self._not_taken(run, outcome if is_fixed else None)
        except CannotFollow as fault:
            plan.why = str(fault)
            self._follow_call_script(plan)
            if self.flow.why and self.flow.branch:  # the flow was given up in the middle of a request
                plan.not_taken = {"branch": self.flow.branch[0], "outcome": None, "taken": None}
        return plan

    @property
    def _follows_branch(self) -> bool:
        return not self.flow.why and bool(self.flow.branch)

    def _run(self, plan: ConversationPlan, at: datetime, *, is_fixed: bool) -> FlowRun | None:
        """Run the flow for a call; None if nobody says anything. Raises CannotFollow."""
        if self.flow.why:
            raise CannotFollow(self.flow.why)
        outcome, is_outbound, machine = plan.outcome, plan.direction == "outbound", None
        if outcome == "voicemail" and is_outbound and self.line.voicemail is not None and not self._follows_branch:
            raise CannotFollow("The deployment has a message of its own for voicemails.")
        dials = is_outbound and not self.flow.fails
        if outcome in ("no-answer", "busy") or (outcome == "failed" and dials and self.rng.random() < 0.5):
            hung_up = outcome == "no-answer" and not is_outbound
            plan.dialogue = Dialogue("", "", "user_hangup" if hung_up else UNREACHED[outcome])
            return None
        if outcome == "voicemail":
            machine = load_script("voicemail").lines(self.rng)[0][1].format_map(plan.facts)
        state = state_of(plan.facts["phone"], plan.row)
        manners: dict[str, Any] = {
            "machine_says": machine,
            "facts": _own_facts(plan.facts),
            "longest_s": plan.longest_s,
        }
        return self.flow.converse(outcome, state, at, self.rng, outcome_is_fixed=is_fixed, **manners)

    def _follow_run(self, plan: ConversationPlan, run: FlowRun) -> None:
        """Add a run of the flow to a plan, cut at its longest time."""
        timeline = build_timeline(run, self.rng, opening=self.line.opening, closing=self.line.closing)
        is_long = timeline.talk.seconds > (plan.longest_s or timeline.talk.seconds)
        late = run.outcome == "completed" and (run.is_late or is_long)
        if late and plan.longest_s is not None:
            timeline = timeline.ended_at(plan.longest_s)
        self._add_run(plan, run, timeline, left="max_duration" if late else "user_hangup")

    def _add_run(self, plan: ConversationPlan, run: FlowRun, timeline: Timeline, *, left: str) -> None:
        plan.outcome, plan.timeline, plan.talk = run.outcome, timeline, timeline.talk
        plan.dialogue = dialogue_of(run, plan.facts, left=left)

    def _not_taken(self, run: FlowRun, outcome: str | None) -> dict[str, str | None] | None:
        """Return the branch and the outcome that were wanted if the flow led elsewhere, and where it led."""
        branch = self.flow.not_taken(run.taken)
        missed = outcome if outcome != run.outcome else None
        if branch is None and missed is None:
            return None
        return {"branch": branch, "outcome": missed, "taken": run.taken[-1] if run.taken else None}


def _own_facts(facts: Slots) -> dict[str, Any]:
    """Return the facts about the person; those of an appointment in a contact row may be what they want to change."""
    return {name: facts[name] for name in ("name", "first", "last", "phone", "email")}


def _outcome(direction: str | None, rng: Random) -> str:
    return OUTCOMES[bisect(_SHARES_INBOUND if direction == "inbound" else _SHARES, 100 * rng.random())]


def _direction(line: DeploymentContext, outcome: str) -> str:
    """Return the direction of a call: an answered one has that of the flow, and one that reached nobody went out."""
    return "outbound" if line.is_outbound or outcome in ("voicemail", "no-answer", "busy") else "inbound"
