"""Plans of conversations: the other party, the outcome, and the words."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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
_NOTHING_SAID = TimedDialogue([], [], [], [], 0.0)


@dataclass(slots=True)
class ConversationPlan:
    """The plan of a conversation. One that follows the flow has a `timeline`; else `why` may say why it does not.

    `not_taken` says which branch or outcome was wanted, and which condition was taken instead, if the flow led there.
    """

    outcome: str
    direction: str
    facts: Slots
    dialogue: Dialogue
    talk: TimedDialogue
    timeline: Timeline | None = None
    why: str | None = None
    not_taken: dict[str, str | None] | None = None

    def ringing(self, rng: Random, answered_s: float) -> ConversationPlan:
        """Return the call with the seconds of ringing before it: `answered_s` where somebody answers."""
        seconds = answered_s
        if self.outcome in _RINGS_S and (not self.talk.messages or self.outcome == "voicemail"):
            least, more = _RINGS_S[self.outcome]
            seconds = round(least + more * rng.random(), 2)
        timeline = self.timeline.delayed(seconds) if self.timeline else None
        return replace(self, talk=timeline.talk if timeline else self.talk.delayed(seconds), timeline=timeline)

    @property
    def size(self) -> int:
        """About the memory that it takes, in bytes, if it follows a flow."""
        return self.timeline.size if self.timeline else 0

    def lean(self) -> ConversationPlan:
        """Drop what only LLM logs need, since thousands of plans may wait to be written, and return the plan."""
        if self.timeline is not None:
            self.timeline.sent = []
        return self


def plan_call(line: DeploymentContext, rng: Random, *, rings: bool = True, **options: Any) -> ConversationPlan:
    """Return the plan of a call, which `rings` first; a call lasts from its first ring. Raises Busy.

    `outcome`, `direction`, `customer_number` and `row` are those of `make_call`. With `following`, the flow is run
    once, as of `at`, outside of any transaction. `drawn` says that the outcome was drawn: the flow may have another.
    """
    if not rings:
        return _plan_talk(line, rng, **options)
    answered_s = round(_ANSWERED_S[0] + _ANSWERED_S[1] * rng.random(), 2)
    if line.longest_s is not None:
        line = replace(line, longest_s=max(0.0, line.longest_s - answered_s))
    return _plan_talk(line, rng, **options).ringing(rng, answered_s)


def _plan_talk(
    line: DeploymentContext,
    rng: Random,
    *,
    outcome: str | None = None,
    direction: str | None = None,
    customer_number: str | None = None,
    row: Mapping[str, Any] | None = None,
    following: FollowedFlow | None = None,
    at: datetime | None = None,
    drawn: bool = False,
) -> ConversationPlan:
    """Return the plan of what is said in a call, without the ringing. The arguments are those of `plan_call`."""
    outcome_is_fixed = outcome is not None and not drawn
    outcome = outcome or _outcome(direction, rng)
    follows_branch = following is not None and not following.why and bool(following.branch)
    if following is not None and follows_branch and not outcome_is_fixed:
        outcome = "voicemail" if following.meets_machine else "completed"
    direction = direction or _direction(line, outcome)
    facts = Slots(line, rng, facts_of_row(row, customer_number))
    if row is None and direction == "outbound" and line.code is not None:
        row = with_person(contact_row(line, rng, at or datetime.now(UTC)), facts)
        facts |= facts_of_row(row, customer_number)
    if following is None or following.why:
        plan = _scripted(line, outcome, direction, facts, rng, following.why if following else None)
        if following is not None and following.branch:  # the flow was given up in the middle of a request
            plan.not_taken = {"branch": following.branch[0], "outcome": None, "taken": None}
        return plan
    if outcome == "voicemail" and direction == "outbound" and line.voicemail is not None and not follows_branch:
        why = "The deployment has a message of its own for voicemails."
        return _scripted(line, outcome, direction, facts, rng, why)
    dials = direction == "outbound" and not following.fails
    if outcome in ("no-answer", "busy") or (outcome == "failed" and dials and rng.random() < 0.5):
        return _unanswered(outcome, direction, facts)
    assert at is not None
    state = state_of(facts["phone"], row)
    machine = load_script("voicemail").lines(rng)[0][1].format_map(facts) if outcome == "voicemail" else None
    manners: dict[str, Any] = {"machine_says": machine, "facts": _own_facts(facts), "longest_s": line.longest_s}
    try:
        run = following.converse(outcome, state, at, rng, outcome_is_fixed=outcome_is_fixed, **manners)
    except CannotFollow as fault:
        return _scripted(line, outcome, direction, facts, rng, str(fault))
    plan = _followed(line, run, direction, facts, rng)
    plan.not_taken = _not_taken(following, run, outcome if outcome_is_fixed else None)
    return plan


def _not_taken(following: FollowedFlow, run: FlowRun, outcome: str | None) -> dict[str, str | None] | None:
    """Return the branch and the outcome that were wanted if the flow led elsewhere, and where it led."""
    branch = following.not_taken(run.taken)
    missed = outcome if outcome != run.outcome else None
    if branch is None and missed is None:
        return None
    return {"branch": branch, "outcome": missed, "taken": run.taken[-1] if run.taken else None}


def _unanswered(outcome: str, direction: str, facts: Slots) -> ConversationPlan:
    """Return the plan of a call in which nobody said anything."""
    hung_up = outcome == "no-answer" and direction == "inbound"
    dialogue = Dialogue("", "", "user_hangup" if hung_up else UNREACHED[outcome])
    return ConversationPlan(outcome, direction, facts, dialogue, _NOTHING_SAID)


def plan_chat(
    line: DeploymentContext, rng: Random, *, following: FollowedFlow | None = None, at: datetime | None = None
) -> ConversationPlan:
    """Return the plan of a chat. `following` and `at` are those of `plan_call`. Raises Busy."""
    facts = Slots(line, rng, {})
    why = None
    try:
        if following is not None and at is not None:
            run = following.converse("completed", {}, at, rng, leaves=LEAVE, facts=_own_facts(facts))
            timeline = build_timeline(run, rng, opening=line.opening, typed=True)
            dialogue = dialogue_of(run, facts, left="user_left")
            plan = ConversationPlan(run.outcome, "", facts, dialogue, timeline.talk, timeline)
            plan.not_taken = _not_taken(following, run, None)
            return plan
    except CannotFollow as fault:
        why = str(fault)
    dialogue = chat_dialogue(line, facts, rng)
    return ConversationPlan("completed", "", facts, dialogue, timed(dialogue.steps, rng, is_typed=True), why=why)


def _own_facts(facts: Slots) -> dict[str, Any]:
    """Return the facts about the person; those of an appointment in a contact row may be what they want to change."""
    return {name: facts[name] for name in ("name", "first", "last", "phone", "email")}


def _scripted(
    line: DeploymentContext, outcome: str, direction: str, facts: Slots, rng: Random, why: str | None
) -> ConversationPlan:
    """Plan a scripted call, which is no longer than the line's longest call, unless a person takes over."""
    dialogue = call_dialogue(line, outcome, direction == "inbound", facts, rng)
    if not dialogue.steps:
        return ConversationPlan(outcome, direction, facts, dialogue, _NOTHING_SAID)
    talk = timed(dialogue.steps, rng)
    if line.longest_s is not None and talk.seconds > line.longest_s and outcome == "completed":
        turns = talk.turns_within(line.longest_s)
        dialogue, talk = dialogue.shortened(turns), talk.shortened(turns, line.longest_s)
    return ConversationPlan(outcome, direction, facts, dialogue, talk, why=why)


def _followed(line: DeploymentContext, run: FlowRun, direction: str, facts: Slots, rng: Random) -> ConversationPlan:
    """Plan a call by a run of the flow, cut at the line's longest call."""
    timeline = build_timeline(run, rng, opening=line.opening, closing=line.closing)
    late = run.outcome == "completed" and (
        run.is_late or timeline.talk.seconds > (line.longest_s or timeline.talk.seconds)
    )
    if late and line.longest_s is not None:
        timeline = timeline.ended_at(line.longest_s)
    dialogue = dialogue_of(run, facts, left="max_duration" if late else "user_hangup")
    return ConversationPlan(run.outcome, direction, facts, dialogue, timeline.talk, timeline)


def _outcome(direction: str | None, rng: Random) -> str:
    return OUTCOMES[bisect(_SHARES_INBOUND if direction == "inbound" else _SHARES, 100 * rng.random())]


def _direction(line: DeploymentContext, outcome: str) -> str:
    """Return the direction of a call: an answered one has that of the flow, and one that reached nobody went out."""
    return "outbound" if line.is_outbound or outcome in ("voicemail", "no-answer", "busy") else "inbound"
