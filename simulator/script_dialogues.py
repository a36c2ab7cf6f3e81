"""Dialogues: the words of a conversation with its milestones, mentioned facts and summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from dryline.models.deployments import DeploymentProfile
from dryline.simulator import scripts
from dryline.simulator.facts import Facts, pick
from dryline.simulator.scripts import Script, Step, load_script, wordings
from dryline.simulator.tables import table

if TYPE_CHECKING:
    from dryline.simulator.deployment_context import DeploymentContext

DONE = "agent_hangup"
UNREACHED = {"no-answer": "dial_no_answer", "busy": "dial_busy", "failed": "dial_failed"}
# The shares of those who leave in the middle.
HANG_UP, LEAVE = 0.07, 0.12


@dataclass(slots=True)
class Dialogue:
    """The steps of one conversation in their final words. `ending` is the reason of its end.

    agent_hangup, user_hangup, user_left, error, call_transfer, voicemail_reached, max_duration, or dial_… where nobody
    was reached. `mentioned` are the facts that were said, `reached` the milestones (`booked`, `done`, …).
    """

    intent: str
    until: str  # the condition of the flow that would end it
    ending: str
    steps: Sequence[Step] = ()
    mentioned: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    summary: str = ""

    def __post_init__(self) -> None:
        """Collect facts, milestones and summary from the steps."""
        for who, text, slots in self.steps:
            if who == "=":
                self.reached |= slots
            elif who == "S":
                self.summary = text
            else:
                self.mentioned |= slots
        if not self.done:
            self.summary = f"{self.summary} {table('last words').get(self.ending, '')}".strip()

    @property
    def done(self) -> bool:
        """Whether the matter was settled."""
        return "done" in self.reached

    @property
    def ended_by(self) -> str | None:
        """The condition that the flow ended with, or None."""
        return None if self.reached.isdisjoint(("done", "missed", "transferred", "voicemail")) else self.until

    def shortened(self, turns: int) -> Dialogue:
        """Return the dialogue, ended after `turns` because the call had lasted too long."""
        spoken = [index for index, step in enumerate(self.steps) if step[0] in "AU"]
        steps = scripts.upto(self.steps, spoken[turns - 1]) if turns else ()
        return Dialogue(self.intent, self.until, "max_duration", steps)


def call_dialogue(deployment: DeploymentContext, outcome: str, inbound: bool, facts: Facts, rng: Random) -> Dialogue:
    """Return the dialogue of a scripted call."""
    industry = deployment.industry
    if outcome == "voicemail":
        script, ending = load_script("message_left" if inbound else "voicemail"), "voicemail_reached"
    elif outcome == "transferred":
        script, ending = industry.transfer, "call_transfer"
    else:
        script, ending = pick(facts.random, industry.inbound if inbound else industry.outbound), DONE
    if outcome in ("no-answer", "busy") or (outcome == "failed" and not inbound and rng.random() < 0.5):
        hung_up = inbound and outcome == "no-answer"
        return Dialogue(script.intent, script.until, "user_hangup" if hung_up else UNREACHED[outcome])
    lines: Sequence[Step] = _own_words(deployment.profile, script.lines(rng), outcome, inbound, facts)
    if outcome == "failed":
        ending, lines = "error", scripts.broken_off(lines, "U", rng)
    elif outcome == "completed" and rng.random() < HANG_UP:
        ending, lines = "user_hangup", scripts.broken_off(lines, "A", rng)
    return _dialogue(script, ending, lines, facts)


def chat_dialogue(deployment: DeploymentContext, facts: Facts, rng: Random) -> Dialogue:
    """Return the dialogue of a scripted chat, which some users leave early."""
    script, profile = pick(facts.random, deployment.industry.inbound), deployment.profile
    welcome = _said(facts, "welcomes") if profile.opening is None else _own(profile.opening)
    lines: Sequence[Step] = [welcome, *script.lines(rng)]
    ending = DONE
    if rng.random() < LEAVE:
        ending, lines = "user_left", scripts.broken_off(lines, "A", rng)
    return _dialogue(script, ending, lines, facts)


def _own_words(profile: DeploymentProfile, lines: list[Step], outcome: str, inbound: bool, facts: Facts) -> list[Step]:
    """Return the lines with the greeting and with the deployment's own sentences."""
    if outcome == "voicemail":
        if profile.voicemail is not None and not inbound:
            lines[-1] = _own(profile.voicemail)
        return lines
    if inbound:
        lines.insert(0, _said(facts, "greetings") if profile.opening is None else _own(profile.opening))
    elif outcome == "transferred":
        lines.insert(0, _said(facts, "introductions"))
    if not inbound and profile.opening is not None:
        index = next(index for index, step in enumerate(lines) if step[0] == "A")
        who, text, slots = lines[index]
        lines[index] = (who, f"{{opening}} {text}", slots)
    if profile.closing is not None and outcome == "completed":
        if lines[-1][0] == "A":
            lines.pop()
        lines.append(_own(profile.closing))
    return lines


def _said(facts: Facts, name: str) -> Step:
    """Return a sentence of the agent in one of its wordings."""
    return pick(facts.random, wordings("A", table("agent says")[name]))


def _own(sentence: str) -> Step:
    """Return a turn of the agent with a sentence of the deployment, whose braces are no slots."""
    return ("A", sentence, frozenset())


def _dialogue(script: Script, ending: str, lines: Sequence[Step], facts: Facts) -> Dialogue:
    steps = [
        (who, text.format_map(facts), slots) if slots and who != "=" else (who, text, slots)
        for who, text, slots in lines
    ]
    return Dialogue(script.intent, script.until, ending, steps)
