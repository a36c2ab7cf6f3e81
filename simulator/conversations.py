"""Conversations: the other party and what shall happen, a source of events, and the record of them."""

from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from random import Random
from typing import Any, Protocol

from dryline.flow.language.events import Event
from dryline.models.voice_logs import OUTCOMES
from dryline.simulator.deployment_context import DeploymentContext, contact_row, with_person
from dryline.simulator.facts import Facts
from dryline.simulator.flow_source import FlowEventSource
from dryline.simulator.followed import CannotFollow, FollowedFlow, NotFollowed
from dryline.simulator.people import facts_of_row
from dryline.simulator.record import ConversationRecord
from dryline.simulator.request import SimulationRequest
from dryline.simulator.script_source import ScriptEventSource, script_of_call, script_of_chat
from dryline.simulator.scripts import load_script

# Outcomes in percent: of any call, and of an inbound one, which reaches no voicemail.
_SHARES = tuple(accumulate((64, 14, 8, 7, 3, 4)))
_SHARES_INBOUND = tuple(accumulate((75, 16, 3, 2, 0, 4)))
# Seconds of ringing: the least, and how much more it can be. Assumed.
_RINGS_S = {"no-answer": (20, 10), "voicemail": (14, 8), "busy": (2, 1), "failed": (1, 2)}
_ANSWERED_S = (3, 4)
_UNREACHED = {"no-answer": "dial_no_answer", "busy": "dial_busy", "failed": "dial_failed"}


class EventSource(Protocol):
    """A source of a conversation's events. `state` is that of a flow, after its events."""

    @property
    def state(self) -> dict[str, Any] | None: ...

    def events(self) -> Iterator[Event]: ...


@dataclass(slots=True)
class Conversation:
    """A conversation that has taken place, but is not stored yet. `row` is the contact's, `state` a flow's.

    A scripted one may have the reason `why` it does not follow the flow. `not_taken` says which branch or outcome was
    wanted, and which condition was taken instead, if the flow led there.
    """

    facts: Facts
    record: ConversationRecord
    outcome: str = "completed"
    direction: str = ""  # of a call
    row: Mapping[str, Any] | None = None
    state: dict[str, Any] | None = None
    why: str | None = None
    not_taken: dict[str, str | None] | None = None

    @property
    def follows_flow(self) -> bool:
        """Whether its events come from a flow."""
        return self.state is not None


class Simulator:
    """Makes the conversations of a deployment: by runs of its flow, one for each, or by scripts where it cannot.

    It works outside of any transaction, since a flow may wait for other servers.
    """

    def __init__(self, deployment: DeploymentContext, rng: Random, flow: FollowedFlow | NotFollowed) -> None:
        self.deployment, self.rng, self.flow = deployment, rng, flow

    def chat(self, moment: datetime) -> Conversation:
        """Return a chat as of a moment. Raises Busy."""
        facts = Facts(self.deployment, self.rng, {})
        source, why = self._source_of_chat(facts, moment)
        chat = Conversation(facts, ConversationRecord(facts, self.rng, typed=True), why=why)
        self._play(source, chat)
        self._note_what_was_missed(chat, None)
        return chat

    def call(self, request: SimulationRequest, moment: datetime) -> Conversation:
        """Return a call as of a moment. Raises Busy."""
        outcome = self._outcome(request)
        direction = request.direction or self._direction(outcome)
        facts, row = self._other_party(request, direction, moment)
        why_unreached = self._why_unreached(outcome, direction)
        is_machine = outcome == "voicemail"
        is_person = why_unreached is None and not is_machine
        answered_s = self._between(_ANSWERED_S if is_person else _RINGS_S[outcome])
        record = ConversationRecord(facts, self.rng, answered_s=answered_s, is_machine=is_machine)
        call = Conversation(facts, record, outcome, direction, row)
        if why_unreached is not None:
            record.add(Event("ended", None, {"why": why_unreached}))
            return call

        source, call.why = self._source_of_call(call, moment, is_fixed=request.is_fixed, answered_s=answered_s)
        self._play(source, call)
        call.outcome = record.outcome

        self._cut_off(call)
        self._note_what_was_missed(call, outcome if request.is_fixed else None)
        return call

    def _play(self, source: EventSource, conversation: Conversation) -> None:
        """Add the events of a source to the record of a conversation."""
        if isinstance(source, ScriptEventSource):
            conversation.record.intent = source.intent
        for event in source.events():
            conversation.record.add(event)
        conversation.state = source.state

    def _cut_off(self, call: Conversation) -> None:
        """End a call that is longer than the longest one, unless a person has taken over."""
        longest_s, record = self.deployment.profile.longest_s, call.record
        if longest_s is None or call.outcome != "completed":
            return
        if record.is_too_long or record.seconds > longest_s:
            record.cut_off(longest_s)

    def _note_what_was_missed(self, conversation: Conversation, outcome: str | None) -> None:
        if conversation.follows_flow and isinstance(self.flow, FollowedFlow):
            conversation.not_taken = self.flow.not_taken(conversation.record, outcome)

    def _flow_to_follow(self) -> FollowedFlow:
        if isinstance(self.flow, NotFollowed):
            raise CannotFollow(self.flow.why)
        return self.flow

    def _between(self, seconds: tuple[int, int]) -> float:
        least, more = seconds
        return round(least + more * self.rng.random(), 2)

    def _outcome(self, request: SimulationRequest) -> str:
        if isinstance(self.flow, FollowedFlow) and self.flow.branch and not request.is_fixed:
            return "voicemail" if self.flow.meets_machine else "completed"
        shares = _SHARES_INBOUND if request.direction == "inbound" else _SHARES
        return request.wanted_outcome or OUTCOMES[bisect(shares, 100 * self.rng.random())]

    def _direction(self, outcome: str) -> str:
        is_outbound = self.deployment.is_outbound or outcome in ("voicemail", "no-answer", "busy")
        return "outbound" if is_outbound else "inbound"

    def _other_party(
        self, request: SimulationRequest, direction: str, moment: datetime
    ) -> tuple[Facts, Mapping[str, Any] | None]:
        """Return the facts about the other party, and the contact row, which each call of an outbound flow has."""
        row = request.row
        facts = Facts(self.deployment, self.rng, facts_of_row(row, request.customer_number))
        if row is None and direction == "outbound" and self.deployment.code is not None:
            row = with_person(contact_row(self.deployment, self.rng, moment), facts)
            facts |= facts_of_row(row, request.customer_number)
        return facts, row

    def _why_unreached(self, outcome: str, direction: str) -> str | None:
        """Return the reason why nobody says anything in a call; None for a conversation."""
        is_outbound = direction == "outbound"
        is_unreached = outcome in ("no-answer", "busy")
        if outcome == "failed" and is_outbound:
            is_unreached = self.rng.random() < 0.5
        if not is_unreached:
            return None
        return "hung up" if outcome == "no-answer" and not is_outbound else _UNREACHED[outcome]

    def _source_of_chat(self, facts: Facts, moment: datetime) -> tuple[EventSource, str | None]:
        """Return the flow, or the script with the reason why, that gives the events of a chat."""
        person = _facts_about_person(facts)
        try:
            return self._flow_to_follow().source("completed", {}, moment, self.rng, facts=person), None
        except CannotFollow as fault:
            return script_of_chat(self.deployment, facts, self.rng), str(fault)

    def _source_of_call(
        self, call: Conversation, moment: datetime, *, is_fixed: bool, answered_s: float
    ) -> tuple[EventSource, str | None]:
        """Return the flow, or the script with the reason why, that gives the events of a call."""
        try:
            return self._flow_of_call(call, moment, is_fixed=is_fixed, answered_s=answered_s), None
        except CannotFollow as fault:
            is_inbound = call.direction == "inbound"
            return script_of_call(self.deployment, call.outcome, is_inbound, call.facts, self.rng), str(fault)

    def _flow_of_call(
        self, call: Conversation, moment: datetime, *, is_fixed: bool, answered_s: float
    ) -> FlowEventSource:
        """Return the run of the flow for a call. Raises CannotFollow."""
        flow, profile = self._flow_to_follow(), self.deployment.profile
        is_machine = call.outcome == "voicemail"
        if is_machine and call.direction == "outbound" and profile.voicemail is not None and not flow.branch:
            raise CannotFollow("The deployment has a message of its own for voicemails.")

        greeting = None
        if is_machine:
            _, first_line, _ = load_script("voicemail").lines(self.rng)[0]
            greeting = first_line.format_map(call.facts)
        caller: dict[str, Any] = {"first": greeting, "facts": _facts_about_person(call.facts)}
        if profile.longest_s is not None:
            caller["longest_s"] = max(0.0, profile.longest_s - answered_s)
        state = {"Caller": call.facts["phone"], **(call.row or {})}
        return flow.source(call.outcome, state, moment, self.rng, is_fixed=is_fixed, **caller)


def _facts_about_person(facts: Facts) -> dict[str, Any]:
    """Return the facts about the person; those of an appointment in a contact row may be what they want to change."""
    return {name: facts[name] for name in ("name", "first", "last", "phone", "email") if facts[name]}
