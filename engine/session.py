"""One conversation with a flow: it runs until the user has to speak, is kept as bytes in between, and goes on."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from random import Random
from typing import Any

import orjson

from dryline.engine.calls import Over, Raised, Waits, call, is_callable
from dryline.engine.conversation import Conversation
from dryline.engine.events import Event, Message
from dryline.engine.failures import Failure, failure_of, stopped
from dryline.engine.judge import Decision, Judge
from dryline.engine.plain import plain
from dryline.engine.program import Program
from dryline.engine.sandbox import TURN_S, Sandbox, monty_version
from dryline.engine.translate import translate
from dryline.engine.web import Web

CALLS_A_TURN = 500  # of the host, between two things that the user says
TEXT_A_TURN = 1_000_000  # characters said and printed
TURNS = 2_000
_FORM = 1  # of the bytes


class SessionOver(RuntimeError):
    """The run has ended: nothing is heard any more. The message is a sentence."""


class NotLoadable(ValueError):
    """The bytes are no session that this version can go on with. The message is a sentence."""


class Session:
    """Made by Engine.open and Engine.load. Not for several threads at once; different sessions are.

    `state` is the flow's own dict, as it was when the flow last waited or ended."""

    def __init__(
        self,
        sandbox: Sandbox,
        program: Program,
        judge: Judge,
        web: Web,
        *,
        now: Callable[[], datetime],
        channel: str = "voice",
        state: dict[str, Any] | None = None,
        seed: int | str = 0,
    ) -> None:
        self.program, self.judge, self.web, self.now = program, judge, web, now
        self.channel = channel
        self.state: dict[str, Any] = plain(state or {})
        self.messages: list[Message] = []
        self.extracted: dict[str, Any] = {}
        self.ended: str | None = None  # why; "failed" when an exception ended it
        self.failure: Failure | None = None
        self.turns = 0
        self.conversation = Conversation(self)
        self._sandbox = sandbox
        self._seed = seed
        self._drawn = 0
        self._events: list[Event] = []
        self._frozen: bytes | None = None
        self._answer: Any = None  # to the call that the flow waits at

    @property
    def waiting(self) -> list[str]:
        """The conditions that are open; empty after `done()` and after the end."""
        return list(self.conversation.conditions) if self.conversation.loop is not None and not self.ended else []

    def start(self, said: str | None = None) -> list[Event]:
        """Run up to the first wait. `said` is what the user said before the flow could speak. Raises Busy."""
        if said is not None:
            self.listen(said)
            self.conversation.pending = said
        self._run(None)
        return self._taken_events()

    def say(self, said: str) -> list[Event]:
        """The user speaks. Raises SessionOver, Busy."""
        self._check_open()
        self._hear(said)
        return self._taken_events()

    def choose(self, choice: str | int) -> list[Event]:
        """Take a condition by its text or index, whatever was said. Raises SessionOver, LookupError, Busy."""
        self._check_open()
        index = self.conversation.index_of(choice)
        self._count_turn()
        self._go_on(self.conversation.take(Decision(index, "It was chosen.", 1.0, "choice")))
        return self._taken_events()

    def play(self, speak: Callable[[Session], str | None]) -> list[Event]:
        """The whole conversation in one go, without keeping it in between: `speak` is asked for what the user says
        whenever the flow waits, and says None to hang up. Returns all events. Raises Busy."""
        self._run(speak)
        return self._taken_events()

    # What the host's side of the language uses (calls.py, conversation.py).

    def note(self, type: str, line: int | None, /, **details: Any) -> None:
        self._events.append(Event(type, line, details))

    def speak(self, spoken: str, line: int | None, **details: Any) -> None:
        self._spend(len(spoken))
        self.messages.append(Message("agent", spoken))
        self.note("said", line, text=spoken, **details)

    def listen(self, said: str) -> None:
        self.messages.append(Message("user", said))
        self.note("heard", None, text=said)

    def keep_state(self, state: Any) -> None:
        if isinstance(state, dict):
            self.state = plain(state)

    def random(self) -> Random:
        """A source of chance that repeats with the seed, whether or not the session was kept in between."""
        self._drawn += 1
        return Random(f"{self._seed}:{self._drawn}")

    def make_id(self, prefix: str) -> str:
        return f"{prefix}{self.random().getrandbits(128):032x}"

    # Running.

    def _run(self, speak: Callable[[Session], str | None] | None) -> None:
        inputs: dict[str, Any] = {"state": self.state}
        if isinstance(self.state.get("variables"), dict):
            inputs["variables"] = self.state["variables"]
        seed = {"random_start": {"seed": str(self._seed)}}
        with self._sandbox.worker(os_policy=seed) as worker:
            start = lambda: worker.feed_start(self.program.code, inputs=inputs, print_callback=self._print)  # noqa: E731
            self._drive(worker, start, speak)

    def _hear(self, said: str) -> None:
        self._count_turn()
        if self.ended:
            return
        answer = None
        self.listen(said)
        if self.conversation.loop is None:  # after done(): the next talk hears it
            self.conversation.pending = said
        else:
            answer = self.conversation.hear(said)
            if answer is None:
                return
        self._go_on(answer)

    def _go_on(self, answer: Any) -> None:
        if self.ended:
            return
        if self._frozen is None:  # played: the caller of this holds the worker
            self._answer = answer
            return
        frozen, self._frozen = self._frozen, None
        with self._sandbox.worker() as worker:

            def resume() -> Any:
                return worker.load_snapshot(frozen, print_callback=self._print).resume({"return_value": answer})

            self._drive(worker, resume, None)

    def _drive(self, worker: Any, step: Callable[[], Any], speak: Callable[[Session], str | None] | None) -> None:
        """Run from one call of the host to the next, until the user has to speak or the run is over."""
        import pydantic_monty

        self._begin_turn()
        try:
            while True:
                snapshot = self._timed(step)
                if isinstance(snapshot, pydantic_monty.MontyComplete):
                    self._read_state(worker)
                    raise Over("end of the flow")
                try:
                    step = self._answer_to(snapshot)
                except Waits:
                    if self._speaks_to(speak):
                        answer, self._answer = self._answer, None
                        step = lambda: snapshot.resume({"return_value": answer})  # noqa: B023, E731
                    else:
                        self._frozen = None if self.ended else snapshot.dump()
                        return
        except Over as over:
            self._end(over.why)
        except pydantic_monty.MontyError as fault:
            self._fail(failure_of(self.program, fault, self._line), worker)
        except _Stopped as fault:
            self._fail(stopped(self.program, str(fault), self._line), None)

    def _timed(self, step: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        snapshot = step()
        self._spent_s += time.perf_counter() - began
        if self._spent_s > TURN_S:
            raise _Stopped(f"The flow ran for longer than {TURN_S:g} s without waiting for the user.")
        return snapshot

    def _answer_to(self, snapshot: Any) -> Callable[[], Any]:
        """What to do about a call out of the sandbox. Raises Over, Waits, _Stopped."""
        place = self.program.place_of_bytes(snapshot.position.start)
        line = place.line if place else None
        self._line = place or self._line
        self._calls += 1
        if self._calls > CALLS_A_TURN:
            raise _Stopped(f"The flow made more than {CALLS_A_TURN} calls without waiting for the user.")
        if hasattr(snapshot, "variable_name"):
            name = snapshot.variable_name
            if snapshot.object_id is None and is_callable(name, self.channel):
                return lambda: snapshot.resume(value=_named(name))
            return snapshot.resume
        if not hasattr(snapshot, "function_name"):
            raise _Stopped("The flow waits for something that never comes.")
        if snapshot.is_os_function:
            return self._system(snapshot)
        try:
            value = call(self, snapshot.function_name, snapshot.args, snapshot.kwargs, line)
        except Raised as raised:
            problem = {"exc_type": raised.type, "message": raised.message}
            return lambda: snapshot.resume(problem)
        return lambda: snapshot.resume({"return_value": value})

    def _system(self, snapshot: Any) -> Callable[[], Any]:
        """The sandbox asks for the time, or for a file: it has no files, no environment."""
        if snapshot.function_name == "import":
            return snapshot.resume_auto
        if snapshot.function_name in ("datetime.now", "date.today", "time.time"):
            return lambda: snapshot.resume({"return_value": _moment(snapshot, self.now())})
        return snapshot.resume_not_handled

    def _speaks_to(self, speak: Callable[[Session], str | None] | None) -> bool:
        """Let the user speak until the flow has something to do. False when the session is to be kept, or hung up."""
        pending = self.conversation.pending if self.conversation.loop is not None else None
        if pending is not None:  # already in the history
            self.conversation.pending = None
            self._answer = self.conversation.hear(pending)
            if self._answer is not None:
                return True
        if speak is None:
            return False
        while not self.ended:
            self._begin_turn()
            said = speak(self)
            if said is None:
                self._end("hung up")
                return False
            self._hear(said)
            if self._answer is not None or self.conversation.loop is None:
                return not self.ended
        return False

    def _end(self, why: str) -> None:
        self.ended = why
        self.conversation.loop = None
        self.note("ended", None, why=why)

    def _fail(self, failure: Failure, worker: Any) -> None:
        if worker is not None and failure.exception != "TimeoutError":
            self._read_state(worker)
        self.ended, self.failure = "failed", failure
        self.conversation.loop = None
        self.note("failed", failure.line, **{name: value for name, value in asdict(failure).items() if name != "line"})

    def _read_state(self, worker: Any) -> None:
        import pydantic_monty

        try:
            self.keep_state(worker.feed_run("state"))
        except pydantic_monty.MontyError:  # the code did not even parse, or the worker is gone
            return

    # Bounds.

    def _begin_turn(self) -> None:
        self._calls, self._text, self._spent_s, self._line = 0, 0, 0.0, getattr(self, "_line", None)

    def _count_turn(self) -> None:
        self.turns += 1
        if self.turns > TURNS:
            self._fail(stopped(self.program, f"The conversation went on for more than {TURNS:,} turns.", None), None)

    def _spend(self, characters: int) -> None:
        self._text += characters
        if self._text > TEXT_A_TURN:
            raise _Stopped(f"The flow said and printed more than {TEXT_A_TURN:,} characters without waiting.")

    def _print(self, _stream: str, printed: str) -> None:
        self._spend(len(printed))
        self.note("printed", None, text=printed.removesuffix("\n"))

    def _check_open(self) -> None:
        if self.ended:
            raise SessionOver(f"The flow has ended ({self.ended}).")

    def _taken_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    # Keeping.

    def dump(self) -> bytes:
        """The session as bytes. They are the machine's own: only bytes of one's own are to be loaded again."""
        host = {
            "form": _FORM,
            "monty": monty_version(),
            "code": self.program.source,
            "file": self.program.file,
            "channel": self.channel,
            "state": self.state,
            "messages": [[message.who, message.text] for message in self.messages],
            "extracted": self.extracted,
            "ended": self.ended,
            "failure": asdict(self.failure) if self.failure else None,
            "turns": self.turns,
            "conversation": self.conversation.as_dict(),
            "seed": self._seed,
            "drawn": self._drawn,
        }
        head = orjson.dumps(host)
        return zlib.compress(len(head).to_bytes(4, "big") + head + (self._frozen or b""), 1)

    @classmethod
    def load(cls, data: bytes, sandbox: Sandbox, judge: Judge, web: Web, *, now: Callable[[], datetime]) -> Session:
        """The session that was dumped. Raises NotLoadable."""
        try:
            whole = zlib.decompress(data)
            length = int.from_bytes(whole[:4], "big")
            host, frozen = orjson.loads(whole[4 : 4 + length]), whole[4 + length :]
        except (zlib.error, orjson.JSONDecodeError) as fault:
            raise NotLoadable(f"This is no session: {fault}.") from None
        if host.get("form") != _FORM or host.get("monty") != monty_version():
            raise NotLoadable("The session was kept by another version; its conversation cannot go on.")
        program = translate(host["code"], host["file"])
        session = cls(
            sandbox, program, judge, web, now=now, channel=host["channel"], state=host["state"], seed=host["seed"]
        )
        session.messages = [Message(*message) for message in host["messages"]]
        session.extracted, session.ended, session.turns = host["extracted"], host["ended"], host["turns"]
        session.failure = Failure(**host["failure"]) if host["failure"] else None
        session.conversation.restore(host["conversation"])
        session._drawn = host["drawn"]
        session._frozen = frozen or None
        return session


class _Stopped(Exception):
    """The flow went past a bound. The message is a sentence."""


def _named(name: str) -> Callable[..., None]:
    """A function to hand into the sandbox: its calls come back under its name."""

    def function(*_args: Any, **_named: Any) -> None: ...

    function.__name__ = name
    return function


def _moment(snapshot: Any, now: datetime) -> Any:
    name, args = snapshot.function_name, snapshot.args
    if name == "time.time":
        return now.timestamp()
    zone = args[0] if args else snapshot.kwargs.get("tz")
    moment = now.astimezone(zone) if zone is not None else now.replace(tzinfo=None)
    return moment.date() if name == "date.today" else moment
