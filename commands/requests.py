"""`dryline requests`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from dryline.commands.client import NoAnswer, Plane, Refused, on_world
from dryline.commands.output import AS_JSON, query_of, write_file

# How long one question for news waits, while they are followed, in milliseconds.
_FOLLOW_MS = 30_000
_MOST = 10_000


@click.command()
@click.option("--method", help="Only these.")
@click.option("--path", help="Only those of this path; * stands for any text.")
@click.option("--status", type=int, help="Only those answered so.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="So many, the newest.")
@click.option("--follow", is_flag=True, help="Go on with those that come, until Ctrl-C.")
@click.option("--har", type=click.Path(path_type=Path, dir_okay=False), help="Write them to this file, as HAR 1.2.")
@AS_JSON
@on_world
def requests(plane: Plane, limit: int, follow: bool, har: Path | None, as_json: bool, **wanted: Any) -> None:
    """Show what was called, the newest last."""
    if har is not None:
        write_file(har, json.dumps(plane("GET", "/requests.har" + query_of(**wanted))).encode())
        return
    found = plane("GET", "/requests" + query_of(limit=limit, **wanted))[::-1]
    _tell(found, as_json)
    if not follow:
        return
    if plane.app is not None:
        raise click.UsageError("Nobody serves this world: there is nothing to follow.")
    newest = found[-1]["number"] if found else 0
    try:
        while True:
            newest = _follow(plane, newest, as_json, wanted)
    except KeyboardInterrupt:
        pass
    except NoAnswer:
        raise NoAnswer(f"The server at {plane.url} has ended.") from None


def _follow(plane: Plane, newest: int, as_json: bool, wanted: dict[str, Any]) -> int:
    """Tell what comes next, and give the number of the last of it."""
    asked = {name: value for name, value in wanted.items() if value is not None}
    try:
        plane("POST", "/requests/wait", {**asked, "after": newest, "timeoutMs": _FOLLOW_MS})
    except Refused as refused:
        if "nearest" in refused.answer:  # only time is over
            return newest
        raise
    found = plane("GET", "/requests" + query_of(after=newest, limit=_MOST, **wanted))[::-1]
    _tell(found, as_json)
    return found[-1]["number"] if found else newest


def _tell(found: list[dict[str, Any]], as_json: bool) -> None:
    from dryline.serving.access_log import request_line

    for one in found:
        if as_json:
            click.echo(json.dumps(one))
            continue
        error = one["answer"].get("error") if isinstance(one["answer"], dict) and (one["status"] or 0) >= 400 else None
        note = f"[{one['faultId']}]" if one["faultId"] else error or ""
        query = urlencode(one["query"], doseq=True, safe="*")  # *** is what is masked
        path = one["path"] + (f"?{query}" if query else "")
        click.echo(request_line(one["time"][:19], one["method"], path, one["status"], one["durationMs"], note))
