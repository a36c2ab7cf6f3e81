"""The engine: one object that checks code, runs flows, and owns the processes that they run in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from random import Random
from types import TracebackType
from typing import Any, Self

from dryline.engine.branch_discovery import explore, reach
from dryline.engine.builtin_model import BuiltInJudge
from dryline.engine.checking import check, checked_program
from dryline.engine.errors import Finding
from dryline.engine.language_model import NOTHING, Judge
from dryline.engine.program import Condition, Program
from dryline.engine.sandbox import Sandbox
from dryline.engine.session import Session
from dryline.engine.simulated_caller import Branch, Caller
from dryline.engine.translate import translate
from dryline.engine.web import Fetch, Web, no_network


class Engine:
    """For several threads at once. No process is started before the first flow runs, or is checked.

    `fetch` is what flows reach the network with (web.fetcher makes one; without it nothing is reached); `now` is the
    time that they see. `close` ends the processes."""

    def __init__(
        self,
        *,
        judge: Judge | None = None,
        fetch: Fetch = no_network,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        processes: int | None = None,
    ) -> None:
        self.judge: Judge = judge or BuiltInJudge()
        self._web = Web(fetch)
        self._now = now
        self._sandbox = Sandbox(processes)

    @property
    def running(self) -> bool:
        """Whether worker processes have been started."""
        return self._sandbox.running

    def check(self, code: str, file: str = "flow.based") -> list[Finding]:
        """All that is found wrong with the code, errors first. Without an error it runs. Raises Busy."""
        return check(self._sandbox, code, file)

    def checked_program(self, code: str, file: str = "flow.based") -> Program:
        """The code, ready to run. Raises CodeRefused for what `check` calls an error, in a tenth of its time; Busy."""
        return checked_program(self._sandbox, code, file)

    def program(self, code: str, file: str = "flow.based") -> Program:
        """The code, ready to run. Raises CodeRefused; what is wrong as Python shows in `check`, or as it runs."""
        return translate(code, file)

    def paths(self, code: str, file: str = "flow.based") -> list[dict[str, Any]]:
        """The tree of conditions with their lines. Raises CodeRefused."""
        return translate(code, file).paths()

    def open(
        self,
        program: Program,
        *,
        state: dict[str, Any] | None = None,
        variables: dict[str, Any] | None = None,
        channel: str = "voice",
        seed: int | str = 0,
        unsaid: str = NOTHING,
        judge: Judge | None = None,
        now: Callable[[], datetime] | None = None,
        answers: dict[str, Any] | None = None,
        http: list[dict[str, Any]] | None = None,
    ) -> Session:
        """A conversation, not started yet. `variables` become a member of the state, and only then a name in the flow
        (contract/based.md, section 2). Outside of the channel `voice` there is no transfer() and no end_call().
        `now` is the time that this one sees. `answers` and `http` are stubs (stubs.py).
        """
        given = dict(state or {})
        if variables is not None:
            given["variables"] = variables
        return Session(
            self._sandbox,
            program,
            judge or self.judge,
            self._web,
            now=now or self._now,
            channel=channel,
            state=given,
            seed=seed,
            answers=answers,
            http=http,
            unsaid=unsaid,
        )

    def load(self, data: bytes, *, judge: Judge | None = None) -> Session:
        """A conversation that was dumped. Raises NotLoadable."""
        return Session.load(data, self._sandbox, judge or self.judge, self._web, now=self._now)

    def explore(self, program: Program, **options: Any) -> list[Branch]:
        """The branches that can be reached, in the order of the code; found by running it with made-up callers. The
        options are those of `open`, and `within_s` (exploring.explore). Raises Busy."""
        return explore(self, program, **options)

    def reach(self, program: Program, path: Sequence[Condition], **options: Any) -> Branch | None:
        """A branch that takes all of these conditions in this order; None where none is found. Else as explore."""
        return reach(self, program, tuple(path), **options)

    def caller(self, program: Program, branch: Branch, random: Random) -> Caller:
        """A caller who takes this branch: the judge for `open`, and what `Session.play` is given."""
        return Caller(program, branch, random)

    def close(self) -> None:
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
