"""`dryline requests`."""

import json
from collections.abc import Mapping
from time import sleep
from typing import Any

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.output import AS_JSON, print_done
from dryline.world.origins import ALL, ORIGINS

_EVERY_S = 0.2  # between two looks at the log
_MOST = 10_000


@click.command()
@click.option("--method", help="Show only requests with this method.")
@click.option("--path", help="Show only requests with this path; {id} matches one segment, * any text.")
@click.option("--status", type=int, help="Show only requests with this status.")
@click.option("--origin", type=click.Choice([*ORIGINS, ALL]), help="Show only requests of this origin.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="Show the newest N.")
@click.option("--follow", is_flag=True, help="Show new requests as they come, until Ctrl-C.")
@AS_JSON
@on_world()
def requests(world: ControlPlane, limit: int, follow: bool, as_json: bool, **criteria: Any) -> None:
    """Show the requests that the server answered, the newest last."""
    from dryline.testing.plane import NoReply  # noqa: PLC0415  # 21 ms

    if follow and not world.url:
        raise click.ClickException(
            "No server uses this data directory, so there are no new requests to follow. `dryline serve` starts one."
        )
    entries = world.plane("GET", "/requests", query={"limit": limit, **criteria})[::-1]
    if follow:
        entries = _without_unanswered(entries)
    _print_requests(entries, as_json)
    if not (entries or follow or as_json):
        print_done("No requests.")
    if follow:
        newest = max((entry["number"] for entry in entries), default=0)
        try:
            _follow(world, newest, as_json, criteria)
        except KeyboardInterrupt:
            pass
        except NoReply:
            raise click.ClickException(f"The server at {world.url} has ended.") from None


def _follow(world: ControlPlane, newest: int, as_json: bool, criteria: Mapping[str, Any]) -> None:
    """Print the requests behind number `newest` as they come. Raises NoReply when the server has ended."""
    while True:
        sleep(_EVERY_S)
        query = {"after": newest, "limit": _MOST, **criteria}
        entries = _without_unanswered(world.plane("GET", "/requests", query=query)[::-1])
        _print_requests(entries, as_json)
        newest = max((entry["number"] for entry in entries), default=newest)


def _without_unanswered(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in entries if not entry["inProgress"]]


def _print_requests(entries: Any, as_json: bool) -> None:
    from dryline.testing.journal import format_request  # noqa: PLC0415  # 21 ms

    for entry in entries:
        line = json.dumps(entry) if as_json else format_request(entry)
        # Characters that are not printable could change the terminal.
        printable = [character if character.isprintable() else "�" for character in line]
        click.echo("".join(printable))
