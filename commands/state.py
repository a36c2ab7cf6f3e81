"""`dryline state` and `dryline reset`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from dryline.commands.client import Plane, on_own_world, on_world
from dryline.commands.output import query_of, write_file


@click.group()
def state() -> None:
    """Write or read the whole state as one JSON document."""


@state.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@on_world
def state_export(plane: Plane, file: Path) -> None:
    """Write the state to FILE (standard output by default)."""
    document = json.dumps(plane("GET", "/state"), indent=2)
    if str(file) == "-":
        click.echo(document)
        return
    write_file(file, (document + "\n").encode())


@state.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--add", is_flag=True, help="Add to what is there instead of replacing it.")
@on_own_world
def state_import(plane: Plane, file: Any, add: bool) -> None:
    """Replace the state by the document in FILE (- for standard input)."""
    plane("POST" if add else "PUT", "/state", raw=file.read())


@click.command()
@click.option(
    "--scenario",
    help="demo, clinic, campaign, trouble, empty or a state document's file; by default the start scenario.",
)
@click.option("--team", help="Only this team's data, by its id.")
@on_own_world
def reset(plane: Plane, scenario: str | None, team: str | None) -> None:
    """Go back to the start: data, clock, faults, requests."""
    plane("POST", "/reset" + query_of(team=team), {"scenario": scenario} if scenario else {})
