"""One conversation with a flow. It runs until the user has to speak, and can be stored as bytes between turns."""

import zlib
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from random import Random
from typing import Any, Self

import orjson
import pydantic_monty

from dryline.flow.language.errors import Failure
from dryline.flow.language.events import Event, Message
from dryline.flow.language.interpreter import Interpreter, Stopped
from dryline.flow.language.json_values import plain
from dryline.flow.language.language_model import NOTHING, Decision, LanguageModel
from dryline.flow.language.open_talk import OpenTalk, arguments_of_tool
from dryline.flow.language.program import Program
from dryline.flow.language.python_code import translate
from dryline.flow.language.sandbox import Sandbox
from dryline.flow.language.stubs import Answers, AnswerStubs, with_stubs
from dryline.flow.language.web import Fetch

TURNS = 2_000
Speak = Callable[["FlowSession"], str | None]
_OPTIONS = ("channel", "state", "seed", "unsaid", "answers", "http")  # arguments that are stored
_PROGRESS = ("extracted", "ended", "turns", "characters", "drawn")  # attributes that are stored, too


class SessionOver(RuntimeError):
    """A turn after the end of the run. The message is a sentence."""


class NotLoadable(ValueError):
    """Bytes that are no session, or that of another version. The message is a sentence."""


class FlowSession:
    """A session from Engine.open or Engine.load. It is for one thread at a time.

    `unsaid` says whether values that nobody said are None or invented, `seed` makes the session repeatable, and
    `answers` and `http` are stubs (stubs.py).

    `state` is the flow's own dict when it last waited or ended. `ended` is the reason of the end: `end of the flow`,
    `end_call`, `transfer`, `hung up`, or `failed` with a `failure`.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        program: Program,
        model: LanguageModel,
        fetch: Fetch,
        *,
        now: Callable[[], datetime],
        channel: str = "voice",
        state: dict[str, Any] | None = None,
        seed: int | str = 0,
        unsaid: str = NOTHING,
        answers: dict[str, Any] | None = None,
        http: list[dict[str, Any]] | None = None,
    ) -> None:
        self.program, self.model, self.now = program, model, now
        self.answers, self.http = answers or {}, [dict(rule) for rule in http or []]
        self.answer_stubs = AnswerStubs(self.answers)
        self.fetch = with_stubs(self.http, fetch)
        self.channel, self.seed, self.unsaid = channel, seed, unsaid
        self.state: dict[str, Any] = plain(state or {})
        self.messages: list[Message] = []
        self.extracted: dict[str, Any] = {}
        self.ended: str | None = None
        self.failure: Failure | None = None
        self.turns = 0
        self.characters = 0  # which the interpreter counts
        self.drawn = 0  # random generators
        self.open_talk = OpenTalk(self)
        self._interpreter = Interpreter(self, sandbox)
        self._events: list[Event] = []

    @property
    def waiting(self) -> list[str]:
        """The conditions that are open; empty after `done()` and after the end."""
        if self.open_talk.loop is None or self.ended:
            return []
        return list(self.open_talk.conditions)

    def start(self, said: str | None = None) -> list[Event]:
        """Run up to the first wait. `said` is a message of the user that opens the conversation. Raises Busy."""
        if said is not None:
            self.open_talk.pending = self.add_user_message(said)
        self._interpreter.start()
        return self._take_events()

    def say(self, utterance: str, *, answers: Answers | None = None) -> list[Event]:
        """Take a turn of the user. `answers` are for the questions that it leads to.

        Raises SessionOver, UnusedAnswers, Busy.
        """
        return self._take_turn(answers, lambda: self._hear(utterance))

    def choose(
        self,
        choice: str | int,
        *,
        utterance: str | None = None,
        arguments: dict[str, Any] | None = None,
        answers: Answers | None = None,
    ) -> list[Event]:
        """Take a condition by its text or index, whatever the user says.

        `arguments` are those of a tool; without them they are read from the utterance. Raises SessionOver, LookupError,
        UnusedAnswers, Busy.
        """
        self._require_open()
        index = self.open_talk.index_of(choice)
        if index not in self.open_talk.tools and arguments:
            raise LookupError(f"The condition {choice!r} is a text. Only a tool has arguments.")

        def take_condition() -> list[Any]:
            self._count_turn(utterance or "")
            said = "" if utterance is None else self.add_user_message(utterance)
            values = arguments
            if values is None:
                values = arguments_of_tool(self.model, self.open_talk.talk(), index, said)
            return self.open_talk.take(Decision(index, "It was chosen.", 1.0, "choice", plain(values)))

        return self._take_turn(answers, take_condition)

    def play(self, speak: Speak) -> list[Event]:
        """Run the whole conversation in one worker, and return all events.

        `speak` returns the next utterance of the user whenever the flow waits, or None to hang up. Raises Busy.
        """

        def speak_and_hear() -> Any:
            said = speak(self)
            if said is None:
                return self.end("hung up")
            return self._hear(said)

        self._interpreter.start(speak_and_hear)
        return self._take_events()

    def _take_turn(self, answers: Answers | None, turn: Callable[[], Any]) -> list[Event]:
        self._require_open()
        self.answer_stubs.begin_turn(answers)
        self._interpreter.go_on(turn)
        self.answer_stubs.check_used()
        return self._take_events()

    def _hear(self, said: str) -> Any:
        """Take an utterance of the user. Return what the flow's call returns, or None if it keeps waiting."""
        self._count_turn(said)
        utterance = self.add_user_message(said)
        if self.open_talk.loop is not None:
            return self.open_talk.hear(utterance)
        self.open_talk.pending = utterance
        return ()  # of done(): the next talk hears it

    def _count_turn(self, utterance: str) -> None:
        """Count a turn with its words. Raises Stopped."""
        self.turns += 1
        if self.turns > TURNS:
            raise Stopped(f"The conversation went on for more than {TURNS:,} turns.")
        self._interpreter.count_characters(len(utterance))

    def _require_open(self) -> None:
        if self.ended:
            raise SessionOver(f"The flow has ended ({self.ended}).")

    def _take_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    # For the host functions and the interpreter.

    def log_event(self, type: str, line: int | None, /, **details: Any) -> None:
        self._events.append(Event(type, line, details))

    def log_bounded_event(self, type: str, line: int | None, /, **details: Any) -> None:
        """Log an event whose size counts against the conversation's limit. Raises Stopped."""
        self._interpreter.count_characters(len(orjson.dumps(details)))
        self.log_event(type, line, **details)

    def add_agent_message(self, spoken: str, line: int | None, **details: Any) -> None:
        """Add an utterance of the agent. Raises Stopped."""
        self._interpreter.count_characters(len(spoken))
        self.messages.append(Message("agent", spoken))
        self.log_event("said", line, text=spoken, **details)

    def add_user_message(self, said: str) -> str:
        """Add an utterance of the user, and return it as a text that can be stored."""
        utterance: str = plain(said)
        self.messages.append(Message("user", utterance))
        self.log_event("heard", None, text=utterance)
        return utterance

    def keep_state(self, state: Any) -> None:
        if isinstance(state, dict):
            self.state = plain(state)

    def random(self) -> Random:
        """Return a random generator that repeats with the seed, also if the session was stored in between."""
        self.drawn += 1
        return Random(f"{self.seed}:{self.drawn}")

    def end(self, why: str) -> None:
        self.ended = why
        self.open_talk.loop = None
        self.log_event("ended", None, why=why)

    def fail(self, failure: Failure) -> None:
        self.ended, self.failure = "failed", failure
        self.open_talk.loop = None
        details = asdict(failure)
        self.log_event("failed", details.pop("line"), **details)

    def dump(self) -> bytes:
        """Return the session as bytes. Nothing authenticates them, so load only bytes from a trusted store."""
        host = {
            "form": _dump_version(),
            "code": self.program.source,
            "file": self.program.file,
            "messages": [[message.who, message.text] for message in self.messages],
            "failure": asdict(self.failure) if self.failure else None,
            "conversation": self.open_talk.as_dict(),
            **{name: getattr(self, name) for name in _OPTIONS + _PROGRESS},
        }
        head = orjson.dumps(host, option=orjson.OPT_NON_STR_KEYS)
        return zlib.compress(len(head).to_bytes(4, "big") + head + (self._interpreter.snapshot or b""), 1)

    @classmethod
    def load(
        cls, data: bytes, sandbox: Sandbox, model: LanguageModel, fetch: Fetch, *, now: Callable[[], datetime]
    ) -> Self:
        """Return the session of a dump. Raises NotLoadable."""
        try:
            whole = zlib.decompress(data)
            length = int.from_bytes(whole[:4], "big")
            host, snapshot = orjson.loads(whole[4 : 4 + length]), whole[4 + length :]
        except (zlib.error, orjson.JSONDecodeError) as fault:
            raise NotLoadable(f"This is no session: {fault}.") from None
        if host.get("form") != _dump_version():
            raise NotLoadable("Another version of dryline stored the session, so it cannot go on. Begin a new one.")
        program = translate(host["code"], host["file"])
        session = cls(sandbox, program, model, fetch, now=now, **{name: host[name] for name in _OPTIONS})
        vars(session).update({name: host[name] for name in _PROGRESS})
        session.messages = [Message(*message) for message in host["messages"]]
        session.failure = Failure(**host["failure"]) if host["failure"] else None
        session.open_talk.restore(host["conversation"])
        session._interpreter = Interpreter(session, sandbox, snapshot or None)
        return session


def _dump_version() -> str:
    """Return the version of the dump, which has bytes of the sandbox."""
    return f"5 {pydantic_monty.__version__}"
