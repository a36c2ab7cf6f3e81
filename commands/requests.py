"""The commands about the requests of a world: those that were made, and those that are to fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from dryline.commands.client import DefaultGroup, NoAnswer, Plane, Refused, on_world
from dryline.commands.state import AS_JSON, query_of, show_all, write_file

# How long one question for news waits, while they are followed, in milliseconds.
_FOLLOW_MS = 30_000
_MOST = 10_000


# What is to fail


@click.group(cls=DefaultGroup, default="list")
def faults() -> None:
    """Make chosen requests fail, wait or lose their answer."""


@faults.command("list")
@AS_JSON
@on_world
def faults_list(plane: Plane, as_json: bool) -> None:
    """List the rules, newest first, and how often each struck."""
    show_all(plane("GET", "/faults"), as_json, lambda one: [_fault(one)])


@faults.command("add")
@click.argument("preset", required=False)
@click.option("--method", help="Of the requests that are hit; any by default.")
@click.option("--path", help="Theirs, such as /api/workers/*; any by default.")
@click.option("--status", type=int, help="Answer this instead.")
@click.option("--delay-ms", type=int, help="Answer so much later.")
@click.option("--drop", is_flag=True, default=None, help="Close the connection instead of an answer.")
@click.option("--times", type=int, help="Strike so often, then no more.")
@click.option("--rule", help="Any other members of a rule, as a JSON object.")
@on_world
def faults_add(plane: Plane, rule: str | None, **values: Any) -> None:
    """Switch on a rule: a PRESET, or one of your own.

    `dryline faults presets` lists the presets.
    """
    from dryline.schemas.base import camel

    try:
        body = json.loads(rule or "{}")
    except ValueError as error:
        raise click.BadParameter(f"is no JSON: {error}.", param_hint="--rule") from None
    body |= {camel(name): value for name, value in values.items() if value is not None}
    click.echo(_fault(plane("POST", "/faults", body)))


@faults.command("presets")
def faults_presets() -> None:
    """List the rules that have a name."""
    from dryline.traffic.fault_presets import PRESETS

    for name, preset in PRESETS.items():
        click.echo(f"{name:<20} {preset.title}")


@faults.command("off")
@click.argument("id", required=False)
@on_world
def faults_off(plane: Plane, id: str | None) -> None:
    """Switch off the rule ID, or all."""
    plane("DELETE", f"/faults/{id}" if id else "/faults")


def _fault(rule: dict[str, Any]) -> str:
    usual = ("id", "createdAt", "method", "path", "matches", "hits", "phase", "probability", "skip")
    does = {name: value for name, value in rule.items() if name not in usual and value not in (None, 0, False)}
    return f"{rule['id']}  {rule['method']} {rule['path']}  {json.dumps(does)}  struck {rule['hits']}"


# What was made


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


COMMANDS = (requests, faults)
