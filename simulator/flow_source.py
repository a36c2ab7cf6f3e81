"""A flow as the source of a conversation: it is run once, with a simulated caller."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap
from dryline.flow.language.events import Event
from dryline.flow.language.language_model import AgentUtterance, Answer, Decision, Question, Talk
from dryline.flow.language.program import Condition
from dryline.flow.language.session import FlowSession
from dryline.flow.model.caller_words import role_of
from dryline.flow.model.simulated_caller import Caller
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.model_requests import ModelRequest

TOO_LONG = "too long"  # how a conversation ended, beside the engine's own words for it
_CHARACTERS_A_SECOND, _PAUSE_S = 14, 1.7  # to estimate how long a call has lasted


@dataclass(eq=False)
class RecordedCaller(Caller):
    """A caller who logs the requests to a language model as events of the session.

    They hang up after `max_turns`, and when the call has lasted `longest_s`. `first` replaces their first words.
    """

    max_turns: int | None = None
    first: str | None = None
    longest_s: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.session: FlowSession  # before it runs
        self.is_late = False

    def __call__(self, session: FlowSession) -> str | None:
        spoken_s = sum(len(message.text) / _CHARACTERS_A_SECOND + _PAUSE_S for message in session.messages)
        self.is_late = self.longest_s is not None and spoken_s > self.longest_s
        if self.is_late or self.turns == self.max_turns:
            return None
        words = super().__call__(session)
        return self.first if words is not None and self.turns == 1 and self.first is not None else words

    def choose(self, talk: Talk, said: str) -> Decision:
        decision = super().choose(talk, said)
        if decision.index is not None:
            self._log(talk.prompt, len(talk.messages), tools=tuple(talk.conditions), by="caller")
        return decision

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        words = super().reply(talk, said)
        if words.text:
            self._log(talk.prompt, len(talk.messages), tools=tuple(talk.conditions))
        return words

    def ask(self, question: Question) -> Answer:
        self._log(question.question, about=question.about, by="caller")
        return super().ask(question)

    def summarize(self, question: Question) -> AgentUtterance:
        self._log(question.question or "Summarize.", about=question.about)
        return super().summarize(question)

    def _log(self, prompt: str, heard: int = 0, **members: Any) -> None:
        self.session.log_event("model", None, request=ModelRequest(prompt, heard, **members))


@dataclass(eq=False, slots=True, kw_only=True)
class FlowEventSource:
    """A run of the flow of a deployment, as of a moment, with a caller who takes a route and has these `options`.

    `state` is the flow's, first the initial one. `stopped` collects the errors of runs that exceeded a limit of the
    engine: a flow that `has_given_up` fails with the last of them, before anybody has said anything.
    """

    engine: Engine
    flow_map: FlowMap
    deployment: DeploymentContext
    route: list[Condition]
    state: dict[str, Any]
    moment: datetime
    random: Random
    stopped: list[Event]
    has_given_up: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def events(self) -> Iterator[Event]:
        """Run the flow, and yield the events of the conversation. Raises Busy.

        The first and the last sentence may be the channel's own. The last is said where the flow came to its end.
        """
        profile = self.deployment.profile
        if profile.opening:
            yield _said_by_channel(profile.opening)
        if self.has_given_up:
            yield self.stopped[-1]
            return
        for event in self._run():
            if event.type == "ended" and event["why"] in ("end of the flow", "end_call") and self._closing:
                yield _said_by_channel(self._closing)
            yield event

    @property
    def _closing(self) -> str | None:
        return None if self.deployment.is_chat else self.deployment.profile.closing

    def _run(self) -> Iterator[Event]:
        deployment, seed = self.deployment, self.random.getrandbits(32)
        caller = RecordedCaller(
            self.flow_map,
            self.route,
            Random(seed),
            answers=deployment.answers,
            typed=deployment.is_chat,
            **self.options,
        )
        session = self.engine.open(
            self.flow_map.program,
            model=caller,
            state=self.state,
            variables=dict(deployment.variables),
            channel="chat" if deployment.is_chat else "voice",
            seed=seed,
            now=lambda: self.moment,
            http=deployment.http,
        )
        caller.session = session
        events = session.play(caller)
        self.state = session.state
        return self._extended(events, caller)

    def _extended(self, events: list[Event], caller: RecordedCaller) -> Iterator[Event]:
        """Yield the events of a run, with what its session does not know of them."""
        messages = 0
        taken = iter(caller.taken)
        for event in events:
            if event.type == "taken":
                condition = next(taken, None)
                is_answer = condition is not None and role_of(condition.text) == "answer"
                event = Event("taken", event.line, {**event.details, "is_answer": is_answer})
            elif event.type == "ended" and caller.is_late:
                event = Event("ended", event.line, {"why": TOO_LONG})
            elif event.type == "said" and event.details.get("exact") is False:
                yield Event(
                    "model", None, {"request": ModelRequest(f"Say in your own words: {event['text']}", messages)}
                )
            elif event.type == "failed" and event["bound"]:
                self.stopped.append(event)
            messages += event.type in ("said", "heard")
            yield event


def _said_by_channel(text: str) -> Event:
    return Event("said", None, {"text": text, "by": "channel"})
