"""Errors of a flow, with the lines of its own code: what the checks find, and the failure that ends a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from dryline.flow.language.json_values import text

if TYPE_CHECKING:
    from dryline.flow.language.program import Program, SourcePosition

INNER = "<string>"  # the file name that the sandbox gives to code run by eval() and exec()
_LONGEST = 10_000  # characters of a message
# Exceptions of the sandbox that replace others (prelude.py).
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

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


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


def failure_of(program: Program, fault: Any, last: SourcePosition | None) -> Failure:
    """Return the failure for a `pydantic_monty.MontyError`.

    `last` is the place of the last host call; it locates an error without a line of its own.
    """
    inner = fault.exception()
    type_name = _STAND_INS.get(type(inner).__name__, type(inner).__name__)
    frames = fault.traceback() if hasattr(fault, "traceback") else []
    error = readable(text((str(inner) or str(fault))[:_LONGEST]))
    if type_name == "TimeoutError" and "time limit exceeded" in error:
        return failure_at(program, "The flow ran for too long without waiting for the user.", last, "TimeoutError")
    too_large = type_name == "MemoryError" and "memory limit" in error
    if too_large:
        error = "The flow took more memory than it may."
    if not hasattr(fault, "display"):  # a crash: the worker is gone
        return failure_at(program, "The flow brought its sandbox down.", last, "RuntimeError")
    own = [frame for frame in frames if frame.filename != INNER]
    places = [(program.place(frame.line, frame.column), frame.function_name) for frame in own]
    located = [(place, function or "<module>") for place, function in places if place is not None]
    if not located:
        return failure_at(program, error, last, type_name, bound=too_large)
    place, function = located[-1]
    rows = ["Traceback (most recent call last):"]
    for at, name in located[-20:]:
        rows.append(f'  File "{program.file}", line {at.line}, in {name}')
        rows.append(f"    {program.places.text_of(at.line).strip()[:200]}")
    rows.append(f"{type_name}: {error}" if error else type_name)
    sentence = f"{program.file}:{place.line}:{place.column}: {rows[-1]}"
    return Failure(error, type_name, place.line, place.column, function, sentence, "\n".join(rows), too_large)


def readable(message: str) -> str:
    """Return a message of the sandbox without the names of its internals."""
    return (
        message.replace("monty syntax parser", "sandbox")
        .replace("Internal error in monty: ", "")
        .replace("_based_", "")
    )


def failure_at(
    program: Program, error: str, last: SourcePosition | None, type_name: str = "RuntimeError", *, bound: bool = True
) -> Failure:
    """Return a failure of which only a place is known: the last host call, or else the flow's first line."""
    line, column = last or program.first
    traceback = (
        f'Traceback (most recent call last):\n  File "{program.file}", line {line}, at or after\n'
        f"    {program.places.text_of(line).strip()[:200]}\n{type_name}: {error}"
    )
    sentence = f"{program.file}:{line}:{column}: {type_name}: {error}"
    return Failure(error, type_name, line, column, None, sentence, traceback, bound)
