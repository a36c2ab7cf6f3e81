"""The command line: the group of all commands, and `dryline serve`."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from dryline import __version__
from dryline.commands.param_types import COMMA_SEPARATED
from dryline.settings import BadSetting, Settings

# Raised for a group without a command, such as `dryline state`. Older versions of click exit instead.
_NO_COMMAND: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


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

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete the names of commands, and the options of the default command."""
        items = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            command = self.commands[self.default]
            items += command.shell_complete(click.Context(command, parent=ctx), incomplete)
        return items


class Commands(DefaultGroup):
    """All commands. A refusal is one line, `dryline: …`.

    `serve` runs without importing the others, which would take 2 % of a start.
    """

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            self.import_all()
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        self.import_all()
        return super().list_commands(ctx)

    def import_all(self) -> None:
        """Import and add all commands but `serve`, in the order of `--help`. A second call does nothing."""
        if len(self.commands) > 1:
            return
        from dryline.commands.clock import clock
        from dryline.commands.drift import drift
        from dryline.commands.faults import faults
        from dryline.commands.flows import flow
        from dryline.commands.keys import keys
        from dryline.commands.mcp import mcp
        from dryline.commands.pull import pull
        from dryline.commands.requests import requests
        from dryline.commands.simulate import simulate, workers
        from dryline.commands.snapshots import snapshots
        from dryline.commands.state import reset, state
        from dryline.commands.talk import talk
        from dryline.commands.wait import wait

        for command in (
            *(requests, faults, state, snapshots, reset, clock, workers, simulate, keys, flow, talk),
            *(wait, pull, drift, mcp, openapi),
        ):
            self.add_command(command)
        alias = copy(snapshots)
        alias.hidden = True
        self.add_command(alias, "snapshot")

    def main(self, *args: Any, standalone_mode: bool = True, **kwargs: Any) -> Any:
        """Run the command line. Print every refusal in one form."""
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **kwargs)
        try:
            exit_code = run(*args, standalone_mode=False, **kwargs)
        except _NO_COMMAND as error:
            error.show()
            exit_code = error.exit_code
        except BadSetting as error:
            click.echo(f"dryline: {error}", err=True)
            exit_code = 2
        except click.ClickException as error:
            click.echo(
                f"dryline: {_misplaced_option(error) or error.format_message() + _pointer_to_help(error)}", err=True
            )
            exit_code = error.exit_code
        except click.Abort:
            click.echo("dryline: Aborted.", err=True)
            exit_code = 1
        sys.exit(exit_code)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, the options, and the options of `serve`, which most readers look for."""
        self.import_all()
        visible = {name: command for name, command in self.commands.items() if not command.hidden}
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in visible.items()])
        with formatter.section("Options"):
            formatter.write_dl([record for param in self.get_params(ctx) if (record := param.get_help_record(ctx))])
        serve_context = click.Context(serve, parent=ctx)
        with formatter.section("Options of serve (also without its name)"):
            formatter.write_dl([record for param in serve.params if (record := _brief(param, serve_context))])


def _misplaced_option(error: click.ClickException) -> str | None:
    """Return a message for an option of another command that stands where the options of `serve` do."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or error.ctx.command is not serve:
        return None
    cli.import_all()
    option = error.option_name
    if not any(option in _flags(each) for command in cli.commands.values() for each in _all_commands(command)):
        return None
    return f"dryline serve has no option '{option}'. Write it after the command, as in: dryline COMMAND {option}"


def _flags(command: click.Command) -> set[str]:
    return {flag for param in command.params for flag in param.opts}


def _pointer_to_help(error: click.ClickException) -> str:
    if isinstance(error, click.UsageError) and not isinstance(error, click.BadParameter) and error.ctx:
        return f" See {error.ctx.command_path} --help."
    return ""


def _brief(option: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
    """Return an option's lines of help without its environment variable, which `dryline serve --help` shows."""
    record = option.get_help_record(ctx)
    return record and (record[0], re.sub(r"env var: \w+(; )?|\s*\[env var: \w+\]", "", record[1]))


def setting(flag: str, name: str | None = None, **kwargs: Any) -> Callable[[Any], Any]:
    """Return the option of a field of `Settings` (by default named like the flag), with its DRYLINE_… variable."""
    word = flag.removeprefix("--").replace("-", "_")
    name = name or word
    kwargs.setdefault("default", getattr(Settings, name))
    return click.option(flag, name, envvar=f"DRYLINE_{word.upper()}", show_envvar=True, show_default=True, **kwargs)


REPEATABLE = "repeatable; the variable takes several, separated by commas."

SERVE_OPTIONS = (
    setting("--host", help="Address to listen on."),
    setting("--port", help="Port to listen on; 0 chooses a free port and prints it."),
    setting("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Directory of the state."),
    setting("--ephemeral", is_flag=True, help="Keep the state in a temporary directory and remove it at the end."),
    setting("--scenario", help="Content of a new data directory: demo, clinic, campaign, trouble, empty, or a file."),
    setting(
        "--api-key", "api_keys", multiple=True, type=COMMA_SEPARATED, help=f"A key of the first team; {REPEATABLE}"
    ),
    setting("--any-key", is_flag=True, help="Accept every other key as a key of the first team."),
    setting("--seed", type=int, help="Make ids and simulated content repeat from run to run."),
    setting("--admin-token", help="Token that /_dryline and the console require (header x-dryline-token)."),
    setting("--public-url", help="Start of all links, for a server behind a proxy."),
    setting("--threads", help="Threads for long reads, such as pages of logs."),
    setting("--max-body-mb", help="Largest request body, in MB."),
    setting(
        "--strict", is_flag=True, help="Refuse unknown members and query parameters, and require nullable members."
    ),
    setting(
        "--cors-origin",
        "cors_origins",
        multiple=True,
        type=COMMA_SEPARATED,
        help=f"Origin of a web page that may call the API; {REPEATABLE}",
    ),
    setting(
        "--allowed-host",
        "allowed_hosts",
        multiple=True,
        type=COMMA_SEPARATED,
        help=f"A further host name for a server on loopback; {REPEATABLE}",
    ),
    setting(
        "--webhook-hosts",
        multiple=True,
        type=COMMA_SEPARATED,
        help=f"Host besides loopback that webhooks and flows may call; {REPEATABLE}",
    ),
    setting("--speech", help='Voices of recordings: auto, tones, or "command: PROGRAM ARGUMENT…".'),
    setting("--recordings-mb", help="Disk space for recordings, in MB."),
    setting("--model-url", help="Server with OpenAI's chat completions that decides for flows, such as http://…/v1."),
    setting("--model", help="Name of the model."),
    setting("--model-key", help="Key for that server."),
    setting("--node", help="Name of this server if there are several; its keys and ids contain it."),
    setting(
        "--durability",
        type=click.Choice(["process", "power"]),
        help="Survival of a committed write: after the process is killed, or after a power cut too.",
    ),
    setting("--label", help="Title of this server in the console."),
    setting("--log-format", type=click.Choice(["text", "json"]), help="Format of the log."),
    setting("--quiet", is_flag=True, help="Print problems only: no start message, no line per request."),
)


EXAMPLES = """\b
Examples:
  dryline --port 4011
  dryline --ephemeral --scenario empty --seed 7
  dryline simulate --count 20
  dryline requests --follow
"""


@click.group(cls=Commands, default="serve", context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.version_option(__version__, prog_name="dryline")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Run a local, stateful stand-in for a voice-agent workers REST API. Without a command: serve."""
    # In Kubernetes a Service named dryline sets this variable.
    if os.environ.get("DRYLINE_PORT", "").startswith("tcp://"):
        del os.environ["DRYLINE_PORT"]
    # Databases and state documents hold tokens and conversations, so only their owner may read them.
    umask = os.umask(0o077)
    ctx.call_on_close(lambda: os.umask(umask))


def _with_options(options: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@cli.command()
@_with_options(SERVE_OPTIONS)
@click.option(
    "--ready-file", type=click.Path(path_type=Path), help="File for the server's address, as JSON, once it answers."
)
def serve(ready_file: Path | None, **values: Any) -> None:
    """Start the server; Ctrl-C or SIGTERM ends it."""
    _exit_on_signals()
    for name, near in _misspelt_variables():
        click.echo(f"dryline: {name} has no effect; did you mean {near}?", err=True)
    gc.disable()  # while modules are imported there is no garbage; `process.serve` enables it
    try:
        if not values["api_keys"]:
            raise BadSetting("--api-key must not be empty.")
        _require_sensible_flags(click.get_current_context(), values)
        settings = Settings(**values)
        _prepare_ready_file(ready_file)
        from dryline.app import create_app
        from dryline.serving import process, server

        with server.bind(settings) as listening:  # before the world is created: a port in use leaves no world behind
            process.serve(create_app(settings), listening, ready_file)
    finally:
        gc.enable()


def _misspelt_variables() -> Iterator[tuple[str, str]]:
    """Yield each DRYLINE_… variable whose name is nearly that of a setting, with that name."""
    names = sorted(name for name in os.environ if name.startswith("DRYLINE_"))
    if not names:
        return
    from difflib import get_close_matches  # imported late: most starts have no variables

    cli.import_all()
    known = {name for command in _all_commands(cli) for param in command.params for name in _variables(param)}
    for name in names:
        if name not in known:
            for near in get_close_matches(name, known, n=1, cutoff=0.85):
                yield name, near


def _all_commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    for child in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _all_commands(child)


def _variables(option: click.Parameter) -> Sequence[str]:
    return [option.envvar] if isinstance(option.envvar, str) else option.envvar or ()


def _exit_on_signals() -> None:
    """Make SIGTERM and SIGHUP raise SystemExit, so that a start that is interrupted cleans up."""

    def exit_quietly(signum: int, frame: Any) -> NoReturn:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, exit_quietly)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup ignores it
        signal.signal(signal.SIGHUP, exit_quietly)


def _require_sensible_flags(ctx: click.Context, values: dict[str, Any]) -> None:
    """Raise BadSetting for a flag that has another flag as its value, or that the other flags make useless."""
    for param in ctx.command.params:
        value = values.get(param.name or "")
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str | Path) and str(text).startswith("--"):
                raise BadSetting(f"{param.opts[0]} needs a value, but {text} follows.")
    flagged = {name for name in values if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if {"ephemeral", "data_dir"} <= flagged and values["ephemeral"]:
        raise BadSetting("--data-dir is of no use with --ephemeral: the state is in a temporary directory.")


def _prepare_ready_file(ready_file: Path | None) -> None:
    """Remove the ready file of an earlier server, and check that its folder can be written to."""
    if ready_file is not None:
        try:
            ready_file.unlink(missing_ok=True)
            with TemporaryFile(dir=ready_file.parent):
                pass
        except OSError as error:
            raise BadSetting(f"Cannot write --ready-file {ready_file}: {error.strerror}.") from None


@click.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from dryline.app import create_app

    app = create_app(Settings(ephemeral=True, scenario="empty"))
    click.echo(json.dumps(app.openapi.document(), indent=2))
    app.close()
