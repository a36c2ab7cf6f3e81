"""The engine: one object that checks code, runs flows, and owns the processes that they run in."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import orjson
import pydantic_monty

from dryline.flow.language.calls_rewriting import RESERVED
from dryline.flow.language.errors import CodeRefused, Finding, readable
from dryline.flow.language.host_functions import FUNCTIONS
from dryline.flow.language.language_model import LanguageModel
from dryline.flow.language.member_reads import FlowContext, find_missing_state, find_missing_variables
from dryline.flow.language.program import Program
from dryline.flow.language.python_code import translate
from dryline.flow.language.sandbox import Sandbox
from dryline.flow.language.session import FlowSession
from dryline.flow.language.web import Fetch, no_network
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.english import are_english

__all__ = ["CodeRefused", "Engine", "FlowContext"]

CALLER = "+14155550123"  # on the channel `voice`, if the state names none
_STOP = "_based_stop()\n"  # the run ends at this call, after the code was parsed
_STUBS = "from typing import Any\n" + "".join(
    f"{name}: Any\n" for name in sorted({*FUNCTIONS, "state", "variables", "api", "integrations"}) if "." not in name
)
_IMPORT_ERRORS = (  # Python's messages, and the sandbox's lack in words
    ("No module named", "The sandbox has no module"),
    ("cannot import name", "The sandbox has no"),
    (" from ", " in "),
    (" (unknown location)", ""),
)


class Engine(AbstractContextManager["Engine"]):
    """A checker and runner of flows, for several threads. It starts processes with the first flow.

    `fetch` sends the requests of flows (`web.fetcher` returns one; without it there is no network). `now` returns the
    time that flows see. `close` ends the processes.
    """

    def __init__(
        self,
        *,
        model: LanguageModel | None = None,
        fetch: Fetch = no_network,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.model: LanguageModel = model or BuiltInModel()
        self._fetch = fetch
        self._now = now
        self._sandbox = Sandbox()
        # Results of checks of programs, kept as long as `translate` remembers the programs.
        self._checked: WeakSet[Program] = WeakSet()  # whose Python the sandbox can read
        self._missing: WeakKeyDictionary[Program, list[Finding]] = WeakKeyDictionary()  # imports that it lacks

    def check(self, code: str, file: str = "flow.based", context: FlowContext | None = None) -> list[Finding]:
        """Return the errors of the code, or if it can run its warnings, and what it needs and `context` lacks.

        Raises Busy.
        """
        try:
            program = self.checked_program(code, file)
        except CodeRefused as refused:
            return refused.findings
        warnings = [*program.warnings, *_foreign_language_warnings(program)]
        missing = self.find_missing_members(program, context) if context is not None else []
        return [*missing, *warnings, *self._missing_imports(program), *self._unknown_names(program)]

    def find_missing_members(self, program: Program, context: FlowContext) -> list[Finding]:
        """Return findings about members of `variables` and `state` that the flow needs and nothing sets."""
        return [*find_missing_variables(program, context), *find_missing_state(program, context.columns)]

    def checked_program(self, code: str, file: str = "flow.based") -> Program:
        """Return the program of code that has no errors, ten times as fast as `check`. Raises CodeRefused, Busy."""
        program = translate(code, file)
        if program in self._checked:
            return program
        with self._sandbox.worker() as worker:
            try:
                worker.feed_start(_STOP + program.code)
            except pydantic_monty.MontyCrashedError:
                raise CodeRefused([Finding(file, 1, 1, "The sandbox cannot read this code.")]) from None
            except (pydantic_monty.MontySyntaxError, pydantic_monty.MontyRuntimeError) as fault:
                raise CodeRefused([_finding_of_error(program, fault)]) from None
        self._checked.add(program)
        return program

    def program(self, code: str, file: str = "flow.based") -> Program:
        """Return the program of code without errors in Based; its Python is not checked. Raises CodeRefused."""
        return translate(code, file)

    def first_missing_import(self, program: Program) -> Finding | None:
        """Return the first import of a module, or of a name of one, that the sandbox lacks. Raises Busy."""
        if not program.imports:
            return None
        return next(iter(self._missing_imports(program)), None)

    def open(
        self,
        program: Program,
        *,
        model: LanguageModel | None = None,
        now: Callable[[], datetime] | None = None,
        state: dict[str, Any] | None = None,
        variables: dict[str, Any] | None = None,
        channel: str = "voice",
        **options: Any,
    ) -> FlowSession:
        """Return a session that has not started. `options` are further ones of FlowSession.

        `variables` become a member of the state; without them the flow has no such name (contract/based.md, section
        2). On the channel `voice` there are transfer() and end_call(), and the state has the number of a `Caller`.
        `now` returns the session's time.
        """
        initial_state = dict(state or {})
        if channel == "voice":
            initial_state = {"Caller": CALLER} | initial_state
        if variables is not None:
            initial_state["variables"] = variables
        options |= {"channel": channel, "state": initial_state, "now": now or self._now}
        return FlowSession(self._sandbox, program, model or self.model, self._fetch, **options)

    def load(self, data: bytes, *, model: LanguageModel | None = None) -> FlowSession:
        """Return a session from its dump. Raises NotLoadable."""
        return FlowSession.load(data, self._sandbox, model or self.model, self._fetch, now=self._now)

    def close(self) -> None:
        self._sandbox.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _missing_imports(self, program: Program) -> list[Finding]:
        """Return warnings about imports that the sandbox refuses. The prelude has `requests`."""
        if program not in self._missing:
            self._missing[program] = self._try_imports(program)
        return self._missing[program]

    def _try_imports(self, program: Program) -> list[Finding]:
        findings = []
        with self._sandbox.worker() as worker:
            for statement, position in program.imports:
                sentence = _run_for_error(worker, statement)
                if sentence:
                    for words, meant in _IMPORT_ERRORS:
                        sentence = sentence.replace(words, meant)
                    findings.append(Finding(program.file, *position, f"{sentence}.", "warning"))
        return findings

    def _unknown_names(self, program: Program) -> list[Finding]:
        """Return warnings about names that neither the code nor the sandbox defines."""
        findings = []
        errors = self._type_errors(program)
        with self._sandbox.worker() as worker:
            for error in errors:
                _, _, behind_quote = error["message"].partition("`")
                name = behind_quote.partition("`")[0]
                row = error["location"]["row"] - 1  # without the line of _STOP
                position = program.position(row, error["location"]["column"]) if row else None
                if position is None or name.startswith(RESERVED) or error["code"] != "unresolved-reference":
                    continue
                # The sandbox has built-in names that its type checker does not know.
                if not _run_for_error(worker, name):
                    continue
                is_module = name == "requests" or not _run_for_error(worker, f"import {name}")
                advice = ": import it" if is_module else ""
                sentence = f"Nothing defines the name {name!r}{advice}."
                findings.append(Finding(program.file, *position, sentence, "warning"))
        return findings

    def _type_errors(self, program: Program) -> list[dict[str, Any]]:
        options = {"type_check": True, "type_check_stubs": _STUBS, "type_check_format": "json"}
        with self._sandbox.worker(**options) as worker:
            try:
                started = worker.feed_start(_STOP + program.code)
                if isinstance(started, pydantic_monty.FunctionSnapshot):
                    # The type checker first asks for stubs of the modules that it does not know, and gets none.
                    started.resume({"return_value": {}})
            except pydantic_monty.MontyTypingError as fault:
                errors: list[dict[str, Any]] = orjson.loads(fault.display())
                return errors
            except pydantic_monty.MontyError:
                pass
        return []


def _foreign_language_warnings(program: Program) -> list[Finding]:
    """Return a warning at the first condition if the conditions are not English. F-strings are not looked at."""
    conditions = [each for each in program.conditions if each.fixed]
    if are_english(each.text for each in conditions):
        return []
    sentence = "The built-in model reads English only. For conditions in another language, name a model (--model-url)."
    return [Finding(program.file, conditions[0].line, 1, sentence, "warning")]


def _finding_of_error(program: Program, fault: Any) -> Finding:
    """Return an error of the sandbox's parser, or Python that the sandbox does not support."""
    frames = fault.traceback()
    position = None
    if frames and frames[-1].line > 1:
        position = program.position(frames[-1].line - 1, frames[-1].column)  # without the line of _STOP
    sentence = readable(str(fault.exception()) or str(fault))
    return Finding(program.file, *(position or (1, 1)), sentence[:1].upper() + sentence[1:].rstrip(".") + ".")


def _run_for_error(worker: Any, code: str) -> str:
    """Run code, and return the message of its error; empty if there is none."""
    try:
        worker.feed_run(code)
    except pydantic_monty.MontyError as fault:
        return str(fault.exception())
    return ""
