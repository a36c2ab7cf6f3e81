"""`dryline snapshots`."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import click

from dryline.commands.client import DefaultGroup, Plane, on_own_world, on_world, read
from dryline.commands.output import AS_JSON, show_all
from dryline.settings import Settings

TIMEOUT_S = 600  # the other server may be busy with a large copy, and says nothing meanwhile
# What a save point that is only made to be sent is called.
_PASSING = "dryline snapshot"


class Server:
    """The control plane of a running server."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url, self.token = url.rstrip("/"), token

    def __call__(
        self, method: str, path: str, body: Any = None, *, file: IO[bytes] | None = None, into: IO[bytes] | None = None
    ) -> Any:
        """The answer's JSON; the body is JSON or a file. Raises Refused, and ClickException where there is none."""
        headers = {"x-dryline-token": self.token or "", "Content-Type": "application/json"}
        data: Any = None if body is None else json.dumps(body).encode()
        if file is not None:
            headers |= {"Content-Type": "application/gzip", "Content-Length": str(_size(file))}
            data = file
        answer = _send(method, f"{self.url}/_dryline{path}", headers=headers, body=data, into=into)
        return read(self.url, answer.status, answer.body, of_several=True)


def _send(method: str, url: str, **sent: Any) -> Any:
    from dryline.world.outgoing import Unanswered, send

    try:
        return send(method, url, timeout_s=TIMEOUT_S, **sent)
    except Unanswered as error:
        raise click.ClickException(f"{url.partition('?')[0]}: {error}") from None


def _size(file: IO[bytes]) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size


@click.group(cls=DefaultGroup, default="list")
def snapshots() -> None:
    """List, take, restore and remove save points; save and load them as files."""


@snapshots.command("list")
@AS_JSON
@on_world
def snapshots_list(plane: Plane, as_json: bool) -> None:
    """List the save points, newest first."""
    show_all(plane("GET", "/snapshots"), as_json, lambda one: [f"{one['createdAt']}  {one['name']}"])


@snapshots.command("take")
@click.argument("name")
@on_world
def snapshots_take(plane: Plane, name: str) -> None:
    """Keep the world under NAME; the same name again replaces it."""
    plane("POST", "/snapshots", {"name": name})


@snapshots.command("restore")
@click.argument("name")
@on_own_world
def snapshots_restore(plane: Plane, name: str) -> None:
    """Go back to the save point NAME."""
    plane("POST", f"/snapshots/{quote(name, safe='')}/restore")


@snapshots.command("remove")
@click.argument("name")
@on_own_world
def snapshots_remove(plane: Plane, name: str) -> None:
    """Drop the save point NAME."""
    plane("DELETE", f"/snapshots/{quote(name, safe='')}")


_TEAM = click.option("--team", "team_id", help="This team's part alone, by its id.")


@snapshots.command()
@click.argument("file", metavar="FILE")
@_TEAM
@on_world
def save(plane: Plane, file: str, team_id: str | None) -> None:
    """Save the world, or one team's part of it, into FILE, or by PUT to an address, such as one that S3 has signed."""
    with _server(plane) as server, _written(file) as content:
        query = f"?team={quote(team_id, safe='')}" if team_id else ""
        server("POST", f"/snapshots{query}", {"name": _PASSING})
        try:
            server("GET", f"/snapshots/{quote(_PASSING)}/file{query}", into=content)
        finally:
            server("DELETE", f"/snapshots/{quote(_PASSING)}{query}")


@snapshots.command()
@click.argument("file", metavar="FILE")
@_TEAM
@on_own_world
def load(plane: Plane, file: str, team_id: str | None) -> None:
    """Put what is in FILE, or at an address, in the place of the world, or of one team's part of it.

    A file of an older dryline is brought up to date, one of a newer is refused.
    """
    with _read(file) as content, _server(plane) as server:
        query = f"?team={quote(team_id, safe='')}" if team_id else ""
        server("PUT", f"/snapshots/{quote(_PASSING)}/file{query}", file=content)
        try:
            server("POST", f"/snapshots/{quote(_PASSING)}/restore{query}")
        finally:
            server("DELETE", f"/snapshots/{quote(_PASSING)}{query}")


@contextlib.contextmanager
def _server(plane: Plane) -> Iterator[Server]:
    """The server that is meant. A world that nobody serves is served for as long as the block takes, to this alone."""
    from dryline.serving.server import bind, served

    if plane.app is None:
        yield Server(plane.url, plane.token)
        return
    with bind(Settings(port=0)) as listening, served(plane.app, listening) as running:
        yield Server(running.url, plane.token)


def _is_address(file: str) -> bool:
    return file.startswith(("http://", "https://"))


@contextlib.contextmanager
def _written(file: str) -> Iterator[IO[bytes]]:
    """Where to write: once the block is through, all of it is where it was to go."""
    from dryline.storage.files import part_of

    if _is_address(file):
        with tempfile.TemporaryFile() as content:
            yield content
            headers = {"Content-Length": str(_size(content))}
            answer = _send("PUT", file, headers=headers, body=content)
            if answer.status >= 300:
                raise click.ClickException(f"{file.partition('?')[0]} answered {answer.status}.")
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
def _read(file: str) -> Iterator[IO[bytes]]:
    if not _is_address(file):
        try:
            content: IO[bytes] = Path(file).open("rb")  # noqa: SIM115  # closed below
        except OSError as error:
            raise click.FileError(file, error.strerror) from None
        with content:
            yield content
        return
    with tempfile.TemporaryFile() as content:
        answer = _send("GET", file, into=content)
        if answer.status >= 300:
            raise click.ClickException(f"{file.partition('?')[0]} answered {answer.status}.")
        yield content
