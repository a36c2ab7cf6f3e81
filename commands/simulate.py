"""`dryline workers` and `dryline simulate`."""

from collections.abc import Iterator
from typing import Any

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.output import AS_JSON, print_rows
from dryline.world.wording import camel


@click.command()
@click.option("--team", help="List only this team's workers, by its id.")
@AS_JSON
@on_world()
def workers(world: ControlPlane, team: str | None, as_json: bool) -> None:
    """List the workers with their flows and deployments."""
    print_rows(world.plane("GET", "/workers", query={"team": team}), as_json, _worker_lines, "No workers.")


def _worker_lines(worker: dict[str, Any]) -> Iterator[str]:
    yield f"{worker['id']}  {worker['name']}"
    for flow in worker["flows"]:
        yield f"  {flow['id']}  flow  {flow['name']}"
    for deployment in worker["deployments"]:
        number = f"  {deployment['phoneNumber']}" if deployment["phoneNumber"] else ""
        yield f"  {deployment['id']}  {deployment['type']}  {deployment['name']}{number}"


@click.command()
@click.option("--worker", "worker_id", help="Id of the worker. Default: the oldest with such a deployment.")
@click.option("--deployment", "deployment_id", help="Id of its deployment. Default: its oldest.")
@click.option("--count", default=1, show_default=True, help="Number of calls, 1 to 10000.")
@click.option("--outcome", help="completed, transferred, voicemail, no-answer, busy or failed. Default: a mixture.")
@click.option("--customer-number", help="The customer's number (E.164). Some numbers decide the outcome.")
@click.option("--in-progress", is_flag=True, default=None, help="Start the calls now; they go on with the clock.")
@click.option("--seed", type=int, help="Make the same calls for the same seed.")
@click.option("--follow", type=click.Choice(["flow", "script"]), help="Default: the flow, if it can run.")
@click.option("--branch", multiple=True, help="Condition of the flow to reach; repeat it for the next one.")
@click.option("--chats", is_flag=True, help="Make chats instead of calls.")
@on_world()
def simulate(world: ControlPlane, chats: bool, **values: Any) -> None:
    """Make believable calls or chats and print their ids.

    Ends with 1 if the flow's code led one elsewhere than --branch or --outcome wanted; it is kept.
    """
    from dryline.testing.conversations import not_taken_sentence  # noqa: PLC0415  # 21 ms

    if values["worker_id"] is None or values["deployment_id"] is None:
        values |= _find_deployment(world, chats, values["worker_id"], values["deployment_id"])
    body = {camel(name): value for name, value in values.items() if value not in (None, ())}
    answer = world.plane("POST", "/simulate/chats" if chats else "/simulate/calls", body)
    for id in answer["ids"]:
        click.echo(id)
    if not_taken := answer.get("notTaken"):
        raise click.ClickException(not_taken_sentence(not_taken))


def _find_deployment(
    world: ControlPlane, chats: bool, worker_id: str | None, deployment_id: str | None
) -> dict[str, str]:
    """Return the ids of the oldest deployment that fits and of its worker. Raises click.ClickException."""
    types = ("Chat", "ChatEmbed") if chats else ("Voice", "VoiceV1")
    for worker in world.plane("GET", "/workers"):
        for deployment in worker["deployments"]:
            fits = worker_id in (None, worker["id"]) and deployment_id in (None, deployment["id"])
            if deployment["type"] in types and fits:
                click.echo(f"With {worker['name']}, {deployment['name']}.", err=True)
                return {"worker_id": worker["id"], "deployment_id": deployment["id"]}
    kind = "chat" if chats else "voice"
    raise click.ClickException(f"There is no such {kind} deployment. `dryline workers` lists the deployments.")
