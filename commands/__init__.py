"""The command line: `dryline serve` and what the control plane does, from a shell."""

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
from typing import Any, NoReturn

import click

from dryline import __version__
from dryline.commands.client import DefaultGroup
from dryline.settings import BadSetting, Settings


class Commands(DefaultGroup):
    """The commands. A value that cannot work, or cannot even be read, is one clear line and exit code 2.

    `serve` starts without the others, whose import is 2 % of a start: they come with the first look for one.
    """

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in self.commands:
            self.complete()
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all."""
        self.complete()
        return super().list_commands(ctx)

    def complete(self) -> None:
        """Add all others, in the order in which `--help` names them. Told again, it does nothing."""
        if len(self.commands) > 1:
            return
        from dryline.commands.clock import clock
        from dryline.commands.drift import drift
        from dryline.commands.faults import faults
        from dryline.commands.flows import flow, talk
        from dryline.commands.keys import keys
        from dryline.commands.mcp import mcp
        from dryline.commands.pull import pull
        from dryline.commands.requests import requests
        from dryline.commands.simulate import simulate, workers
        from dryline.commands.snapshots import snapshots
        from dryline.commands.state import reset, state

        for command in (
            *(requests, faults, state, snapshots, reset, clock, workers, simulate, keys, flow, talk),
            *(pull, drift, mcp, openapi),
        ):
            self.add_command(command)
        as_one = copy(snapshots)  # who has one thing to save thinks of one
        as_one.hidden = True
        self.add_command(as_one, "snapshot")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BadSetting as error:
            message = str(error)
        except click.BadParameter as error:
            message = error.format_message()
        click.echo(f"dryline: {message}", err=True)
        sys.exit(2)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, each with its whole line, then what `serve` takes, which is what most look for."""
        self.complete()
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name].get_short_help_str(200)) for name in self.commands])
        with formatter.section("Options"):
            formatter.write_dl([record for each in self.get_params(ctx) if (record := each.get_help_record(ctx))])
        serving = click.Context(serve, parent=ctx)
        with formatter.section("Options of serve (also without its name)"):
            formatter.write_dl([record for each in serve.params if (record := _brief(each, serving))])


def _brief(option: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
    """An option's line without its variable, which `dryline serve --help` names."""
    record = option.get_help_record(ctx)
    return record and (record[0], re.sub(r"env var: \w+(; )?|\s*\[env var: \w+\]", "", record[1]))


def setting(flag: str, name: str | None = None, **kwargs: Any) -> Callable[[Any], Any]:
    """An option for the setting of this name (the flag's when None), which a DRYLINE_… variable sets too."""
    word = flag.removeprefix("--").replace("-", "_")
    name = name or word
    kwargs.setdefault("default", getattr(Settings, name))
    variable = f"DRYLINE_{word.upper()}"
    return click.option(flag, name, envvar=variable, show_envvar=True, show_default=True, **kwargs)


# Of those that may be given several times: how, in the variable.
SEVERAL = "repeatable, in the variable separated by spaces."

SERVE = (
    setting("--host", help="Address to listen on."),
    setting("--port", help="Port to listen on; 0 picks a free one and prints it."),
    setting("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where state is."),
    setting("--ephemeral", is_flag=True, help="Keep state in a temporary place, removed at the end."),
    setting("--scenario", help="What a new data directory holds: demo, clinic, campaign, trouble, empty, or a file."),
    setting("--api-key", "api_keys", multiple=True, help=f"A key of the first team; {SEVERAL}"),
    setting("--any-key", is_flag=True, help="Take any other key as one of the first team."),
    setting("--seed", type=int, help="Ids and simulated content repeat from run to run."),
    setting("--admin-token", help="Required by /_dryline in the header x-dryline-token."),
    setting("--public-url", help="How clients reach this server, for downloadUrl and recordingUrl behind a proxy."),
    setting("--threads", help="Threads for long reads, such as pages of logs; what waits has its own."),
    setting("--max-body-mb", help="Largest body, in MB."),
    setting("--strict", is_flag=True, help="Refuse unknown body members."),
    setting("--cors-origin", "cors_origins", multiple=True, help=f"Web page origin that may call the API; {SEVERAL}"),
    setting(
        "--allowed-host",
        "allowed_hosts",
        multiple=True,
        help=f"Host name other than localhost that this machine may be asked by; {SEVERAL}",
    ),
    setting(
        "--webhook-hosts", multiple=True, help=f"Host other than loopback that webhooks and flows may reach; {SEVERAL}"
    ),
    setting("--speech", help='Who speaks in recordings: auto, tones, or "command: PROGRAM ARGUMENT…".'),
    setting("--recordings-mb", help="Room for the files of recordings, in MB."),
    setting("--model-url", help="Server of OpenAI's chat completions that judges what flows ask, such as http://…/v1."),
    setting("--model", help="Its model."),
    setting("--model-key", help="Its key, if it needs one."),
    setting("--node", help="Its name, where it is one of several behind a proxy: its keys and ids carry it."),
    setting(
        "--durability",
        type=click.Choice(["process", "power"]),
        help="What a committed write outlives: the process, or a power cut too.",
    ),
    setting("--label", help="What the console calls this server, where there are several."),
    setting("--log-format", type=click.Choice(["text", "json"]), help="Form of the log."),
    setting("--quiet", is_flag=True, help="Say nothing but what went wrong: no start message, no line a request."),
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
    """A local, stateful stand-in for a voice-agent workers REST API. Without a command: serve."""
    if os.environ.get("DRYLINE_PORT", "").startswith("tcp://"):  # Kubernetes' own, beside a Service named dryline
        del os.environ["DRYLINE_PORT"]
    # Databases and state documents hold what was said in calls, and tokens: they are for their owner's eyes.
    before = os.umask(0o077)
    ctx.call_on_close(lambda: os.umask(before))


def _with(options: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@cli.command()
@_with(SERVE)
@click.option("--ready-file", type=click.Path(path_type=Path), help="Write the address here, as JSON, once it answers.")
def serve(ready_file: Path | None, **values: Any) -> None:
    """Answer requests until Ctrl-C or SIGTERM."""
    _end_on_signals()
    for slip, meant in _slips():
        click.echo(f"{slip} is no setting of dryline and says nothing. Did you mean {meant}?", err=True)
    gc.disable()  # what is imported now stays: looking for garbage in it only takes time. `server.serve` enables it.
    try:
        if not values["api_keys"]:
            raise BadSetting("--api-key must not be empty.")
        settings = Settings(**values)
        _remove_stale(ready_file)
        from dryline.app import create_app
        from dryline.serving import server

        with server.bind(settings) as listening:  # before the world: a port that is taken leaves none behind
            server.serve(create_app(settings), listening, ready_file)
    finally:
        gc.enable()  # a start that was refused ends here


def _slips() -> Iterator[tuple[str, str]]:
    """Variables whose names are nearly those of settings."""
    given = sorted(name for name in os.environ if name.startswith("DRYLINE_"))
    if not given:
        return
    from difflib import get_close_matches  # imported late: most starts have no variables

    cli.complete()
    known = {name for command in _all_commands(cli) for each in command.params for name in _variables(each)}
    for name in given:
        if name not in known:
            for near in get_close_matches(name, known, n=1, cutoff=0.85):
                yield name, near


def _all_commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _all_commands(each)


def _variables(option: click.Parameter) -> Sequence[str]:
    return [option.envvar] if isinstance(option.envvar, str) else option.envvar or ()


def _end_on_signals() -> None:
    """From now on SIGTERM, and a closed terminal, unwind like Ctrl-C: what was made until then is taken back."""

    def end(signum: int, frame: Any) -> NoReturn:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, end)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup ignores it
        signal.signal(signal.SIGHUP, end)


def _remove_stale(ready_file: Path | None) -> None:
    """Nobody is to read the address of an earlier server."""
    if ready_file is not None:
        try:
            ready_file.unlink(missing_ok=True)
        except OSError as error:
            raise BadSetting(f"Cannot write --ready-file {ready_file}: {error.strerror}.") from None


@click.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from dryline.app import create_app

    app = create_app(Settings(ephemeral=True, scenario="empty"))
    click.echo(json.dumps(app.openapi.document(), indent=2))
    app.close()
