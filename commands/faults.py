"""`dryline faults`."""

import json
from typing import Any

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.groups import DefaultGroup
from dryline.commands.output import AS_JSON, print_done, print_rows
from dryline.commands.param_types import JsonObjectParam, JsonParam
from dryline.world.faults import PRESETS
from dryline.world.wording import camel

# The members of a rule that say which requests it is for, and not what it does.
_TARGET = {
    *("method", "path", "json", "query", "requestHeaders", "bodyContains", "teamId"),
    *("times", "skip", "probability", "phase"),
}


@click.group(cls=DefaultGroup, default="list")
def faults() -> None:
    """Make chosen requests fail, wait or lose their answer."""


@faults.command("list")
@AS_JSON
@on_world()
def list_faults(world: ControlPlane, as_json: bool) -> None:
    """List the rules, newest first, and how often each was applied."""
    print_rows(world.plane("GET", "/faults"), as_json, lambda rule: [_fault_line(rule)], "No fault rules.")


@faults.command("add")
@click.argument("preset", required=False)
@click.option("--method", help="Method of the requests. Default: any.")
@click.option("--path", help="Path of the requests, such as /api/workers/*. Default: any.")
@click.option("--json", type=JsonParam(), help="JSON that the body must have; it may have further members.")
@click.option("--query", type=JsonObjectParam(), help="Query parameters by name, as a JSON object; null: not sent.")
@click.option("--request-headers", type=JsonObjectParam(), help="Headers of the request, in the same form.")
@click.option("--body-contains", help="Text that the body must contain.")
@click.option("--team-id", help="Id of the team whose requests they are. Default: any.")
@click.option("--status", type=int, help="Answer with this status.")
@click.option("--body", type=JsonParam(), help="Body of that answer, as JSON.")
@click.option("--headers", type=JsonObjectParam(), help="Headers to add to the answer, as a JSON object.")
@click.option("--answers", type=JsonParam(), help='Answers in turn, such as [429, {"status": 500, "body": {}}].')
@click.option("--delay-ms", type=int, help="Delay the answer by this many milliseconds.")
@click.option("--drop", is_flag=True, default=None, help="Close the connection instead of answering.")
@click.option("--malformed", type=click.Choice(["truncated", "garbage"]), help="Spoil the answer.")
@click.option("--phase", type=click.Choice(["before", "after"]), help="after: carry the request out, lose the answer.")
@click.option("--times", type=int, help="Apply the rule at most this many times.")
@click.option("--skip", type=int, help="Leave this many matching requests alone first.")
@click.option("--probability", type=float, help="Apply the rule to a matching request with this probability.")
@click.option("--rule", type=JsonObjectParam(), help="Any other members of the rule, as a JSON object.")
@on_world()
def add_fault(world: ControlPlane, rule: dict[str, Any] | None, **values: Any) -> None:
    """Add a rule: a PRESET (`dryline faults presets` lists them), or one of your own."""
    body = (rule or {}) | {camel(name): value for name, value in values.items() if value is not None}
    if not body.keys() - _TARGET:
        raise click.UsageError(
            "Say what the rule does: a PRESET, --status, --answers, --delay-ms, --drop, another effect, or --rule."
        )
    click.echo(_fault_line(world.plane("POST", "/faults", body)))


@faults.command("presets")
def list_presets() -> None:
    """List the presets."""
    for name, preset in PRESETS.items():
        click.echo(f"{name:<20} {preset['title']}")


@faults.command("off")
@click.argument("id", required=False)
@on_world(destructive=True)
def remove_faults(world: ControlPlane, id: str | None) -> None:
    """Remove the rule ID, or all rules."""
    world.plane("DELETE", f"/faults/{id}" if id else "/faults")
    print_done(f"Removed {id}." if id else "Removed all rules.")


def _fault_line(rule: dict[str, Any]) -> str:
    usual = ("id", "createdAt", "method", "path", "matches", "hits", "phase", "probability", "skip")
    effects = {name: value for name, value in rule.items() if name not in usual and value not in (None, 0, False)}
    return f"{rule['id']}  {rule['method']} {rule['path']}  {json.dumps(effects)}  applied {rule['hits']} times"
