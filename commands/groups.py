"""Groups of commands."""

from typing import Any

import click


class DefaultGroup(click.Group):
    """A group with a default command: `dryline --port 0` is `dryline serve --port 0`."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the default command if no command is named."""
        options = {name for param in self.get_params(ctx) for name in param.opts}
        is_named = args and (not args[0].startswith("-") or args[0] in options)
        # While a shell completes an empty word, it needs the names of all commands.
        if not is_named and (args or not ctx.resilient_parsing):
            args = [self.default, *args]
        return super().parse_args(ctx, args)
