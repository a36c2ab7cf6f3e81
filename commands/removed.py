"""Options, variables and commands of earlier versions: each is refused, with what to do instead."""

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from dryline.settings import BadSetting


def removed_option(flag: str, advice: str) -> Callable[[Any], Any]:
    """Return a hidden option, with its DRYLINE_… variable, that is refused with `advice`."""
    variable = f"DRYLINE_{flag.removeprefix('--').replace('-', '_').upper()}"

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            is_variable = ctx.get_parameter_source(param.name or "") is ParameterSource.ENVIRONMENT
            raise BadSetting(f"{variable if is_variable else flag} is removed in 0.2; {advice}")

    return click.option(flag, envvar=variable, hidden=True, expose_value=False, callback=refuse)


def add_removed_command(group: click.Group, name: str, advice: str) -> None:
    """Add a hidden command that is refused with `advice`, whatever its arguments are."""

    @group.command(name, hidden=True, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def refuse(arguments: tuple[str, ...]) -> None:
        raise BadSetting(f"{group.name} {name} is removed in 0.2; {advice}")
