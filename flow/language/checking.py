"""Checks of code without running it: the syntax of Based, then of Python, then undefined names."""

from typing import Any

import orjson

from dryline.flow.language.errors import CodeRefused, Finding, readable
from dryline.flow.language.host_functions import FUNCTIONS
from dryline.flow.language.prelude import RESERVED
from dryline.flow.language.program import Program
from dryline.flow.language.sandbox import Sandbox
from dryline.flow.language.translate import translate

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


def checked_program(sandbox: Sandbox, code: str, file: str) -> Program:
    """Return the program of code that has no syntax errors. Raises CodeRefused, Busy."""
    import pydantic_monty

    program = translate(code, file)
    with sandbox.worker() as worker:
        try:
            worker.feed_start(_STOP + program.code)
        except pydantic_monty.MontyCrashedError:
            raise CodeRefused([Finding(file, 1, 1, "The sandbox cannot read this code.")]) from None
        except (pydantic_monty.MontySyntaxError, pydantic_monty.MontyRuntimeError) as fault:
            raise CodeRefused([_finding(program, fault)]) from None
    return program


def check(sandbox: Sandbox, code: str, file: str) -> list[Finding]:
    """Return the errors and warnings about the code. Raises Busy."""
    try:
        program = checked_program(sandbox, code, file)
    except CodeRefused as refused:
        return refused.findings
    return [*program.warnings, *missing_imports(sandbox, program), *_unknown_names(sandbox, program)]


def _finding(program: Program, fault: Any) -> Finding:
    """Return an error of the sandbox's parser, or Python that the sandbox does not support."""
    frames = fault.traceback()
    place = program.place(frames[-1].line - 1, frames[-1].column) if frames and frames[-1].line > 1 else None
    sentence = readable(str(fault.exception()) or str(fault))
    return Finding(program.file, *(place or (1, 1)), sentence[:1].upper() + sentence[1:].rstrip(".") + ".")


def missing_imports(sandbox: Sandbox, program: Program) -> list[Finding]:
    """Return warnings about imports that the sandbox refuses. The prelude has `requests`."""
    findings = []
    with sandbox.worker() as worker:
        for statement, place in program.imports:
            sentence = _error_of(worker, statement)
            for words, meant in _IMPORT_ERRORS if sentence else ():
                sentence = sentence.replace(words, meant)
            if sentence:
                findings.append(Finding(program.file, *place, f"{sentence}.", "warning"))
    return findings


def _error_of(worker: Any, code: str) -> str:
    """Run code, and return the message of its error; empty if there is none."""
    import pydantic_monty

    try:
        worker.feed_run(code)
    except pydantic_monty.MontyError as fault:
        return str(fault.exception())
    return ""


def _unknown_names(sandbox: Sandbox, program: Program) -> list[Finding]:
    import pydantic_monty

    options = {"type_check": True, "type_check_stubs": _STUBS, "type_check_format": "json"}
    errors = []
    with sandbox.worker(**options) as worker:
        try:
            started = worker.feed_start(_STOP + program.code)
            if isinstance(started, pydantic_monty.FunctionSnapshot):
                # The type checker first asks for stubs of the modules that it does not know, and gets none.
                started.resume({"return_value": {}})
        except pydantic_monty.MontyTypingError as fault:
            errors = orjson.loads(fault.display())
        except pydantic_monty.MontyError:
            return []
    findings = []
    with sandbox.worker() as worker:
        for error in errors:
            name, row = error["message"].partition("`")[2].partition("`")[0], error["location"]["row"] - 1
            place = program.place(row, error["location"]["column"]) if row else None
            if place is None or name.startswith(RESERVED) or error["code"] != "unresolved-reference":
                continue
            if not _error_of(worker, name):  # the sandbox has built-in names that its type checker does not know
                continue
            is_module = name == "requests" or not _error_of(worker, f"import {name}")
            sentence = f"Nothing defines the name {name!r}{': import it' if is_module else ''}."
            findings.append(Finding(program.file, *place, sentence, "warning"))
    return findings
