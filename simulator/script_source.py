"""A script as the source of a conversation: a written dialogue, the fast way to thousands of calls.

It also stands in for a flow that cannot run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from dryline.flow.language.events import Event
from dryline.models.deployments import DeploymentProfile
from dryline.simulator import scripts
from dryline.simulator.facts import Facts, pick
from dryline.simulator.model_requests import ModelRequest
from dryline.simulator.scripts import Script, Step, load_script, wordings
from dryline.simulator.tables import table

if TYPE_CHECKING:
    from dryline.simulator.deployment_context import DeploymentContext

# The shares of those who leave in the middle.
HANG_UP, LEAVE = 0.07, 0.12
_END, _HUNG_UP, _TRANSFER = "end of the flow", "hung up", "transfer"  # the engine's words for how a run ended


@dataclass(eq=False, slots=True)
class ScriptEventSource:
    """A dialogue with the `steps` of a script, in the words of `facts`.

    `ended` is how it ends, in the words of the engine. `prompt` is that of a model that would have given the agent's
    answers, `number` that of a transfer, and `fault` the details of the error of a call that failed.
    """

    script: Script
    steps: Sequence[Step]
    facts: Facts
    prompt: str
    ended: str = _END
    number: str = ""
    fault: Mapping[str, Any] = field(default_factory=dict)

    @property
    def intent(self) -> str:
        """The name of what the other party wants."""
        return self.script.intent

    @property
    def state(self) -> None:
        """A script has no state: its session shows what was extracted."""
        return

    def events(self) -> Iterator[Event]:
        """Yield the events of the conversation.

        A script knows more of itself than a flow does: a turn has the `facts` that it mentions, and there are events
        for milestones (`reached`) and for the summary (`summary`).
        """
        yield Event("opened")
        messages, was_user = 0, False
        for who, text, slots in self.steps:
            words = text.format_map(self.facts) if slots and who != "=" else text
            if who == "=":
                yield Event("reached", None, {"milestones": slots})
            elif who == "S":
                yield Event("summary", None, {"text": words})
            elif who == "T":
                yield Event("called", None, {"function": words})
            elif who == "U":
                yield Event("heard", None, {"text": words, "facts": slots})
            else:
                if was_user:
                    yield Event("model", None, {"request": ModelRequest(self.prompt, messages, by="script")})
                yield Event("said", None, {"text": words, "by": "script", "facts": slots})
            messages += who in ("A", "U")
            was_user = who == "U" or (was_user and who != "A")
        yield from self._end()

    def _end(self) -> Iterator[Event]:
        if self.fault:
            yield Event("failed", self.fault["line"], dict(self.fault))
            return
        if self.ended != _HUNG_UP:
            yield Event("taken", None, {"condition": self.script.until})
        if self.ended == _TRANSFER:
            yield Event("transferred", None, {"number": self.number})
        yield Event("ended", None, {"why": self.ended})


def script_of_call(
    deployment: DeploymentContext, outcome: str, is_inbound: bool, facts: Facts, rng: Random
) -> ScriptEventSource:
    """Return the script of a call in which somebody, or a machine, answers."""
    industry = deployment.industry
    if outcome == "voicemail":
        script = load_script("message_left" if is_inbound else "voicemail")
    elif outcome == "transferred":
        script = industry.transfer
    else:
        script = pick(facts.random, industry.inbound if is_inbound else industry.outbound)
    lines: Sequence[Step] = _with_deployment_sentences(
        deployment.profile, script.lines(rng), outcome, is_inbound, facts
    )
    source = ScriptEventSource(script, lines, facts, _prompt_of(deployment))
    if outcome == "transferred":
        source.ended, source.number = _TRANSFER, deployment.desk_number
    elif outcome == "failed":
        source.fault, source.steps = _lost_model(deployment.code), scripts.broken_off(lines, "U", rng)
    elif outcome == "completed" and rng.random() < HANG_UP:
        source.ended, source.steps = _HUNG_UP, scripts.broken_off(lines, "A", rng)
    return source


def script_of_chat(deployment: DeploymentContext, facts: Facts, rng: Random) -> ScriptEventSource:
    """Return the script of a chat, which some users leave early."""
    script, profile = pick(facts.random, deployment.industry.inbound), deployment.profile
    welcome = _said(facts, "welcomes") if profile.opening is None else _deployment_turn(profile.opening)
    lines: Sequence[Step] = [welcome, *script.lines(rng)]
    source = ScriptEventSource(script, lines, facts, _prompt_of(deployment))
    if rng.random() < LEAVE:
        source.ended, source.steps = _HUNG_UP, scripts.broken_off(lines, "A", rng)
    return source


def _prompt_of(deployment: DeploymentContext) -> str:
    return f"You are {deployment.agent}, the voice agent of {deployment.business}."


def _with_deployment_sentences(
    profile: DeploymentProfile, lines: list[Step], outcome: str, is_inbound: bool, facts: Facts
) -> list[Step]:
    """Return the lines with the greeting and with the deployment's own sentences."""
    if outcome == "voicemail":
        if profile.voicemail is not None and not is_inbound:
            lines[-1] = _deployment_turn(profile.voicemail)
        return lines
    if is_inbound:
        lines.insert(0, _said(facts, "greetings") if profile.opening is None else _deployment_turn(profile.opening))
    elif outcome == "transferred":
        lines.insert(0, _said(facts, "introductions"))
    if not is_inbound and profile.opening is not None:
        index = next(index for index, step in enumerate(lines) if step[0] == "A")
        who, text, slots = lines[index]
        lines[index] = (who, f"{{opening}} {text}", slots)
    if profile.closing is not None and outcome == "completed":
        if lines[-1][0] == "A":
            lines.pop()
        lines.append(_deployment_turn(profile.closing))
    return lines


def _said(facts: Facts, name: str) -> Step:
    """Return a sentence of the agent in one of its wordings."""
    return pick(facts.random, wordings("A", table("agent says")[name]))


def _deployment_turn(sentence: str) -> Step:
    """Return a turn of the agent with a sentence of the deployment, whose braces are no slots."""
    return ("A", sentence, frozenset())


def _lost_model(code: str | None) -> dict[str, Any]:
    """Return the details of an error: the connection to the language model broke at the first talk."""
    exception, error = "LlmConnectionError", "Connection to the language model was closed before the first token"
    lines = (code or "").splitlines()
    line = next((number for number, text in enumerate(lines, 1) if "talk(" in text), None)
    frame = f'  File "main.based", line {line}, in <flow>\n    {lines[line - 1].strip()}\n' if line else ""
    traceback = f"Traceback (most recent call last):\n{frame}{exception}: {error}"
    return {"exception": exception, "error": error, "function": "talk", "line": line, "traceback": traceback}
