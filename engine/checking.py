"""Looks for what is wrong with code, without running it: Based first, then Python, then names that nothing defines."""

from __future__ import annotations

from typing import Any

import orjson

from dryline.engine.calls import FUNCTIONS
from dryline.engine.failures import readable
from dryline.engine.findings import CodeRefused, Finding
from dryline.engine.prelude import RESERVED
from dryline.engine.program import Program
from dryline.engine.sandbox import Sandbox
from dryline.engine.translate import translate

_STOP = "_based_stop()\n"  # parsing is all that is wanted: the run ends at its first call
_STUBS = "from typing import Any\n" + "".join(
    f"{name}: Any\n" for name in sorted({*FUNCTIONS, "state", "variables", "api", "integrations"}) if "." not in name
)


def demand_sound(sandbox: Sandbox, code: str, file: str) -> Program:
    """The code, ready to run, as Based and as Python. Raises CodeRefused, Busy."""
    program = translate(code, file)
    wrong = _python(sandbox, program)
    if wrong:
        raise CodeRefused(wrong)
    return program


def check(sandbox: Sandbox, code: str, file: str) -> list[Finding]:
    """Raises Busy."""
    try:
        program = demand_sound(sandbox, code, file)
    except CodeRefused as refused:
        return refused.findings
    return [*program.warnings, *_missing_modules(sandbox, program), *_unknown_names(sandbox, program)]


def _python(sandbox: Sandbox, program: Program) -> list[Finding]:
    """What the sandbox's parser refuses."""
    import pydantic_monty

    with sandbox.worker() as worker:
        try:
            worker.feed_start(_STOP + program.code)
        except pydantic_monty.MontySyntaxError as fault:
            return [_finding(program, fault, str(fault))]
        except pydantic_monty.MontyRuntimeError as fault:  # what it knows of, and does not support
            return [_finding(program, fault, readable(str(fault.exception())))]
        except pydantic_monty.MontyCrashedError:
            return [Finding(program.file, 1, 1, "The sandbox cannot read this code.")]
    return []


def _finding(program: Program, fault: Any, sentence: str) -> Finding:
    frames = fault.traceback()
    place = program.place(frames[-1].line - 1, frames[-1].column) if frames and frames[-1].line > 1 else None
    line, column = place or (1, 1)
    sentence = sentence[:1].upper() + sentence[1:].rstrip(".") + "."
    return Finding(program.file, line, column, sentence)


def _missing_modules(sandbox: Sandbox, program: Program) -> list[Finding]:
    import pydantic_monty

    findings = []
    with sandbox.worker() as worker:
        for name, place in program.modules.items():
            try:
                if name.isidentifier() and name != "requests":
                    worker.feed_run(f"import {name}")
            except pydantic_monty.MontyError:
                findings.append(Finding(program.file, *place, f"The sandbox has no module {name!r}.", "warning"))
    return findings


def _unknown_names(sandbox: Sandbox, program: Program) -> list[Finding]:
    import pydantic_monty

    options = {"type_check": True, "type_check_stubs": _STUBS, "type_check_format": "json"}
    with sandbox.worker(**options) as worker:
        try:
            worker.feed_start(_STOP + program.code)
        except pydantic_monty.MontyTypingError as fault:
            told = orjson.loads(fault.display())
        except pydantic_monty.MontyError:
            return []
        else:
            return []
    findings = []
    for one in told:
        row, column = one["location"]["row"] - 1, one["location"]["column"]
        place = program.place(row, column) if row else None
        name = one["message"].partition("`")[2].partition("`")[0]
        if one["code"] == "unresolved-reference" and place is not None and not name.startswith(RESERVED):
            findings.append(Finding(program.file, *place, f"Nothing defines the name {name!r}.", "warning"))
    return findings
