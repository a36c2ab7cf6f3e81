"""Runs a flow with a simulated caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

import orjson

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap
from dryline.flow.language.events import Event
from dryline.flow.language.language_model import AgentUtterance, Answer, Decision, Question, Talk
from dryline.flow.language.program import Condition
from dryline.flow.language.session import FlowSession
from dryline.flow.model.simulated_caller import Caller, is_answer

HUNG_UP, LOST = "hung up", "lost"  # how a conversation ended, beside the engine's own words for it


_CHARACTERS_A_SECOND, _PAUSE_S = 14, 1.7  # to estimate how long a call has lasted
# The rows of one conversation, beside the code of its flow and its contact's row.
MAX_BYTES = 1_000_000
_PART_BYTES = 80_000  # of what each party says, of the other events, of the extracted values, of the state
_VALUE_BYTES = 4_000  # of one event in the trace
_EVENT_BYTES = 150  # of an event beside its values
_LEFT_OUT = ("printed", "extracted", "sms", "integrated", "digits", "image")  # events, where they are too many
_COPIES = 3  # of texts, in the columns of a log
_PROMPT_CHARACTERS, _MOST_TOOLS = 50_000, 100  # of one request to a model


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

    def shortened(self) -> ModelRequest:
        """Return the request without what an LLM log does not hold."""
        about = self.about and self.about[:_PROMPT_CHARACTERS]
        return ModelRequest(self.prompt[:_PROMPT_CHARACTERS], self.heard, about, self.tools[:_MOST_TOOLS])

    @property
    def size(self) -> int:
        """Its characters, without the messages before it."""
        return len(self.prompt) + len(self.about or "") + sum(map(len, self.tools))


@dataclass(slots=True)
class FlowRun:
    """The result of running a flow once. `requests` has one entry for each event that involves a language model.

    `ended` is FlowSession.ended, or `lost` when the model broke off. `taken` are the texts of the conditions that were
    met, `wishes` those of them that are no answers to the flow's questions. `stopped` says that the flow went past a
    limit, `machine` that it was a voicemail, `is_late` that the caller hung up because of the longest duration.
    `row_bytes` is about the size of its rows, without its LLM logs.
    """

    events: list[Event]
    requests: list[ModelRequest]
    extracted: dict[str, Any]
    state: dict[str, Any]
    ended: str
    taken: tuple[str, ...]
    wishes: tuple[str, ...] = ()
    fault: FlowError | None = None
    stopped: bool = False
    machine: bool = False
    is_late: bool = False
    row_bytes: int = 0

    def shorten(self) -> None:
        """Shorten what its rows would not hold: long values, and all values beyond a part of MAX_BYTES."""
        left = {"said": _PART_BYTES, "heard": _PART_BYTES, "": _PART_BYTES}
        events = []
        for event in self.events:
            kind = event.type if event.type in left else ""
            most = max(0, min(left[kind], _PART_BYTES if kind else _VALUE_BYTES))
            if not most and event.type in _LEFT_OUT:
                continue
            if _size(event.details) > most:
                details = {name: _shortened(value, most // 2) for name, value in event.details.items()}
                event = replace(event, details=details)
            left[kind] -= _size(event.details) + _EVENT_BYTES
            events.append(event)
        self.events = events
        self.extracted, self.state = _fitting(self.extracted), _fitting(self.state)
        self.requests = [each.shortened() for each in self.requests]
        self.row_bytes = _COPIES * (_PART_BYTES * len(left) - sum(left.values()))
        self.row_bytes += _size(self.extracted) + _size(self.state)

    @property
    def outcome(self) -> str:
        """The status of the call."""
        if self.fault or self.machine:
            return "failed" if self.fault else "voicemail"
        return "transferred" if self.ended == "transfer" else "completed"


class RecordedCaller(Caller):
    """A caller who records the requests to a language model.

    They hang up after `max_turns`, and when the call has lasted `longest_s`; with `loses_model` they speak once more
    after `max_turns` and the connection to the model breaks. `first` replaces their first words.
    """

    def __init__(
        self,
        flow_map: FlowMap,
        route: Sequence[Condition],
        random: Random,
        *,
        max_turns: int | None = None,
        loses_model: bool = False,
        first: str | None = None,
        longest_s: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(flow_map, route, random, **options)
        self.requests: list[ModelRequest] = []
        self.unanswered: tuple[str, int | None] | None = None  # the last words, and the line of their talk
        self.is_late = False
        self._max_turns, self._loses_model, self._first, self._longest_s = max_turns, loses_model, first, longest_s

    def __call__(self, session: FlowSession) -> str | None:
        self.is_late = self._longest_s is not None and _spoken_s(session) > self._longest_s
        over = self.turns == self._max_turns
        words = None if self.is_late or (over and not self._loses_model) else super().__call__(session)
        if words is not None and over:
            self.unanswered = words, session.conversation.talk().line or None
            return None
        if words is not None and self.turns == 1 and self._first is not None:
            words = self._words = self._first
        return words

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


def _spoken_s(session: FlowSession) -> float:
    """Estimate how long a call has lasted so far."""
    return sum(len(message.text) / _CHARACTERS_A_SECOND + _PAUSE_S for message in session.messages)


@dataclass(slots=True)
class FlowRunner:
    """Runs one program, each time with the same variables, channel and stubs (flow/language/stubs.py)."""

    engine: Engine
    map: FlowMap
    variables: dict[str, Any]
    channel: str
    answers: dict[str, Any] | None = None
    http: list[dict[str, Any]] | None = None

    def play(
        self,
        route: Sequence[Condition],
        seed: int,
        state: dict[str, Any],
        now: Callable[[], datetime],
        **manners: Any,
    ) -> FlowRun:
        """Run the flow with a caller who takes this route; `manners` are a RecordedCaller's. Raises Busy."""
        typed = self.channel != "voice"
        person = RecordedCaller(self.map, route, Random(seed), answers=self.answers, typed=typed, **manners)
        session = self.engine.open(
            self.map.program,
            model=person,
            state=state,
            variables=self.variables,
            channel=self.channel,
            seed=seed,
            now=now,
            http=self.http,
        )
        events = session.play(person)
        taken = [event["condition"] for event in events if event.type == "taken"]
        run = FlowRun(
            events,
            _with_inexact(events, person.requests),
            session.extracted,
            session.state,
            session.ended or HUNG_UP,
            tuple(taken),
            wishes=tuple(
                text for text, condition in zip(taken, person.taken, strict=False) if not is_answer(condition)
            ),
            is_late=person.is_late,
        )
        failure = session.failure
        if failure is not None:
            run.stopped = failure.bound
            error = failure.error or failure.exception
            run.fault = FlowError(failure.exception, error, failure.function or "talk", failure.line, failure.traceback)
        elif person.unanswered is not None:
            self._break_off(run, *person.unanswered)
        run.shorten()
        return run

    def _break_off(self, run: FlowRun, words: str, line: int | None) -> None:
        """Change a run to one that ended with the loss of the model, after these words of the caller."""
        fault = run.fault = lost_model(self.map.program.source, line)
        details = {"error": fault.message, "exception": fault.type, "function": fault.function}
        run.events[-1:] = [Event("heard", None, {"text": words}), Event("failed", line, details)]
        run.ended = LOST


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


def _size(value: Any) -> int:
    return len(orjson.dumps(value))


def _shortened(value: Any, most: int) -> Any:
    """Return a JSON value; a text that is too long is cut, and another value is left out."""
    if _size(value) <= most:
        return value
    return f"{value[: most // 4]}…" if isinstance(value, str) else None


def _fitting(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members that fit into a part of the rows, the long ones shortened."""
    fitting, left = {}, _PART_BYTES
    for name, value in members.items():
        fitting[name] = _shortened(value, left)
        left -= _size(fitting[name]) + len(name)
        if left < 0:
            del fitting[name]
            break
    return fitting
