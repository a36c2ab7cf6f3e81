"""What ended a flow's run: an exception or a bound, told on the flow's own lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dryline.engine.json_values import text
from dryline.engine.program import Place, Program

INNER = "<string>"  # how the sandbox calls the code that a flow hands to eval() and exec(): its lines are no flow's
_LONGEST = 10_000  # characters of a message
# Exceptions of the sandbox that stand for others (prelude.py).
_STAND_INS = {"NotADirectoryError": "HTTPError"}


@dataclass(frozen=True, slots=True)
class Failure:
    """`error` is the message, `exception` the class; `traceback` reads as Python's, on lines of the flow.
    `bound` says that the flow went past a bound, and was ended for that."""

    error: str
    exception: str
    line: int
    column: int
    function: str | None
    sentence: str
    traceback: str
    bound: bool = False


def failure_of(program: Program, fault: Any, last: Place | None) -> Failure:
    """What a pydantic_monty.MontyError says. `last` is where the flow last called out, for an error with no place."""
    inner = fault.exception()
    type_name = _STAND_INS.get(type(inner).__name__, type(inner).__name__)
    frames = fault.traceback() if hasattr(fault, "traceback") else []
    error = readable(text((str(inner) or str(fault))[:_LONGEST]))
    if type_name == "TimeoutError" and "time limit exceeded" in error:
        return stopped(program, "The flow ran for too long without waiting for the user.", last, "TimeoutError")
    too_large = type_name == "MemoryError" and "memory limit" in error
    if too_large:
        error = "The flow took more memory than it may."
    if not hasattr(fault, "display"):  # a crash: the worker is gone
        return stopped(program, "The flow brought its sandbox down.", last, "RuntimeError")
    own = [frame for frame in frames if frame.filename != INNER]
    places = [(program.place(frame.line, frame.column), frame.function_name) for frame in own]
    told = [(place, function or "<module>") for place, function in places if place is not None]
    if not told:
        return stopped(program, error, last, type_name, bound=too_large)
    place, function = told[-1]
    rows = ["Traceback (most recent call last):"]
    for at, name in told[-20:]:
        rows.append(f'  File "{program.file}", line {at.line}, in {name}')
        rows.append(f"    {program.places.text_of(at.line).strip()[:200]}")
    rows.append(f"{type_name}: {error}" if error else type_name)
    sentence = f"{program.file}:{place.line}:{place.column}: {rows[-1]}"
    return Failure(error, type_name, place.line, place.column, function, sentence, "\n".join(rows), too_large)


def readable(message: str) -> str:
    """A message of the sandbox, in words that do not name the engine's insides."""
    return (
        message.replace("monty syntax parser", "sandbox")
        .replace("Internal error in monty: ", "")
        .replace("_based_", "")
    )


def stopped(
    program: Program, error: str, last: Place | None, type_name: str = "RuntimeError", *, bound: bool = True
) -> Failure:
    """A bound was passed, or no place is known: it is the one where the flow last called out, else its first."""
    line, column = last or program.first
    traceback = (
        f'Traceback (most recent call last):\n  File "{program.file}", line {line}, at or after\n'
        f"    {program.places.text_of(line).strip()[:200]}\n{type_name}: {error}"
    )
    sentence = f"{program.file}:{line}:{column}: {type_name}: {error}"
    return Failure(error, type_name, line, column, None, sentence, traceback, bound)
