"""Runs a flow with a simulated caller."""

from dataclasses import dataclass, replace
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

HUNG_UP = "hung up"  # how a conversation ended, beside the engine's own words for it
_CHARACTERS_A_SECOND, _PAUSE_S = 14, 1.7  # to estimate how long a call has lasted


@dataclass(frozen=True, slots=True)
class FlowError:
    """An error that ended a call: `line` is that of the flow's code, None without code."""

    type: str
    message: str
    function: str
    line: int | None
    traceback: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a language model: a prompt with the messages so far, or a question `about` a text.

    `heard` counts the messages before it, `tools` are the conditions to choose from, `by` is what decided in the
    model's place.
    """

    prompt: str
    heard: int = 0
    about: str | None = None
    tools: tuple[str, ...] = ()
    by: str = "built-in"


@dataclass(slots=True)
class FlowRun:
    """The result of running a flow once. An event `model` is a request to a language model, where it happened.

    `ended` is FlowSession.ended. `taken` are the texts of the conditions that were met, `wishes` those of them that are
    no answers to the flow's questions. `stopped` says that the flow went past a limit, `machine` that it was a
    voicemail, `is_late` that the caller hung up because of the longest duration.
    """

    events: list[Event]
    extracted: dict[str, Any]
    state: dict[str, Any]
    ended: str
    taken: tuple[str, ...]
    wishes: tuple[str, ...]
    machine: bool
    is_late: bool
    fault: FlowError | None = None
    stopped: bool = False

    @property
    def outcome(self) -> str:
        """The status of the call."""
        if self.fault or self.machine:
            return "failed" if self.fault else "voicemail"
        return "transferred" if self.ended == "transfer" else "completed"

    @property
    def came_to_its_end(self) -> bool:
        """Whether the flow came to its end: no error, and nobody hung up."""
        return self.ended in ("end of the flow", "end_call") and not self.fault

    def failed_at_once(self, state: dict[str, Any]) -> "FlowRun":
        """Return the run of another call that fails with the same error, before anybody has said anything."""
        failed = [event for event in self.events if event.type == "failed"]
        nothing: dict[str, Any] = {"extracted": {}, "taken": (), "wishes": ()}
        return replace(self, events=failed, state=state, machine=False, is_late=False, **nothing)


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


def run_flow(
    engine: Engine,
    flow_map: FlowMap,
    deployment: DeploymentContext,
    route: list[Condition],
    state: dict[str, Any],
    at: datetime,
    rng: Random,
    *,
    is_machine: bool,
    **options: Any,
) -> FlowRun:
    """Run the flow of a deployment once, as of a time, with a caller who takes a route. Raises Busy.

    `options` are those of a RecordedCaller.
    """
    seed = rng.getrandbits(32)
    options |= {"answers": deployment.answers, "typed": deployment.is_chat}
    caller = RecordedCaller(flow_map, route, Random(seed), **options)
    session = engine.open(
        flow_map.program,
        model=caller,
        state=state,
        variables=dict(deployment.variables),
        channel="chat" if deployment.is_chat else "voice",
        seed=seed,
        now=lambda: at,
        http=deployment.http,
    )
    caller.session = session
    events = session.play(caller)
    taken = [event["condition"] for event in events if event.type == "taken"]
    run = FlowRun(
        events,
        session.extracted,
        session.state,
        session.ended or HUNG_UP,
        tuple(taken),
        tuple(
            text for text, condition in zip(taken, caller.taken, strict=False) if role_of(condition.text) != "answer"
        ),
        machine=is_machine,
        is_late=caller.is_late,
    )
    failure = session.failure
    if failure is not None:
        run.stopped = failure.bound
        error = failure.error or failure.exception
        run.fault = FlowError(failure.exception, error, failure.function or "talk", failure.line, failure.traceback)
    return run
