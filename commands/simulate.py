"""`dryline workers` and `dryline simulate`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from dryline.commands.client import Plane, on_world
from dryline.commands.output import AS_JSON, query_of, show_all


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
