"""The interpreter of a session: it runs the flow from host call to host call, until the user has to speak."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pydantic_monty

from dryline.flow.language.errors import INNER, failure_at, failure_of_error
from dryline.flow.language.host_functions import Over, Raised, Waits, call, is_callable
from dryline.flow.language.json_values import TooLarge, size_of
from dryline.flow.language.sandbox import Sandbox, function_named
from dryline.flow.language.source_map import SourcePosition

if TYPE_CHECKING:
    from dryline.flow.language.session import FlowSession

log = logging.getLogger(__name__)

# Bounds of what the host does in one turn, between two utterances of the user. They are counted and not measured in
# seconds, so that a flow ends at the same call on every machine.
CALLS_A_TURN = 500  # of host functions
PASSED_A_TURN = 10_000_000  # characters of the values that are passed to them; a member counts as 16 of them
CHARACTERS = 1_000_000  # that are said, printed and logged in one conversation
Turn = Callable[[], Any]  # of the user; the result is what the flow's call returns, or None if the flow keeps waiting


class Stopped(Exception):
    """The flow exceeded a limit. The message is a sentence."""


class Interpreter:
    """An interpreter with its limits. `snapshot` is the serialized state of a session that waits."""

    def __init__(self, session: FlowSession, sandbox: Sandbox, snapshot: bytes | None = None) -> None:
        self.snapshot = snapshot
        self._session = session
        self._sandbox = sandbox
        self._position: SourcePosition | None = None  # of the last host call
        self._calls = 0  # in this turn
        self._passed = 0  # in this turn
        self._exceeded_limit: Stopped | None = None  # a limit that was exceeded where the sandbox hides the exception

    def start(self, turn: Turn | None = None) -> None:
        """Run from the beginning up to the first wait; with `turn` the whole conversation, in one worker."""
        session = self._session
        inputs: dict[str, Any] = {"state": session.state}
        if isinstance(session.state.get("variables"), dict):
            inputs["variables"] = session.state["variables"]
        with self._sandbox.worker(os_policy={"random_start": {"seed": str(session.seed)}}) as worker:

            def begin() -> Any:
                return worker.feed_start(session.program.code, inputs=inputs, print_callback=self._print)

            waiting = self._run_to_wait(worker, begin)
            while turn is not None and waiting is not None and not session.ended:
                answer = self._result_of_turn(turn)
                if answer is not None:
                    waiting = self._run_to_wait(worker, _step_with_result(waiting, answer))
            self.snapshot = waiting.dump() if waiting is not None and not session.ended else None

    def go_on(self, turn: Turn) -> None:
        """Take a turn of the user, and go on with the flow if it leads further."""
        answer = self._result_of_turn(turn)
        if answer is None:
            return
        stored, self.snapshot = self.snapshot or b"", None
        with self._sandbox.worker() as worker:

            def resume() -> Any:
                waiting: Any = worker.load_snapshot(stored, print_callback=self._print)
                return waiting.resume({"return_value": answer})

            waiting = self._run_to_wait(worker, resume)
            self.snapshot = waiting.dump() if waiting is not None else None

    def count_characters(self, characters: int) -> None:
        """Count characters that are said, printed or logged. Raises Stopped."""
        self._session.characters += characters
        if self._session.characters > CHARACTERS:
            raise Stopped(f"More than {CHARACTERS:,} characters were said, printed and logged in one conversation.")

    def _result_of_turn(self, turn: Turn) -> Any:
        """Take a turn, and return its result. What it raises ends the session; the result is None then."""
        try:
            return turn()
        except Exception as fault:
            self._end_session(fault)
            return None

    def _run_to_wait(self, worker: Any, step: Callable[[], Any]) -> Any:
        """Run until the flow waits for the user, and return the snapshot; None if the run has ended."""
        session = self._session
        self._calls = self._passed = 0
        try:
            while True:
                snapshot = step()
                if isinstance(snapshot, pydantic_monty.MontyComplete):
                    self._store_state(worker)
                    raise Over("end of the flow")
                try:
                    step = self._do_host_call(snapshot)
                except Waits:
                    answer = session.open_talk.hear_pending()
                    if answer is None:
                        return snapshot
                    step = _step_with_result(snapshot, answer)
        except pydantic_monty.MontyError as fault:
            failure = failure_of_error(session.program, fault, self._position)
            if self._exceeded_limit:
                failure = failure_at(session.program, str(self._exceeded_limit), self._position, bound=True)
            if failure.exception != "TimeoutError":  # after a timeout the worker cannot be used
                self._store_state(worker)
            session.fail(failure)
        except Exception as fault:
            self._end_session(fault)
        return None

    def _end_session(self, fault: Exception) -> None:
        """End the session because of an exception: the end of the run, a limit, or an error of the engine.

        An error of the engine must not stop other conversations.
        """
        program = self._session.program
        if isinstance(fault, Over):
            self._session.end(str(fault))
        elif isinstance(fault, Stopped):
            self._session.fail(failure_at(program, str(fault), self._position, bound=True))
        else:
            log.error("An error of the engine ended a flow's run.", exc_info=fault)
            sentence = f"The engine failed: {type(fault).__name__}: {fault}"
            self._session.fail(failure_at(program, sentence, self._position, bound=False))

    def _do_host_call(self, snapshot: Any) -> Callable[[], Any]:
        """Do a host call, and return the step that goes on with its result. Raises Over, Waits, Stopped."""
        position = self._position_of(snapshot)
        self._position = position or self._position
        self._calls += 1
        if self._calls > CALLS_A_TURN:
            raise Stopped(f"The flow made more than {CALLS_A_TURN} calls without waiting for the user.")
        if isinstance(snapshot, pydantic_monty.NameLookupSnapshot):
            if not is_callable(snapshot.variable_name, self._session.channel):
                return snapshot.resume
            return lambda: snapshot.resume(value=function_named(snapshot.variable_name))
        if not isinstance(snapshot, pydantic_monty.FunctionSnapshot):
            raise Stopped("The flow awaits something that is no call of the engine. Remove the `await`.")
        if snapshot.is_os_function:
            return self._answer_system_call(snapshot)
        try:
            return _step_with_result(snapshot, self._call_function(snapshot, position.line if position else None))
        except Raised as raised:
            problem: Any = {"exc_type": raised.type, "message": raised.message}
        except TooLarge as fault:
            problem = {"exc_type": "MemoryError", "message": str(fault)}
        return lambda: snapshot.resume(problem)

    def _position_of(self, snapshot: Any) -> SourcePosition | None:
        """Return the position of a host call.

        Those of the prelude have the loop or the line as their first argument.
        """
        program, extent = self._session.program, snapshot.position
        if extent.filename == INNER:
            return self._position
        position = program.position_of_byte(extent.start)
        name = getattr(snapshot, "function_name", "")
        if position is None and name in ("_based_converse", "_based_http"):
            line = snapshot.args[0]
            if name == "_based_converse":
                line = program.loops[line].talk_line if line >= 0 else -line
            return SourcePosition(line, 1) if line else None
        return position

    def _call_function(self, snapshot: Any, line: int | None) -> Any:
        """Call a host function, and count the size of its arguments. Raises what it raises, and Stopped."""
        self._passed += size_of([snapshot.args, snapshot.kwargs])
        if self._passed > PASSED_A_TURN:
            raise Stopped(
                f"The flow's calls passed more than {PASSED_A_TURN:,} characters, or {PASSED_A_TURN // 16:,} members, "
                "without waiting for the user. Pass smaller values, or less often."
            )
        return call(self._session, snapshot.function_name, snapshot.args, snapshot.kwargs, line)

    def _answer_system_call(self, snapshot: Any) -> Callable[[], Any]:
        """Answer a call of the sandbox for a module, the time, or a file. There are no files and no environment."""
        if snapshot.function_name == "import":
            return snapshot.resume_auto
        if snapshot.function_name in ("datetime.now", "date.today", "time.time"):
            return _step_with_result(snapshot, _current_time(snapshot, self._session.now()))
        return snapshot.resume_not_handled

    def _store_state(self, worker: Any) -> None:
        """Give the session the `state` that the flow has in the worker."""
        try:
            self._session.keep_state(worker.feed_run("state"))
        except (pydantic_monty.MontyError, RuntimeError, TooLarge):
            return  # the code was not parsed, the worker is gone, or the state is too large

    def _print(self, _stream: str, printed: str) -> None:
        try:
            self.count_characters(len(printed))
        except Stopped as stopped:
            self._exceeded_limit = stopped
            raise
        self._session.log_event("printed", None, text=printed.removesuffix("\n"))


def _step_with_result(snapshot: Any, value: Any) -> Callable[[], Any]:
    return lambda: snapshot.resume({"return_value": value})


def _current_time(snapshot: Any, now: datetime) -> Any:
    name, args = snapshot.function_name, snapshot.args
    if name == "time.time":
        return now.timestamp()
    zone = args[0] if args else snapshot.kwargs.get("tz")
    moment = now.astimezone(zone) if zone is not None else now.replace(tzinfo=None)
    return moment.date() if name == "date.today" else moment
