"""Errors of a flow, with the lines of its own code: what the checks find, and the failure that ends a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dryline.flow.language.json_values import text

if TYPE_CHECKING:
    from dryline.flow.language.program import Program
    from dryline.flow.language.source_map import SourcePosition

INNER = "<string>"  # the file name that the sandbox gives to code run by eval() and exec()
_LONGEST = 10_000  # characters of a message
Frame = tuple[tuple[int, int], str | None]  # line and column, and the function
# Exceptions of the sandbox that replace others (prelude.txt).
_STAND_INS = {"NotADirectoryError": "HTTPError"}


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or a warning about a flow's code. `line` and `column` count from 1, as editors do."""

    file: str
    line: int
    column: int
    sentence: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.sentence}"


class CodeRefused(ValueError):
    """The code cannot run. `findings` has the reasons; the message is the first of them."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__(str(findings[0]))
        self.findings = findings


class BasedSyntaxError(Exception):
    """An error at an offset into the code, raised while it is parsed. The message is a sentence."""

    def __init__(self, offset: int, sentence: str) -> None:
        super().__init__(sentence)
        self.offset = offset
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Failure:
    """The error that ended a flow's run.

    `error` is the message, `exception` the class; `traceback` looks like Python's, with lines of the flow. `bound` is
    true when the flow exceeded a limit.
    """

    error: str
    exception: str
    line: int
    column: int
    function: str | None
    sentence: str
    traceback: str
    bound: bool = False


def failure_of_error(program: Program, fault: Any, last: SourcePosition | None) -> Failure:
    """Return the failure for a `pydantic_monty.MontyError`.

    `last` is the position of the last host call; it locates an error without a line of its own.
    """
    inner = fault.exception()
    type_name = _STAND_INS.get(type(inner).__name__, type(inner).__name__)
    error = readable(text((str(inner) or str(fault))[:_LONGEST]))
    if not hasattr(fault, "display"):  # a crash: the worker is gone
        return failure_at(program, "The flow brought its sandbox down.", last, bound=True)
    if type_name == "TimeoutError" and "time limit exceeded" in error:
        sentence = "The flow ran for too long without waiting for the user."
        return failure_at(program, sentence, last, type_name, bound=True)
    is_bound = type_name == "MemoryError" and "memory limit" in error
    if is_bound:
        error = "The flow took more memory than it may."
    frames: list[Frame] = []
    for frame in fault.traceback() if hasattr(fault, "traceback") else []:
        position = program.position(frame.line, frame.column) if frame.filename != INNER else None
        if position is not None:
            frames.append((position, frame.function_name or "<module>"))
    return failure_at(program, error, last, type_name, bound=is_bound, frames=frames)


def failure_at(
    program: Program,
    error: str,
    last: SourcePosition | None,
    type_name: str = "RuntimeError",
    *,
    bound: bool,
    frames: Sequence[Frame] = (),
) -> Failure:
    """Return a failure. Without `frames` its position is that of the last host call, or else the flow's first line."""
    frames = frames or [(last or (1, 1), None)]
    (line, column), function = frames[-1]
    rows = ["Traceback (most recent call last):"]
    for (number, _), name in frames[-20:]:
        rows.append(f'  File "{program.file}", line {number}, {f"in {name}" if name else "at or after"}')
        rows.append(f"    {program.positions.row(number).strip()[:200]}")
    rows.append(f"{type_name}: {error}" if error else type_name)
    sentence = f"{program.file}:{line}:{column}: {rows[-1]}"
    return Failure(error, type_name, line, column, function, sentence, "\n".join(rows), bound)


def readable(message: str) -> str:
    """Return a message of the sandbox without the names of its internals."""
    for internal, shown in (("monty syntax parser", "sandbox"), ("Internal error in monty: ", ""), ("_based_", "")):
        message = message.replace(internal, shown)
    return message
