"""`dryline wait`."""

import time

import click

from dryline.commands.client import USUAL_URL, answers
from dryline.settings import BadSetting
from dryline.world.real_time import monotonic

EVERY_S = 0.05


@click.command()
@click.argument("url", default=USUAL_URL)
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(0), default=60.0, show_default=True, help="Longest wait in seconds."
)
def wait(url: str, timeout_s: float) -> None:
    """Wait until the server at URL answers (default: http://127.0.0.1:4010). Exit code 1 if it does not."""
    from dryline.testing.plane import DrylineError, require_url

    try:
        require_url(url)
    except DrylineError as error:
        raise BadSetting(f"URL: {error}") from None
    deadline = monotonic() + timeout_s
    while not answers(url.rstrip("/")):
        if monotonic() >= deadline:
            raise click.ClickException(f"No dryline answers at {url} after {timeout_s:g} s.")
        time.sleep(EVERY_S)
    click.echo(f"dryline answers at {url}.")
