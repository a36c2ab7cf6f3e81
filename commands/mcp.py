"""`dryline mcp`."""

from pathlib import Path

import click

from dryline.commands.client import YES, open_world, world_options


@click.command()
@YES
@world_options
def mcp(url: str | None, data_dir: Path | None, admin_token: str | None, yes: bool) -> None:
    """Give a coding assistant tools on a server (Model Context Protocol)."""
    try:
        from dryline.commands.mcp_server import McpServer  # noqa: PLC0415  # an optional package
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is not installed. Install the extra: dryline[mcp].") from None
    from dryline.testing import connect  # noqa: PLC0415  # 30 ms

    with open_world(url, data_dir, admin_token, destructive=True, yes=yes) as world:
        if not world.url:
            raise click.ClickException("No server uses this data directory. Start one with `dryline serve`.")
        McpServer(connect(world.url, admin_token)).run("stdio")
