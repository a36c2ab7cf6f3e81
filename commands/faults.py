"""`dryline faults`."""

from __future__ import annotations

import json
from typing import Any

import click

from dryline.commands.client import DefaultGroup, Plane, on_world
from dryline.commands.output import AS_JSON, show_all


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
