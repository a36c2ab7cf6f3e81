"""`dryline wait`."""

import time
from pathlib import Path

import click

from dryline.commands.client import find_servers, is_answering, require_base_url
from dryline.settings import Settings
from dryline.world.real_time import monotonic


@click.command()
@click.argument("url", required=False, callback=require_base_url)
@click.option("--any", "is_any", is_flag=True, help="Without a URL: or a temporary server (--ephemeral) of this user.")
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(0), default=60.0, show_default=True, help="Longest wait in seconds."
)
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Settings.data_dir,
    envvar="DRYLINE_DATA_DIR",
    show_default=True,
    show_envvar=True,
    help="Without a URL: the data directory whose server is meant.",
)
def wait(url: str | None, timeout_s: float, data_dir: Path, is_any: bool) -> None:
    """Wait until the server at URL answers. Exit code 1 if it does not.

    Without a URL it is the server of the data directory, at the address that it wrote there. If no server uses the
    directory, it is the one at http://127.0.0.1:4010.
    """
    deadline = monotonic() + timeout_s
    while True:
        addresses = [url.rstrip("/")] if url else find_servers(data_dir, with_temporary=is_any)
        for address in addresses:
            if is_answering(address):
                click.echo(f"dryline answers at {address}.")
                return
        if monotonic() >= deadline:
            raise click.ClickException(f"No dryline answers at {' or '.join(addresses)} after {timeout_s:g} s.")
        time.sleep(0.05)
