"""`dryline flow check` and `dryline flow paths`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from dryline.commands.param_types import JsonObjectParam

if TYPE_CHECKING:
    from dryline.flow.engine import CodeRefused

CODE_FILE = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)


@click.group()
def flow() -> None:
    """Check the code of flows without running it."""


@flow.command()
@click.argument("files", type=CODE_FILE, nargs=-1, required=True)
@click.option("--variables", type=JsonObjectParam(), help="The flows' `variables`, as a JSON object: others are named.")
def check(files: tuple[Path, ...], variables: dict[str, Any] | None) -> None:
    """Print the mistakes in FILES as file:line:column. The exit code is 1 if a file cannot run."""
    from dryline.flow.engine import Engine, FlowContext  # noqa: PLC0415  # 71 ms

    context = None if variables is None else FlowContext(variables)
    with Engine() as engine:
        findings = [finding for file in files for finding in engine.check(read_text(file), str(file), context)]
    for finding in findings:
        click.echo(str(finding))
    if any(finding.severity == "error" for finding in findings):
        sys.exit(1)


@flow.command()
@click.argument("file", type=CODE_FILE)
def paths(file: Path) -> None:
    """Print the tree of the conditions in FILE, each with its line."""
    from dryline.flow.engine import CodeRefused, Engine  # noqa: PLC0415  # 71 ms

    try:
        with Engine() as engine:
            _print_tree(engine.checked_program(read_text(file), str(file)).paths(), "")
    except CodeRefused as error:
        exit_with_findings(error)


def _print_tree(loops: list[dict[str, Any]], indent: str) -> None:
    for loop in loops:
        click.echo(f"{indent}line {loop['line']}: loop")
        for condition in loop["conditions"]:
            back = "" if condition["leaves"] else "  (back to the loop)"
            click.echo(f"{indent}  line {condition['line']}: {condition['condition']}{back}")
            _print_tree(condition["loops"], indent + "    ")
        _print_tree(loop["loops"], indent + "  ")


def read_text(file: Path) -> str:
    """Return the text of a file, or of standard input for `-`. Raises click.ClickException if it is not UTF-8."""
    try:
        with click.open_file(str(file), encoding="utf-8-sig") as stream:
            text: str = stream.read()
            return text
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise click.ClickException(f"{file}:{line}: This is not UTF-8. Save the file in that encoding.") from None


def exit_with_findings(error: CodeRefused) -> NoReturn:
    """Print the mistakes in a flow's code, and end the program with exit code 1."""
    for finding in error.findings:
        click.echo(str(finding), err=True)
    sys.exit(1)
