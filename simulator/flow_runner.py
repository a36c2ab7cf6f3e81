"""Runs a flow with a simulated caller."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from dryline.engine.branches import Branch
from dryline.engine.engine import Engine
from dryline.engine.events import Event
from dryline.engine.language_model import AgentUtterance, Answer, Decision, Question, Talk
from dryline.engine.program import Program
from dryline.engine.session import FlowSession
from dryline.engine.simulated_caller import Caller
from dryline.simulator.run_sizes import bounded

HUNG_UP, LOST = "hung up", "lost"  # how a conversation ended, beside the engine's own words for it


@dataclass(frozen=True, slots=True)
class FlowError:
    """An error that ended a call: `line` is that of the flow's code, None without code."""

    type: str
    message: str
    function: str
    line: int | None
    traceback: str


def lost_model(code: str | None, line: int | None = None) -> FlowError:
    """Return the error of a connection to the language model that broke, at this line or else at the first talk."""
    type_name, message = "LlmConnectionError", "Connection to the language model was closed before the first token"
    lines = (code or "").splitlines()
    line = line or next((number for number, text in enumerate(lines, 1) if "talk(" in text), None)
    frame = f'  File "main.based", line {line}, in <flow>\n    {lines[line - 1].strip()}\n' if line else ""
    traceback = f"Traceback (most recent call last):\n{frame}{type_name}: {message}"
    return FlowError(type_name, message, "talk", line, traceback)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a language model that an event stands for: a prompt with the messages, or a question about a text.

    `heard` counts the messages before it, `tools` are the conditions to choose from.
    """

    prompt: str
    heard: int = 0
    about: str | None = None
    tools: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Its characters, without the messages before it."""
        return len(self.prompt) + len(self.about or "") + sum(map(len, self.tools))


@dataclass(slots=True)
class FlowRun:
    """The result of running a flow once. `requests` has one entry for each event that involves a language model.

    `again` holds the arguments of FlowRunner.play that give the same run again. `ended` is FlowSession.ended,
    or `lost` when the model broke off. `taken` are the lines of the conditions that were met. `stopped` says that
    the flow went past a limit, `machine` that it was a voicemail. `row_bytes` is about the size of its rows, without
    its LLM logs (run_sizes.py).
    """

    again: dict[str, Any]
    events: list[Event]
    requests: list[ModelRequest]
    extracted: dict[str, Any]
    state: dict[str, Any]
    ended: str
    turns: int
    taken: tuple[int, ...]
    fault: FlowError | None = None
    stopped: bool = False
    machine: bool = False
    row_bytes: int = 0

    @property
    def outcome(self) -> str:
        """The status of the call."""
        if self.fault or self.machine:
            return "failed" if self.fault else "voicemail"
        return "transferred" if self.ended == "transfer" else "completed"


class RecordedCaller(Caller):
    """A caller who records the requests to a language model.

    They hang up after `max_turns`; with `loses_model` they speak once more and the connection to the model breaks.
    `first` replaces their first words.
    """

    def __init__(
        self,
        program: Program,
        branch: Branch,
        random: Random,
        *,
        known: Mapping[str, Any] | None = None,
        shares: Mapping[str, float] | None = None,
        max_turns: int | None = None,
        loses_model: bool = False,
        first: str | None = None,
        answers: Mapping[str, Any] | None = None,
        typed: bool = False,
    ) -> None:
        super().__init__(program, branch, random, known, natural=True, typed=typed, shares=shares, answers=answers)
        self.requests: list[ModelRequest] = []
        self.turns = 0
        self.unanswered: tuple[str, int | None] | None = None  # the last words, and the line of their talk
        self._max_turns, self._loses_model, self._first = max_turns, loses_model, first

    def __call__(self, session: FlowSession) -> str | None:
        over = self.turns == self._max_turns
        if over and not self._loses_model:
            return None
        words = super().__call__(session)
        if words is None:
            return None
        if over:
            self.unanswered = words, session.conversation.talk().line or None
            return None
        self.turns += 1
        return self._first if self.turns == 1 and self._first is not None else words

    def choose(self, talk: Talk, said: str) -> Decision:
        decision = super().choose(talk, said)
        if decision.index is not None:
            self.requests.append(ModelRequest(talk.prompt, len(talk.messages), tools=tuple(talk.conditions)))
        return decision

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        words = super().reply(talk, said)
        if words.text:
            self.requests.append(ModelRequest(talk.prompt, len(talk.messages), tools=tuple(talk.conditions)))
        return words

    def ask(self, question: Question) -> Answer:
        self.requests.append(ModelRequest(question.question, about=question.about))
        return super().ask(question)

    def summarize(self, question: Question) -> AgentUtterance:
        self.requests.append(ModelRequest(question.question or "Summarize.", about=question.about))
        return super().summarize(question)


@dataclass(slots=True)
class FlowRunner:
    """Runs one program, each time with the same variables, channel and stubs (engine/stubs.py)."""

    engine: Engine
    program: Program
    variables: dict[str, Any]
    channel: str
    answers: dict[str, Any] | None = None
    http: list[dict[str, Any]] | None = None

    def play(
        self,
        branch: Branch,
        seed: int,
        state: dict[str, Any],
        now: Callable[[], datetime] | None = None,
        **manners: Any,
    ) -> FlowRun:
        """Run the flow with a caller who takes this branch; `manners` are a RecordedCaller's. Raises Busy."""
        person = RecordedCaller(
            self.program, branch, Random(seed), answers=self.answers, typed=self.channel != "voice", **manners
        )
        session = self.engine.open(
            self.program,
            model=person,
            state=state,
            variables=self.variables,
            channel=self.channel,
            seed=seed,
            now=now,
            answers=self.answers,
            http=self.http,
        )
        events = session.play(person)
        run = FlowRun(
            {"branch": branch, "seed": seed, "state": state, "now": now, **manners},
            events,
            _with_inexact(events, person.requests),
            session.extracted,
            session.state,
            session.ended or HUNG_UP,
            person.turns,
            tuple(condition.line for condition in person.taken),
        )
        failure = session.failure
        if failure is not None:
            run.stopped = failure.bound
            error = failure.error or failure.exception
            run.fault = FlowError(failure.exception, error, failure.function or "talk", failure.line, failure.traceback)
        elif person.unanswered is not None:
            self._break_off(run, *person.unanswered)
        return bounded(run)

    def _break_off(self, run: FlowRun, words: str, line: int | None) -> None:
        """Change a run to one that ended with the loss of the model, after these words of the caller."""
        fault = run.fault = lost_model(self.program.source, line)
        details = {"error": fault.message, "exception": fault.type, "function": fault.function}
        run.events[-1:] = [Event("heard", None, {"text": words}), Event("failed", line, details)]
        run.ended, run.turns = LOST, run.turns + 1


def is_request(event: Event) -> bool:
    """Return whether an event involves a language model. Contract: based.md, section 4, LLM logs."""
    if event.type == "said":
        return event["by"] == "talk" or not event.details.get("exact", True)
    return event.type in ("taken", "asked", "summarized")


def _with_inexact(events: list[Event], requests: list[ModelRequest]) -> list[ModelRequest]:
    """Return the requests with those for inexact `say` calls, which no language model is asked about."""
    if not any(event.type == "said" and event.details.get("exact") is False for event in events):
        return requests
    noted, all_of_them, heard = iter(requests), [], 0
    for event in events:
        if event.type == "said" and event.details.get("exact") is False:
            all_of_them.append(ModelRequest(f"Say in your own words: {event['text']}", heard))
        elif is_request(event):
            all_of_them.append(next(noted))
        heard += event.type in ("said", "heard")
    return all_of_them
