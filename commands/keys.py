"""`dryline keys`."""

from __future__ import annotations

import click

from dryline.commands.client import Plane, on_own_world, on_world
from dryline.commands.output import show


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
