"""`dryline state` and `dryline reset`."""

from pathlib import Path
from typing import IO

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.output import OUTPUT_FILE, print_done, write_document

LENIENT = click.option(
    "--lenient", flag_value="true", help="Ignore unknown members of the document, and links to rows that are not there."
)


@click.group()
def state() -> None:
    """Export or import the whole state as one JSON document."""


@state.command("export")
@click.argument("file", type=OUTPUT_FILE, default="-")
@click.option("--team", help="Only this team's data, by its id.")
@on_world()
def export_state(world: ControlPlane, file: Path, team: str | None) -> None:
    """Write the state to FILE (default: standard output).

    It is for people and programs, and no backup: keys in clear, tokens, uploaded bytes and the files of exports are
    left out. `dryline snapshots take` makes a backup.
    """
    write_document(file, world.plane("GET", "/state", query={"team": team}))


@state.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--add", is_flag=True, help="Add the rows to the state instead of replacing it.")
@LENIENT
@on_world(destructive=True, undoable=True)
def import_state(world: ControlPlane, file: IO[bytes], add: bool, lenient: str | None) -> None:
    """Replace the state by the document in FILE (-: standard input).

    A document has no keys in clear, tokens, uploaded bytes or files of exports. Exports get new files.
    """
    query = {"undo": "true", "lenient": lenient}
    world.plane("POST" if add else "PUT", "/state", query=query, content=file.read())
    print_done("Added the rows." if add else "Replaced the state.")


@click.command()
@click.option(
    "--scenario",
    help="demo, clinic, campaign, trouble, empty, or a file with a state document. Default: the scenario of the start.",
)
@click.option("--team", help="Reset only this team's data, by its id.")
@LENIENT
@on_world(destructive=True, undoable=True)
def reset(world: ControlPlane, scenario: str | None, team: str | None, lenient: str | None) -> None:
    """Go back to the start: data, clock, faults, requests."""
    world.plane("POST", "/reset", {"scenario": scenario} if scenario else {}, query={"team": team, "lenient": lenient})
    print_done("Reset.")


@click.command()
@on_world(destructive=True)
def undo(world: ControlPlane) -> None:
    """Undo the last reset, import, restore of a snapshot or revocation of a key. A second undo takes the first back.

    It goes back for all teams. To go back further, restore one of the snapshots that `dryline snapshots --undo` lists.
    """
    snapshot = world.plane("POST", "/undo")
    print_done(f"The state is again that of {snapshot['createdAt']}, {snapshot['name']}.")
