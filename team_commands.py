"""`dryline team move`, and `save` and `load` of `dryline snapshots`: what goes from one server to another."""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import click

from dryline.control_client import Plane, Refused, on_own_world, on_world, read
from dryline.settings import Settings

TIMEOUT_S = 600  # the other server may be busy with a large copy, and says nothing meanwhile
ASK_EVERY_S = 60.0  # while a copy is under way, which is held for five minutes
MOST_TRIES = 5  # a team that changed while it was copied is copied again
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


# Teams


@click.group()
def team() -> None:
    """Bring teams from one server to another."""


def _token(flag: str, name: str) -> Callable[[Any], Any]:
    variables = [f"DRYLINE_{name.upper()}_TOKEN", "DRYLINE_ADMIN_TOKEN"]
    return click.option(flag, f"{name}_token", envvar=variables, show_envvar=True, help="Its admin token.")


@team.command()
@click.argument("team_id", metavar="TEAM")
@click.option("--from", "source", required=True, metavar="URL", help="The server that has it.")
@click.option("--to", "target", required=True, metavar="URL", help="The server that is to have it.")
@_token("--from-token", "from")
@_token("--to-token", "to")
def move(team_id: str, source: str, target: str, from_token: str | None, to_token: str | None) -> None:
    """Move a team, with its keys, export files and uploads, to another server.

    Its reads go on meanwhile; its writes are answered 503 with Retry-After. Its keys go on working: the old server
    sends their requests on. Killed or broken off, nothing is lost: the same command goes on, or starts over.
    """
    Move(team_id, Server(source, from_token), Server(target, to_token)).run()


class Move:
    """One team's way. Each step asks the servers how far they are, and not what an earlier run has done."""

    def __init__(self, team_id: str, source: Server, target: Server) -> None:
        self.team_id, self.source, self.target = team_id, source, target
        self.path = f"/moves/{quote(team_id, safe='')}"

    def run(self) -> None:
        """All of it. Raises ClickException with what stands in the way; the team is whole on one side then."""
        left, there = self.source("GET", self.path), self.target("GET", self.path)
        if left["here"] or left["gone"] is None:
            move_id = self._hand_over()
        else:
            move_id = left["gone"]
            if not left["kept"] and there["arrived"] == move_id:
                click.echo(f"{self.team_id} has moved to {left['address']} already.")
                return
            click.echo("going on from where the team was handed over", err=True)
        self._take(move_id)
        self.source("DELETE", self.path)
        left = self.source("GET", self.path)
        click.echo(f"{self.team_id} has moved to {left['address']}.")

    def _hand_over(self) -> str:
        """Hold, copy, check and hand over. Until the last of these, what goes wrong leaves the team where it was."""
        self._demand_like_clocks()
        for tries_left in reversed(range(MOST_TRIES)):
            try:
                copied = self.source("POST", self.path)
                arrived = self._bring(copied["move"])
                same = all(copied[name] == arrived[name] for name in ("digest", "rows"))
                if not same:
                    raise click.ClickException(f"{self.target.url} has not got what {self.source.url} has sent.")
                told = {"move": copied["move"], **{name: arrived[name] for name in ("digest", "address", "node")}}
                self.source("POST", f"{self.path}/hand-over", told)
                rows = sum(copied["rows"].values())
                click.echo(f"{rows} rows, digest {copied['digest'][:12]}, are the same on both sides", err=True)
                return copied["move"]
            except BaseException as error:
                self._let_go()
                changed = isinstance(error, Refused) and error.status == 409 and "has changed" in error.message
                if not changed or not tries_left:
                    raise
                click.echo("the team changed while it was copied: once more", err=True)
                time.sleep(0.2)
        raise AssertionError

    def _demand_like_clocks(self) -> None:
        """What is due goes by the clock of its server: between two that differ it would be done too early, or late."""
        from dryline.world.clock import parse

        # The team may have a time of its own; it does not come along.
        asked = ((self.source, f"/clock?team={quote(self.team_id, safe='')}"), (self.target, "/clock"))
        clocks = [parse(server("GET", path)["now"]) for server, path in asked]
        if abs((clocks[0] - clocks[1]).total_seconds()) > TIMEOUT_S:
            raise click.ClickException("The clocks of the two servers differ: set them alike first (/_dryline/clock).")

    def _bring(self, move_id: str) -> Any:
        with tempfile.TemporaryFile() as file, self._going_on():
            self.source("GET", f"{self.path}/file", into=file)
            return self.target("PUT", f"{self.path}/file?move={quote(move_id, safe='')}", file=file)

    @contextlib.contextmanager
    def _going_on(self) -> Iterator[None]:
        """Ask the source now and then: it holds the team for as long as somebody does."""
        ending = threading.Event()

        def ask() -> None:
            while not ending.wait(ASK_EVERY_S):
                with contextlib.suppress(click.ClickException):
                    self.source("GET", self.path)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        try:
            yield
        finally:
            ending.set()
            asking.join()

    def _let_go(self) -> None:
        """Before the hand-over: the source may go on at once. What cannot be told ends by itself."""
        with contextlib.suppress(click.ClickException):
            if self.source("GET", self.path)["gone"] is None:
                self.source("DELETE", self.path)
                self.target("DELETE", self.path)

    def _take(self, move_id: str) -> None:
        """After it: the target makes its copy live, or, where it cannot, the source takes the team back."""
        try:
            try:
                self.target("POST", f"{self.path}/take", {"move": move_id})
            except Refused as error:
                if error.status != 404:  # the target lost its copy; the source has one
                    raise
                self._bring(move_id)
                self.target("POST", f"{self.path}/take", {"move": move_id})
        except Refused as error:
            if error.status == 409:
                self.target("DELETE", self.path)
                self.source("POST", f"{self.path}/take-back")
            raise


# Save points


_TEAM = click.option("--team", "team_id", help="This team's part alone, by its id.")


@click.command()
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


@click.command()
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


COMMANDS = (team,)
