"""`dryline mcp`."""

from __future__ import annotations

import click

from dryline.commands.client import Plane, on_own_world


@click.command()
@on_own_world
def mcp(plane: Plane) -> None:
    """Give a coding assistant tools on a server (MCP)."""
    try:
        from dryline.commands.mcp_server import Server
    except ModuleNotFoundError as missing:
        raise click.ClickException(f"It needs {missing.name}: install dryline with its extra, dryline[mcp].") from None
    from dryline.testing import DrylineError, connect

    if plane.app is not None:
        raise click.UsageError("Nobody serves this world: start it with dryline serve.")
    try:
        Server(connect(plane.url, plane.token)).run("stdio")
    except DrylineError as error:
        raise click.ClickException(str(error)) from None
