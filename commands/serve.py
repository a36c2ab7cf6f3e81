"""`dryline serve`: its options, their checks, and the start of the server."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from dryline.commands.param_types import COMMA_SEPARATED
from dryline.commands.removed import removed_option
from dryline.settings import BadSetting, Settings


def setting(flag: str, name: str | None = None, **kwargs: Any) -> Callable[[Any], Any]:
    """Return the option of a field of `Settings` (by default named like the flag), with its DRYLINE_… variable."""
    word = flag.removeprefix("--").replace("-", "_")
    name = name or word
    kwargs.setdefault("default", getattr(Settings, name))
    return click.option(flag, name, envvar=f"DRYLINE_{word.upper()}", show_envvar=True, show_default=True, **kwargs)


REPEATABLE = "repeatable; the variable takes several, separated by commas."


@click.command()
@setting("--host", help="Address to listen on.")
@setting("--port", help="Port to listen on; 0 chooses a free port and prints it.")
@setting("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Directory of the state.")
@setting("--ephemeral", is_flag=True, help="Keep the state in a temporary directory and remove it at the end.")
@setting("--scenario", help="Content of a new data directory: demo, clinic, campaign, trouble, empty, or a file.")
@setting("--api-key", "api_keys", multiple=True, type=COMMA_SEPARATED, help=f"A key of the first team; {REPEATABLE}")
@setting("--any-key", is_flag=True, help="Accept every other key as a key of the first team.")
@setting("--seed", type=int, help="Make ids and simulated content repeat from run to run.")
@setting("--admin-token", help="Token that /_dryline and the console require (header x-dryline-token).")
@setting("--public-url", help="Start of all links, for a server behind a proxy.")
@setting("--threads", help="Threads for long reads, such as pages of logs.")
@setting("--max-body-mb", help="Largest request body, in MB.")
@setting("--strict", is_flag=True, help="Refuse unknown members and query parameters, and require nullable members.")
@setting(
    "--cors-origin",
    "cors_origins",
    multiple=True,
    type=COMMA_SEPARATED,
    help=f"Origin of a web page that may call the API; {REPEATABLE}",
)
@setting(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    type=COMMA_SEPARATED,
    help=f"A further host name for a server on loopback; {REPEATABLE}",
)
@setting(
    "--webhook-hosts",
    multiple=True,
    type=COMMA_SEPARATED,
    help=f"Host besides loopback that webhooks and flows may call; {REPEATABLE}",
)
@setting("--speech", help='Voices of recordings: auto, tones, or "command: PROGRAM ARGUMENT…".')
@setting("--recordings-mb", help="Disk space for recordings, in MB.")
@setting("--model-url", help="Server with OpenAI's chat completions that decides for flows, such as http://…/v1.")
@setting("--model", help="Name of the model.")
@setting("--model-key", help="Key for that server.")
@setting("--node", help="Name of this server if there are several; its keys and ids contain it.")
@removed_option("--durability", "a write survives the end of the process, and no write waits for the disk.")
@setting("--label", help="Title of this server in the console.")
@setting("--log-format", type=click.Choice(["text", "json"]), help="Format of the log.")
@setting("--quiet", is_flag=True, help="Print problems only: no start message, no line per request.")
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
        source = click.get_current_context().get_parameter_source
        if values["ephemeral"] and source("ephemeral") is source("data_dir") is ParameterSource.COMMANDLINE:
            raise BadSetting("--data-dir is of no use with --ephemeral: the state is in a temporary directory.")
        settings = Settings(**values)
        _prepare_ready_file(ready_file)
        from dryline.app import create_app
        from dryline.serving import process, server

        with server.bind(settings) as listening:  # before the world is created: a port in use leaves no world behind
            process.serve(create_app(settings), listening, ready_file)
    finally:
        gc.enable()


def _misspelt_variables() -> Iterator[tuple[str, str]]:
    """Yield each DRYLINE_… variable whose name is nearly that of an option of this command, with that name."""
    names = {param.envvar for param in serve.params if isinstance(param.envvar, str)}
    for variable in sorted(name for name in os.environ if name.startswith("DRYLINE_") and name not in names):
        for near in get_close_matches(variable, names, n=1, cutoff=0.9):
            yield variable, near


def _exit_on_signals() -> None:
    """Make SIGTERM and SIGHUP raise SystemExit, so that a start that is interrupted cleans up."""

    def exit_quietly(signum: int, frame: Any) -> NoReturn:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, exit_quietly)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup ignores it
        signal.signal(signal.SIGHUP, exit_quietly)


def _prepare_ready_file(ready_file: Path | None) -> None:
    """Remove the ready file of an earlier server, and check that its folder can be written to."""
    if ready_file is not None:
        try:
            ready_file.unlink(missing_ok=True)
            with TemporaryFile(dir=ready_file.parent):
                pass
        except OSError as error:
            raise BadSetting(f"Cannot write --ready-file {ready_file}: {error.strerror}.") from None
