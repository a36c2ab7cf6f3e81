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
from dryline.simulator.branch_scheduler import FlowScheduler, state_of
from dryline.simulator.contacts import contact_row, with_person
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_results import dialogue_of
from dryline.simulator.flow_runner import FlowRun
from dryline.simulator.flow_timeline import Timeline, build_timeline
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
    """The plan of a conversation. One that follows the flow has a `timeline`; else `why` may say why it does not."""

    outcome: str
    direction: str
    facts: Slots
    dialogue: Dialogue
    talk: TimedDialogue
    timeline: Timeline | None = None
    why: str | None = None

    def ringing(self, rng: Random) -> ConversationPlan:
        """Return the call with the seconds of ringing before it."""
        unreached = not self.talk.messages or self.outcome == "voicemail"
        least, more = _RINGS_S.get(self.outcome, _ANSWERED_S) if unreached else _ANSWERED_S
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


def plan_call(
    line: DeploymentContext,
    rng: Random,
    *,
    outcome: str | None = None,
    direction: str | None = None,
    customer_number: str | None = None,
    row: Mapping[str, Any] | None = None,
    following: FlowScheduler | None = None,
    at: datetime | None = None,
    drawn: bool = False,
) -> ConversationPlan:
    """Return the plan of a call. The arguments are those of `make_call`.

    With `following`, the flow is run as of `at`, outside of any transaction. `drawn` says that the outcome was drawn,
    so the flow may have another one. Raises Busy.
    """
    outcome_is_fixed = outcome is not None and not drawn
    outcome = outcome or _outcome(direction, rng)
    follows_branch = following is not None and not following.why and following.named and not outcome_is_fixed
    if following is not None and follows_branch:
        outcome = "voicemail" if following.has_only_voicemail else "completed"
    direction = direction or _direction(line, outcome)
    facts = Slots(line, rng, facts_of_row(row, customer_number))
    if row is None and direction == "outbound" and line.code is not None:
        row = with_person(contact_row(line, rng, at or datetime.now(UTC)), facts)
        facts |= facts_of_row(row, customer_number)
    if following is None or following.why:
        return _scripted(line, outcome, direction, facts, rng, following.why if following else None)
    if outcome == "voicemail" and direction == "outbound" and line.voicemail is not None and not follows_branch:
        why = "The deployment has a message of its own for voicemails."
        return _scripted(line, outcome, direction, facts, rng, why)
    dials = direction == "outbound" and not following.fails
    if outcome in ("no-answer", "busy") or (outcome == "failed" and dials and rng.random() < 0.5):
        return _unanswered(outcome, direction, facts)
    assert at is not None
    state = state_of(facts["phone"], row)
    machine = load_script("voicemail").lines(rng)[0][1].format_map(facts) if outcome == "voicemail" else None
    run = following.converse(
        outcome, state, at, rng, outcome_is_fixed=outcome_is_fixed, machine_says=machine, known=_own_facts(facts)
    )
    if isinstance(run, str):
        return _scripted(line, outcome, direction, facts, rng, run)
    return _followed(line, run, direction, facts, rng, following)


def _unanswered(outcome: str, direction: str, facts: Slots) -> ConversationPlan:
    """Return the plan of a call in which nobody said anything."""
    hung_up = outcome == "no-answer" and direction == "inbound"
    dialogue = Dialogue("", "", "user_hangup" if hung_up else UNREACHED[outcome])
    return ConversationPlan(outcome, direction, facts, dialogue, _NOTHING_SAID)


def plan_chat(
    line: DeploymentContext, rng: Random, *, following: FlowScheduler | None = None, at: datetime | None = None
) -> ConversationPlan:
    """Return the plan of a chat. `following` and `at` are those of `plan_call`. Raises Busy."""
    facts = Slots(line, rng, {})
    run: FlowRun | str | None = None
    if following is not None and at is not None:
        run = following.converse("completed", {}, at, rng, leaves=LEAVE, known=_own_facts(facts))
    if isinstance(run, FlowRun):
        timeline = build_timeline(run, rng, opening=line.opening, typed=True)
        dialogue = dialogue_of(run, facts, left="user_left")
        return ConversationPlan(run.outcome, "", facts, dialogue, timeline.talk, timeline)
    dialogue = chat_dialogue(line, facts, rng)
    return ConversationPlan("completed", "", facts, dialogue, timed(dialogue.steps, rng, is_typed=True), why=run)


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


def _followed(
    line: DeploymentContext, run: FlowRun, direction: str, facts: Slots, rng: Random, following: FlowScheduler
) -> ConversationPlan:
    """Plan a call by a run of the flow, cut at the line's longest call."""
    seed = rng.getrandbits(32)
    timeline = build_timeline(run, Random(seed), opening=line.opening, closing=line.closing)
    late = line.longest_s is not None and timeline.talk.seconds > line.longest_s and run.outcome == "completed"
    if late:
        assert line.longest_s is not None
        run = following.cut(run, _turns_within(timeline.talk, line.longest_s))
        timeline = build_timeline(run, Random(seed), opening=line.opening, closing=line.closing)
        timeline.talk.seconds = line.longest_s
    dialogue = dialogue_of(run, facts, left="max_duration" if late else "user_hangup")
    return ConversationPlan(run.outcome, direction, facts, dialogue, timeline.talk, timeline)


def _turns_within(talk: TimedDialogue, seconds: float) -> int:
    """Count the turns of the user that were answered by then."""
    turns, answered = 0, 0
    for said, following in zip(talk.messages, talk.messages[1:], strict=False):
        turns += said["role"] == "user"
        if following["role"] == "user" and said["end"] <= seconds:
            answered = turns
    return answered


def _outcome(direction: str | None, rng: Random) -> str:
    return OUTCOMES[bisect(_SHARES_INBOUND if direction == "inbound" else _SHARES, 100 * rng.random())]


def _direction(line: DeploymentContext, outcome: str) -> str:
    """Return the direction of a call: an answered one has that of the flow, and one that reached nobody went out."""
    return "outbound" if line.is_outbound or outcome in ("voicemail", "no-answer", "busy") else "inbound"
