"""`dryline clock`."""

from typing import Any

import click

from dryline.commands.client import ControlPlane, on_world
from dryline.commands.groups import DefaultGroup
from dryline.commands.param_types import Duration


@click.group(cls=DefaultGroup, default="show")
def clock() -> None:
    """Show, set, freeze and advance API time."""


@clock.command("show")
@on_world()
def show_clock(world: ControlPlane) -> None:
    """Show the time."""
    _print_time(world.plane("GET", "/clock"))


@clock.command("advance")
@click.argument("duration", type=Duration())
@on_world()
def advance_clock(world: ControlPlane, duration: float) -> None:
    """Move the clock forward by DURATION, such as 90s, 5m, 2h or 1d."""
    _print_time(world.plane("POST", "/clock/advance", {"seconds": duration}))


@clock.command("set")
@click.argument("now", metavar="MOMENT")
@on_world()
def set_clock(world: ControlPlane, now: str) -> None:
    """Set the clock to MOMENT, such as 2030-01-01T09:00:00Z. A frozen clock stays frozen."""
    _print_time(world.plane("PUT", "/clock", {"now": now}))


@clock.command("freeze")
@click.argument("now", metavar="[MOMENT]", required=False)
@on_world()
def freeze_clock(world: ControlPlane, now: str | None) -> None:
    """Stop the clock, now or at MOMENT."""
    body: dict[str, Any] = {"frozen": True}
    if now:
        body["now"] = now
    _print_time(world.plane("PUT", "/clock", body))


@clock.command("run")
@on_world()
def run_clock(world: ControlPlane) -> None:
    """Let a frozen clock run on."""
    _print_time(world.plane("PUT", "/clock", {"frozen": False}))


@clock.command("reset")
@on_world()
def reset_clock(world: ControlPlane) -> None:
    """Set the clock to real time."""
    _print_time(world.plane("DELETE", "/clock"))


def _print_time(answer: dict[str, Any]) -> None:
    suffix = "  frozen" if answer["frozen"] else ""
    click.echo(f"{answer['now']}{suffix}")
