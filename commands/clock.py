"""`dryline clock`."""

from __future__ import annotations

import re
from typing import Any

import click

from dryline.commands.client import DefaultGroup, Plane, on_world

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class Duration(click.ParamType):
    """`90`, `90s`, `5m`, `2h` or `1d`, as seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", str(value))
        if found is None:
            self.fail(f"{value!r} is not like 90s, 5m, 2h or 1d.", param, ctx)
        return float(found[1]) * _UNITS[found[2]]


@click.group(cls=DefaultGroup, default="show")
def clock() -> None:
    """Read, set, freeze and advance API time."""


@clock.command("show")
@on_world
def clock_show(plane: Plane) -> None:
    """Show the time there."""
    _tell_time(plane("GET", "/clock"))


@clock.command("advance")
@click.argument("duration", type=Duration())
@on_world
def clock_advance(plane: Plane, duration: float) -> None:
    """Move forward by DURATION, such as 90s, 5m, 2h or 1d."""
    _tell_time(plane("POST", "/clock/advance", {"seconds": duration}))


@clock.command("set")
@click.argument("moment")
@on_world
def clock_set(plane: Plane, moment: str) -> None:
    """Go to MOMENT (2030-01-01T09:00:00Z), frozen or not as it is."""
    _tell_time(plane("PUT", "/clock", {"now": moment}))


@clock.command("freeze")
@click.argument("moment", required=False)
@on_world
def clock_freeze(plane: Plane, moment: str | None) -> None:
    """Let time stand still, now or at MOMENT."""
    _tell_time(plane("PUT", "/clock", {"frozen": True} | ({"now": moment} if moment else {})))


@clock.command("run")
@on_world
def clock_run(plane: Plane) -> None:
    """Let time go on from where it is."""
    _tell_time(plane("PUT", "/clock", {"frozen": False}))


@clock.command("reset")
@on_world
def clock_reset(plane: Plane) -> None:
    """Go back to real time."""
    _tell_time(plane("DELETE", "/clock"))


def _tell_time(answer: dict[str, Any]) -> None:
    click.echo(answer["now"] + ("  frozen" if answer["frozen"] else ""))
