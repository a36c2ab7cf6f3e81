"""`dryline snapshots`."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

import click

from dryline.commands.client import on_world
from dryline.commands.groups import DefaultGroup
from dryline.commands.output import AS_JSON, print_done, print_rows

if TYPE_CHECKING:
    from dryline.testing.plane import ControlPlane, PlaneReply

_TEAM = click.option("--team", help="Only this team's data, by its id.")


@click.group(cls=DefaultGroup, default="list")
def snapshots() -> None:
    """List, take, restore and remove snapshots; save them to files and load them."""


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


@snapshots.command("save")
@click.argument("file", metavar="FILE")
@_TEAM
@on_world()
def save_snapshot(world: ControlPlane, file: str, team: str | None) -> None:
    """Save the state to FILE, or by PUT to an address, such as a presigned one of S3."""
    with _temporary_name(world, team) as name, _output(file) as content:
        world.plane("POST", "/snapshots", {"name": name}, query={"team": team})
        world.plane("GET", f"{_plane_path(name)}/file", query={"team": team}, into=content)
    print_done(f"Saved {file.partition('?')[0]}.")


@snapshots.command("load")
@click.argument("file", metavar="FILE")
@_TEAM
@on_world(destructive=True)
def load_snapshot(world: ControlPlane, file: str, team: str | None) -> None:
    """Replace the state by the content of FILE, or of an address.

    A file of an older version is brought up to date; a file of a newer one is refused.
    """
    with _input(file) as content, _temporary_name(world, team) as name:
        path, query = f"{_plane_path(name)}/file", {"team": team}
        world.plane("PUT", path, query=query, content=content, content_type="application/gzip")
        world.plane("POST", f"{_plane_path(name)}/restore", query=query)
    print_done(f"Loaded {file.partition('?')[0]}.")


def _plane_path(name: str) -> str:
    return f"/snapshots/{quote(name, safe='')}"


@contextlib.contextmanager
def _temporary_name(world: ControlPlane, team: str | None) -> Iterator[str]:
    """Yield the name for a snapshot that is removed after the block, if the block made it."""
    from uuid import uuid4

    from dryline.testing.plane import DrylineError

    name = f"dryline {uuid4()}"
    try:
        yield name
    finally:
        with contextlib.suppress(DrylineError):
            world.plane("DELETE", _plane_path(name), query={"team": team})


@contextlib.contextmanager
def _output(file: str) -> Iterator[IO[bytes]]:
    """Yield a file for the content. After the block, the content is complete at `file`, a path or an address."""
    from dryline.storage.files import part_of

    if _is_address(file):
        with tempfile.TemporaryFile() as content:
            yield content
            _send_to_address("PUT", file, content)
        return
    path = Path(file)
    part = part_of(path)
    try:
        with part.open("wb") as content:
            yield content
        part.replace(path)
    except OSError as error:
        raise click.FileError(file, error.strerror) from None
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def _input(file: str) -> Iterator[IO[bytes]]:
    """Yield the content of `file`, a path or an address."""
    if _is_address(file):
        with tempfile.TemporaryFile() as downloaded:
            _send_to_address("GET", file, into=downloaded)
            yield downloaded
        return
    try:
        content = Path(file).open("rb")  # noqa: SIM115  # closed below
    except OSError as error:
        raise click.FileError(file, error.strerror) from None
    with content:
        yield content


def _is_address(file: str) -> bool:
    return file.startswith(("http://", "https://"))


def _send_to_address(
    method: str, address: str, content: IO[bytes] | None = None, into: IO[bytes] | None = None
) -> PlaneReply:
    from dryline.testing.plane import send

    reply = send(method, address, {}, content, into)
    if reply.status >= 300:
        raise click.ClickException(f"{address.partition('?')[0]} answered {reply.status}.")
    return reply
