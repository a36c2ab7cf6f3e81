"""The command line: the group of all commands."""

import os
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click

from dryline import __version__
from dryline.commands import (
    clock,
    faults,
    flows,
    keys,
    mcp,
    pull,
    requests,
    serve,
    simulate,
    snapshots,
    state,
    talk,
    wait,
)
from dryline.commands.groups import DefaultGroup
from dryline.commands.output import OUTPUT_FILE, buffer_output, refusing_io_errors, write_document
from dryline.settings import BadSetting, Settings, strip_variables

# Raised for a group without a command, such as `dryline state`. Older versions of click exit instead.
_NO_COMMAND: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


class Commands(DefaultGroup):
    """All commands. A refusal is one line, `dryline: …`."""

    def main(self, *args: Any, standalone_mode: bool = True, **kwargs: Any) -> Any:
        """Run the command line. Print every refusal in one form."""
        run: Any = super().main
        buffer_output()
        if not standalone_mode:
            return run(*args, standalone_mode=False, **kwargs)
        try:
            exit_code = run(*args, standalone_mode=False, **kwargs)
        except _NO_COMMAND as error:
            error.show()
            exit_code = error.exit_code
        except BadSetting as error:
            _refuse(str(error))
            exit_code = 2
        except click.ClickException as error:
            _refuse(error.format_message() + _pointer_to_help(error))
            exit_code = error.exit_code
        except click.Abort:
            _refuse("Aborted.")
            exit_code = 1
        sys.exit(exit_code)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the words of the command line. Raises click.ClickException, also where help cannot be printed."""
        with refusing_io_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises click.ClickException for an output that cannot be written."""
        with refusing_io_errors():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in the order in which they were added, each with its whole first line."""
        visible = {name: command for name, command in self.commands.items() if not command.hidden}
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in visible.items()])


def _refuse(message: str) -> None:
    with suppress(OSError):  # the exit code says it, too
        click.echo(f"dryline: {message}", err=True)


def _pointer_to_help(error: click.ClickException) -> str:
    if isinstance(error, click.UsageError) and not isinstance(error, click.BadParameter) and error.ctx:
        return f" See {error.ctx.command_path} --help."
    return ""


EPILOG = """`dryline serve --help` lists the options of the server, which may follow `dryline` directly.

\b
Examples:
  dryline --port 4011
  dryline --ephemeral --scenario empty --seed 7
  dryline simulate --count 20
  dryline requests --follow
"""


@click.group(cls=Commands, default="serve", context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(__version__, prog_name="dryline")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Run a local, stateful stand-in for a voice-agent workers REST API. Without a command: serve."""
    strip_variables(os.environ)
    # In Kubernetes a Service named dryline sets this variable.
    if os.environ.get("DRYLINE_PORT", "").startswith("tcp://"):
        del os.environ["DRYLINE_PORT"]
    # Databases and state documents hold tokens and conversations, so only their owner may read them.
    umask = os.umask(0o077)
    ctx.call_on_close(lambda: os.umask(umask))


@click.command()
@click.argument("file", type=OUTPUT_FILE, default="-")
def openapi(file: Path) -> None:
    """Write the OpenAPI document to FILE (default: standard output)."""
    from dryline.app import create_app  # noqa: PLC0415  # 276 ms

    with closing(create_app(Settings(ephemeral=True, scenario="empty"))) as app:
        document = app.openapi.document()
    write_document(file, document)


# In the order of `--help`.
for command in (
    *(serve.serve, requests.requests, faults.faults, state.state, snapshots.snapshots, state.reset, state.undo),
    *(clock.clock, simulate.workers, simulate.simulate, keys.keys, flows.flow, talk.talk, wait.wait),
    *(pull.pull, pull.drift, mcp.mcp, openapi),
):
    cli.add_command(command)
