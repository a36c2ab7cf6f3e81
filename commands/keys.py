"""`dryline keys`."""

import json
from collections.abc import Iterator
from typing import Any

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.output import AS_JSON, print_done, print_rows


@click.group()
def keys() -> None:
    """List, create and revoke API keys."""


@keys.command("list")
@AS_JSON
@on_world()
def list_keys(world: ControlPlane, as_json: bool) -> None:
    """List the teams and their keys. The keys themselves are not stored and cannot be shown."""
    print_rows(world.plane("GET", "/teams"), as_json, _team_lines, "No team.")


def _team_lines(team: dict[str, Any]) -> Iterator[str]:
    yield f"{team['id']}  {team['name']}"
    for key in team["apiKeys"]:
        yield f"  {key['id']}  {key['name'] or '(no name)'}  created {key['createdAt']}"


@keys.command("create")
@click.option("--team", help="Id of the team. Default: the first team.")
@click.option("--name", help="Name that says what the key is for.")
@click.option("--copy", "sha256", metavar="SHA256", help="Make a key of another server work here, by its SHA-256.")
@on_world()
def create_key(world: ControlPlane, team: str | None, name: str | None, sha256: str | None) -> None:
    """Create a key and print it. It cannot be shown again."""
    team = team or world.plane("GET", "/teams")[0]["id"]
    body = {member: value for member, value in (("name", name), ("sha256", sha256)) if value}
    click.echo(json.dumps(world.plane("POST", f"/teams/{team}/keys", body), indent=2))


@keys.command("revoke")
@click.argument("key_id")
@on_world(destructive=True, undoable=True)
def revoke_key(world: ControlPlane, key_id: str) -> None:
    """Revoke the key with this id."""
    for team in world.plane("GET", "/teams"):
        if any(key["id"] == key_id for key in team["apiKeys"]):
            world.plane("DELETE", f"/teams/{team['id']}/keys/{key_id}", query={"undo": "true"})
            print_done(f"Revoked {key_id}.")
            return
    raise click.ClickException(f"No key has the id {key_id}. `dryline keys list` lists the keys.")
