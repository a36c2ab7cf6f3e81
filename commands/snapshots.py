"""`dryline snapshots`."""

from urllib.parse import quote

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.groups import DefaultGroup
from dryline.commands.output import AS_JSON, print_done, print_rows
from dryline.commands.removed import add_removed_command


@click.group(cls=DefaultGroup, default="list")
def snapshots() -> None:
    """List, take, restore and remove snapshots."""


@snapshots.command("list")
@AS_JSON
@click.option("--undo", is_flag=True, help="List those from before resets and other commands instead.")
@on_world()
def list_snapshots(world: ControlPlane, as_json: bool, undo: bool) -> None:
    """List the snapshots, newest first."""
    rows = world.plane("GET", "/undo")["snapshots"] if undo else world.plane("GET", "/snapshots")
    print_rows(rows, as_json, lambda row: [f"{row['createdAt']}  {row['name']}"], "No snapshots.")


@snapshots.command("take")
@click.argument("name")
@on_world()
def take_snapshot(world: ControlPlane, name: str) -> None:
    """Store the state as NAME. A snapshot of the same name is replaced."""
    world.plane("POST", "/snapshots", {"name": name})
    print_done(f"Took {name}.")


@snapshots.command("restore")
@click.argument("name")
@on_world(destructive=True, undoable=True)
def restore_snapshot(world: ControlPlane, name: str) -> None:
    """Go back to the snapshot NAME."""
    world.plane("POST", f"{_plane_path(name)}/restore", query={"undo": "true"})
    print_done(f"Restored {name}.")


@snapshots.command("remove")
@click.argument("name")
@on_world(destructive=True)
def remove_snapshot(world: ControlPlane, name: str) -> None:
    """Remove the snapshot NAME."""
    world.plane("DELETE", _plane_path(name))
    print_done(f"Removed {name}.")


def _plane_path(name: str) -> str:
    return f"/snapshots/{quote(name, safe='')}"


add_removed_command(snapshots, "save", "take a snapshot, and copy its folder out of DATA-DIR/snapshots.")
add_removed_command(snapshots, "load", "copy the folder of a snapshot into DATA-DIR/snapshots, and restore it.")
