"""`dryline serve`: its options, their checks, and the start of the server."""

from __future__ import annotations

import gc
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import Field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from dryline.commands.param_types import CommaSeparated
from dryline.commands.removed import removed_option
from dryline.settings import END_WITH, BadSetting, Settings, flag_of
from dryline.storage.ready_file import ReadyFile


def setting_options(command: Any) -> Any:
    """Add an option with its DRYLINE_… variable for each field of `Settings` that has a flag."""
    for setting in reversed(fields(Settings)):
        if flag := flag_of(setting):
            variable = "DRYLINE_" + flag.removeprefix("--").replace("-", "_").upper()
            command = click.option(flag, setting.name, envvar=variable, **_option_arguments(setting))(command)
    return command


def _option_arguments(setting: Field[Any]) -> dict[str, Any]:
    """Return the type, the default and the help of a setting's option, as arguments of `click.option`."""
    help, default = setting.metadata["help"], setting.default
    option = {"default": default, "show_default": True, "show_envvar": True, "help": help}
    if isinstance(default, tuple):
        help = f"{help}; repeatable; the variable takes several, separated by commas."
        return option | {"multiple": True, "type": CommaSeparated(), "help": help}
    if isinstance(default, Path):
        return option | {"type": click.Path(path_type=Path, file_okay=False)}
    if isinstance(default, bool):
        return option | {"is_flag": True}
    return option | {"type": int if setting.type == int | None else None}


@click.command()
@setting_options
@removed_option("--durability", "a write survives the end of the process, and no write waits for the disk.")
@click.option(
    "--ready-file", type=click.Path(path_type=Path), help="File for the server's address, as JSON, once it answers."
)
def serve(ready_file: Path | None, **values: Any) -> None:
    """Start the server; Ctrl-C or SIGTERM ends it."""
    _exit_on_signals()
    if (owner := os.environ.get(END_WITH, "")).isdecimal():
        threading.Thread(target=_end_with_owner, args=[int(owner)], name="dryline-owner", daemon=True).start()
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

        ready = ReadyFile(ready_file) if ready_file else None
        if ready:
            ready.prepare()
        from dryline.app import create_app  # noqa: PLC0415  # 276 ms
        from dryline.serving import process  # noqa: PLC0415  # 141 ms
        from dryline.serving.server import bind  # noqa: PLC0415  # 44 ms

        with bind(settings) as listening:  # before the world is created: a port in use leaves no world behind
            process.serve(create_app(settings), listening, ready)
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


def _end_with_owner(owner: int) -> None:
    """Wait until another process has ended, and end this one as SIGTERM does."""
    with suppress(ProcessLookupError):
        try:
            process = os.pidfd_open(owner)
        except (AttributeError, PermissionError):  # not Linux, or a sandbox
            while True:
                os.kill(owner, 0)
                time.sleep(0.5)
        ended = select.poll()
        ended.register(process, select.POLLIN)
        ended.poll()
    os.kill(os.getpid(), signal.SIGTERM)
