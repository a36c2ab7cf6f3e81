"""The engine: one object that checks code, runs flows, and owns the processes that they run in."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from dryline.flow.language.checking import check, checked_program, missing_imports
from dryline.flow.language.errors import CodeRefused, Finding
from dryline.flow.language.events import Event
from dryline.flow.language.language_model import LanguageModel
from dryline.flow.language.program import Program
from dryline.flow.language.sandbox import Sandbox
from dryline.flow.language.session import FlowSession, NotLoadable, SessionOver
from dryline.flow.language.translate import translate
from dryline.flow.language.web import Fetch, Web, no_network
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.storage.errors import Busy

__all__ = ["Busy", "CodeRefused", "Engine", "Event", "Finding", "FlowSession", "NotLoadable", "Program", "SessionOver"]

CALLER = "+14155550123"  # on the channel `voice`, if the state names none


class Engine:
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
        processes: int | None = None,
    ) -> None:
        self.model: LanguageModel = model or BuiltInModel()
        self._web = Web(fetch)
        self._now = now
        self._sandbox = Sandbox(processes)

    @property
    def running(self) -> bool:
        """Whether worker processes were started."""
        return self._sandbox.running

    def check(self, code: str, file: str = "flow.based") -> list[Finding]:
        """Return the errors of the code, or its warnings if it can run. Raises Busy."""
        return check(self._sandbox, code, file)

    def checked_program(self, code: str, file: str = "flow.based") -> Program:
        """Return the program of code that has no errors, ten times as fast as `check`. Raises CodeRefused, Busy."""
        return checked_program(self._sandbox, code, file)

    def program(self, code: str, file: str = "flow.based") -> Program:
        """Return the program of code without errors in Based; its Python is not checked. Raises CodeRefused."""
        return translate(code, file)

    def paths(self, code: str, file: str = "flow.based") -> list[dict[str, Any]]:
        """Return the tree of conditions with their lines. Raises CodeRefused."""
        return translate(code, file).paths()

    def lacking(self, program: Program) -> Finding | None:
        """Return the first import of a module, or of a name of one, that the sandbox lacks. Raises Busy."""
        return next(iter(missing_imports(self._sandbox, program)), None) if program.imports else None

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
        initial_state = {**({"Caller": CALLER} if channel == "voice" else {}), **(state or {})}
        if variables is not None:
            initial_state["variables"] = variables
        options |= {"channel": channel, "state": initial_state, "now": now or self._now}
        return FlowSession(self._sandbox, program, model or self.model, self._web, **options)

    def load(self, data: bytes, *, model: LanguageModel | None = None) -> FlowSession:
        """Return a session from its dump. Raises NotLoadable."""
        return FlowSession.load(data, self._sandbox, model or self.model, self._web, now=self._now)

    def close(self) -> None:
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
