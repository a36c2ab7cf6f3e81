"""The commands that work on a world: what the control plane does, from a shell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from dryline.commands.client import DefaultGroup, Plane, on_own_world, on_world

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


AS_JSON = click.option("--json", "as_json", is_flag=True, help="As JSON.")


class Duration(click.ParamType):
    """`90`, `90s`, `5m`, `2h` or `1d`, as seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", str(value))
        if found is None:
            self.fail(f"{value!r} is not like 90s, 5m, 2h or 1d.", param, ctx)
        return float(found[1]) * _UNITS[found[2]]


def show_all(found: Iterable[dict[str, Any]], as_json: bool, told: Callable[[dict[str, Any]], Iterable[str]]) -> None:
    """Show what was found, in lines for a person or as JSON."""
    if as_json:
        show(found)
        return
    for one in found:
        for line in told(one):
            click.echo(line)


def query_of(**values: Any) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def show(document: Any) -> None:
    click.echo(json.dumps(document, indent=2))


def write_file(file: Path, content: bytes) -> None:
    """Write a file that a command was told of, whole or not at all. Raises click.FileError."""
    from dryline.storage.files import write_whole

    try:
        write_whole(file, content)
    except OSError as error:
        raise click.FileError(str(file), error.strerror) from None


# State


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


# Time


@click.group(cls=DefaultGroup, default="show")
def clock() -> None:
    """Read, set, freeze and advance API time."""


@clock.command("show")
@on_world
def clock_show(plane: Plane) -> None:
    """Show the time there."""
    _tell_time(plane("GET", "/clock"))


@clock.command("advance")
@click.argument("duration", type=Duration())
@on_world
def clock_advance(plane: Plane, duration: float) -> None:
    """Move forward by DURATION, such as 90s, 5m, 2h or 1d."""
    _tell_time(plane("POST", "/clock/advance", {"seconds": duration}))


@clock.command("set")
@click.argument("moment")
@on_world
def clock_set(plane: Plane, moment: str) -> None:
    """Go to MOMENT (2030-01-01T09:00:00Z), frozen or not as it is."""
    _tell_time(plane("PUT", "/clock", {"now": moment}))


@clock.command("freeze")
@click.argument("moment", required=False)
@on_world
def clock_freeze(plane: Plane, moment: str | None) -> None:
    """Let time stand still, now or at MOMENT."""
    _tell_time(plane("PUT", "/clock", {"frozen": True} | ({"now": moment} if moment else {})))


@clock.command("run")
@on_world
def clock_run(plane: Plane) -> None:
    """Let time go on from where it is."""
    _tell_time(plane("PUT", "/clock", {"frozen": False}))


@clock.command("reset")
@on_world
def clock_reset(plane: Plane) -> None:
    """Go back to real time."""
    _tell_time(plane("DELETE", "/clock"))


def _tell_time(answer: dict[str, Any]) -> None:
    click.echo(answer["now"] + ("  frozen" if answer["frozen"] else ""))


# Keys


@click.group()
def keys() -> None:
    """Show, make and revoke API keys."""


@keys.command("list")
@on_world
def keys_list(plane: Plane) -> None:
    """List teams and their keys (never in clear)."""
    show(plane("GET", "/teams"))


@keys.command("create")
@click.option("--team", help="Id of the team; the first one by default.")
@click.option("--name", help="What the key is for.")
@click.option("--copy", "sha256", metavar="SHA256", help="A key that another server knows.")
@on_world
def keys_create(plane: Plane, team: str | None, name: str | None, sha256: str | None) -> None:
    """Make a key and show it, this once."""
    team = team or plane("GET", "/teams")[0]["id"]
    body = {name: value for name, value in (("name", name), ("sha256", sha256)) if value}
    show(plane("POST", f"/teams/{team}/keys", body))


@keys.command("revoke")
@click.argument("key_id")
@on_own_world
def keys_revoke(plane: Plane, key_id: str) -> None:
    """Revoke the key of this id."""
    for team in plane("GET", "/teams"):
        if any(key["id"] == key_id for key in team["apiKeys"]):
            plane("DELETE", f"/teams/{team['id']}/keys/{key_id}")
            return
    raise click.ClickException(f"No key {key_id}.")


# Who is there, and what they say


@click.command()
@click.option("--team", help="Only this team's, by its id.")
@AS_JSON
@on_world
def workers(plane: Plane, team: str | None, as_json: bool) -> None:
    """List the workers with their flows and deployments."""

    def told(worker: dict[str, Any]) -> Iterable[str]:
        yield f"{worker['id']}  {worker['name']}"
        for flow in worker["flows"]:
            yield f"  {flow['id']}  flow  {flow['name']}"
        for one in worker["deployments"]:
            yield f"  {one['id']}  {one['type']}  {one['name']}" + (
                f"  {one['phoneNumber']}" * bool(one["phoneNumber"])
            )

    show_all(plane("GET", "/workers" + query_of(team=team)), as_json, told)


@click.command()
@click.option("--worker", "worker_id", help="Id of the worker; by default the oldest with such a deployment.")
@click.option("--deployment", "deployment_id", help="Id of its deployment; by default its oldest.")
@click.option("--count", default=1, show_default=True, help="How many, 1 to 10000.")
@click.option("--outcome", help="completed, transferred, voicemail, no-answer, busy or failed; a mixture by default.")
@click.option("--customer-number", help="Of the other side, in E.164; some say the outcome.")
@click.option("--in-progress", is_flag=True, default=None, help="Calls that begin now and go on by the clock.")
@click.option("--seed", type=int, help="The same calls for the same seed.")
@click.option("--follow", type=click.Choice(["flow", "script"]), help="By default the flow where it runs.")
@click.option("--branch", multiple=True, help="A condition of the flow to take; given again, the next one.")
@click.option("--chats", is_flag=True, help="Chats instead of calls.")
@on_world
def simulate(plane: Plane, chats: bool, **values: Any) -> None:
    """Make believable calls or chats; prints their ids."""
    from dryline.schemas.base import camel

    if values["worker_id"] is None or values["deployment_id"] is None:
        values |= _deployment(plane, chats, values["worker_id"], values["deployment_id"])
    body = {camel(name): value for name, value in values.items() if value not in (None, ())}
    for id in plane("POST", "/simulate/chats" if chats else "/simulate/calls", body)["ids"]:
        click.echo(id)


def _deployment(plane: Plane, chats: bool, worker_id: str | None, deployment_id: str | None) -> dict[str, str]:
    """The oldest deployment that fits, with its worker. Raises click.ClickException where there is none."""
    types = ("Chat", "ChatEmbed") if chats else ("Voice", "VoiceV1")
    for worker in plane("GET", "/workers"):
        for one in worker["deployments"]:
            if one["type"] in types and worker_id in (None, worker["id"]) and deployment_id in (None, one["id"]):
                click.echo(f"By {worker['name']}, {one['name']}.", err=True)
                return {"worker_id": worker["id"], "deployment_id": one["id"]}
    kind = "chat" if chats else "voice"
    raise click.ClickException(f"There is no such {kind} deployment: dryline workers lists those there are.")


COMMANDS = (state, snapshots, reset, clock, workers, simulate, keys)
