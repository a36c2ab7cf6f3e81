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


def checked_program(sandbox: Sandbox, code: str, file: str) -> Program:
    """Return the program of code that has no syntax errors. Raises CodeRefused, Busy."""
    program = translate(code, file)
    wrong = _python(sandbox, program)
    if wrong:
        raise CodeRefused(wrong)
    return program


def check(sandbox: Sandbox, code: str, file: str) -> list[Finding]:
    """Return the errors and warnings about the code. Raises Busy."""
    try:
        program = checked_program(sandbox, code, file)
    except CodeRefused as refused:
        return refused.findings
    return [*program.warnings, *missing_imports(sandbox, program), *_unknown_names(sandbox, program)]


def _python(sandbox: Sandbox, program: Program) -> list[Finding]:
    """Return the error of the sandbox's parser, if there is one."""
    import pydantic_monty

    with sandbox.worker() as worker:
        try:
            worker.feed_start(_STOP + program.code)
        except pydantic_monty.MontySyntaxError as fault:
            return [_finding(program, fault, str(fault))]
        except pydantic_monty.MontyRuntimeError as fault:  # Python that the sandbox does not support
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


def missing_imports(sandbox: Sandbox, program: Program) -> list[Finding]:
    """Return warnings about modules and names of modules that the sandbox lacks. The prelude has `requests`."""
    findings = []
    lacking = {""}
    with sandbox.worker() as worker:
        for (module, name), place in sorted(program.imports.items(), key=lambda each: each[1]):
            top = module.partition(".")[0]
            if top in lacking or top == "requests" or not (module + name).replace(".", "").isidentifier():
                continue
            if not _runs(worker, f"import {top}"):
                lacking.add(top)
                findings.append(Finding(program.file, *place, f"The sandbox has no module {top!r}.", "warning"))
            elif name and not _runs(worker, f"from {module} import {name}"):
                findings.append(Finding(program.file, *place, f"The sandbox has no {name!r} in {module!r}.", "warning"))
    return findings


def _runs(worker: Any, code: str) -> bool:
    import pydantic_monty

    try:
        worker.feed_run(code)
    except pydantic_monty.MontyError:
        return False
    return True


def _unknown_names(sandbox: Sandbox, program: Program) -> list[Finding]:
    import pydantic_monty

    options = {"type_check": True, "type_check_stubs": _STUBS, "type_check_format": "json"}
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
        else:
            return []
    unknown = [(_name_in(one["message"]), one["location"]) for one in errors if one["code"] == "unresolved-reference"]
    findings = []
    with sandbox.worker() as worker:
        for name, at in unknown:
            place = program.place(at["row"] - 1, at["column"]) if at["row"] > 1 else None
            if place is None or name.startswith(RESERVED) or _runs(worker, name):
                continue  # the sandbox has built-in names that its type checker does not know
            imported = name == "requests" or _runs(worker, f"import {name}")
            sentence = f"Nothing defines the name {name!r}{': import it' if imported else ''}."
            findings.append(Finding(program.file, *place, sentence, "warning"))
    return findings


def _name_in(message: str) -> str:
    return message.partition("`")[2].partition("`")[0]
