"""`dryline state` and `dryline reset`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from dryline.commands.client import on_world
from dryline.commands.output import print_done, write_file

if TYPE_CHECKING:
    from dryline.testing.plane import ControlPlane


@click.group()
def state() -> None:
    """Export or import the whole state as one JSON document."""


@state.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@click.option("--team", help="Only this team's data, by its id.")
@on_world()
def export_state(world: ControlPlane, file: Path, team: str | None) -> None:
    """Write the state to FILE (default: standard output).

    It is for people and programs, and no backup: keys in clear, tokens, uploaded bytes and the files of exports are
    left out. `dryline snapshots take` makes a backup.
    """
    document = json.dumps(world.plane("GET", "/state", query={"team": team}), indent=2)
    if str(file) == "-":
        click.echo(document)
        return
    write_file(file, (document + "\n").encode())
    print_done(f"Wrote {file}.")


@state.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--add", is_flag=True, help="Add the rows to the state instead of replacing it.")
@on_world(destructive=True)
def import_state(world: ControlPlane, file: IO[bytes], add: bool) -> None:
    """Replace the state by the document in FILE (-: standard input).

    A document has no keys in clear, tokens, uploaded bytes or files of exports. Exports get new files.
    """
    world.plane("POST" if add else "PUT", "/state", content=file.read())
    print_done("Added the rows." if add else "Replaced the state.")


@click.command()
@click.option(
    "--scenario",
    help="demo, clinic, campaign, trouble, empty, or a file with a state document. Default: the scenario of the start.",
)
@click.option("--team", help="Reset only this team's data, by its id.")
@on_world(destructive=True)
def reset(world: ControlPlane, scenario: str | None, team: str | None) -> None:
    """Go back to the start: data, clock, faults, requests."""
    world.plane("POST", "/reset", {"scenario": scenario} if scenario else {}, query={"team": team})
    print_done("Reset.")
