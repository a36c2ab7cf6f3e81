"""`dryline requests`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from dryline.commands.client import on_world
from dryline.commands.output import AS_JSON, print_done

if TYPE_CHECKING:
    from dryline.testing.plane import ControlPlane

_WAIT_MS = 30_000  # for the next request, in one call of the control plane
_MOST = 10_000


@click.command()
@click.option("--method", help="Show only requests with this method.")
@click.option("--path", help="Show only requests with this path; * matches any text.")
@click.option("--status", type=int, help="Show only requests with this status.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="Show the newest N.")
@click.option("--follow", is_flag=True, help="Show new requests as they come, until Ctrl-C.")
@AS_JSON
@on_world()
def requests(world: ControlPlane, limit: int, follow: bool, as_json: bool, **criteria: Any) -> None:
    """Show the requests that the server answered, the newest last."""
    from dryline.testing.plane import NoReply

    if follow and not world.url:
        raise click.ClickException(
            "No server uses this data directory, so there are no new requests to follow. `dryline serve` starts one."
        )
    entries = world.plane("GET", "/requests", query={"limit": limit, **criteria})[::-1]
    if follow:
        entries = _answered(entries)
    _print_requests(entries, as_json)
    if not (entries or follow or as_json):
        print_done("No requests.")
    newest = max((entry["number"] for entry in _answered(entries)), default=0)
    try:
        while follow:
            newest = _print_next(world, newest, as_json, criteria)
    except KeyboardInterrupt:
        pass
    except NoReply:
        raise click.ClickException(f"The server at {world.url} has ended.") from None


def _print_next(world: ControlPlane, newest: int, as_json: bool, criteria: dict[str, Any]) -> int:
    """Wait for requests after number `newest` and print them; return the number of the last one."""
    from dryline.testing.plane import DrylineError

    body = {name: value for name, value in criteria.items() if value is not None}
    try:
        world.plane("POST", "/requests/wait", {**body, "after": newest, "timeoutMs": _WAIT_MS})
    except DrylineError as error:
        if "nearest" in error.answer:  # none came within the time
            return newest
        raise
    entries = _answered(world.plane("GET", "/requests", query={"after": newest, "limit": _MOST, **criteria})[::-1])
    _print_requests(entries, as_json)
    return entries[-1]["number"] if entries else newest


def _answered(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in entries if not entry["inProgress"]]


def _print_requests(entries: Any, as_json: bool) -> None:
    from dryline.testing.journal import request_and_answer

    for entry in entries:
        line = json.dumps(entry) if as_json else request_and_answer(entry)
        click.echo("".join(each if each.isprintable() else "�" for each in line))  # others could change the terminal
