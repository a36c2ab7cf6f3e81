"""The world that a command works on: options that name it, the search for a running server, and its control plane."""

import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dryline.settings import BadSetting, Settings, header_problem
from dryline.storage.directory import InUse, address_in, find_temporary_directories, is_in_use

if TYPE_CHECKING:
    from dryline.testing.plane import ControlPlane as ControlPlane
else:
    ControlPlane = Any  # for annotations: a command that needs no server imports no HTTP client

USUAL_DIR = Settings.data_dir
USUAL_URL = f"http://{Settings.host}:{Settings.port}"


def _drop_if_flagged(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """Return an option's value; None for one from an environment variable if a flag names another world."""
    flags = [name for name in ("url", "data_dir") if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    return value if not flags or option.name in flags else None


def require_base_url(context: Any, parameter: click.Parameter, value: str | None) -> str | None:
    """Return a parameter's value if it is an address that requests can go to. Raises BadSetting."""
    from dryline.testing.plane import DrylineError, require_url  # noqa: PLC0415  # 21 ms

    try:
        return require_url(value) if value is not None else None
    except DrylineError as error:
        raise BadSetting(f"{parameter.opts[0]}: {error}") from None


_OPTIONS = (
    click.option(
        "--url",
        envvar="DRYLINE_URL",
        show_envvar=True,
        callback=_drop_if_flagged,
        help="Address of the server; by default the one that runs on this machine.",
    ),
    click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="DRYLINE_DATA_DIR",
        callback=_drop_if_flagged,
        show_envvar=True,
        help="A data directory instead, with or without a running server.",
    ),
    click.option("--admin-token", envvar="DRYLINE_ADMIN_TOKEN", show_envvar=True, help="The server's admin token."),
)


def world_options(command: Any) -> Any:
    """Add the options `url`, `data_dir` and `admin_token` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


YES = click.option("--yes", is_flag=True, help="Work on another server than that of ./dryline-data, too; do not ask.")


def on_world(*, destructive: bool = False, undoable: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a command whose first argument is the control plane of the world it works on.

    A `destructive` command works on a server that the user names, on that of ./dryline-data, or if the user says yes.
    After a command that is `undoable`, too, the way back is printed.
    """

    def decorate(command: Callable[..., Any]) -> Any:
        @world_options
        @wraps(command)
        def run(
            url: str | None, data_dir: Path | None, admin_token: str | None, yes: bool = False, **values: Any
        ) -> None:
            with open_world(url, data_dir, admin_token, destructive=destructive, yes=yes) as world:
                command(world, **values)
                if undoable:
                    _print_undo_command(world, data_dir)

        return YES(run) if destructive else run

    return decorate


def _print_undo_command(world: ControlPlane, data_dir: Path | None) -> None:
    if not world.plane("GET", "/undo")["keepsSnapshots"]:
        return
    flags: list[str] = []
    if data_dir is not None:
        flags = ["--data-dir", str(data_dir)]
    elif world.url != _address_if_served(USUAL_DIR):
        flags = ["--url", world.url]
    click.echo(f"To undo this: {shlex.join(['dryline', 'undo', *flags])}", err=True)


@contextmanager
def open_world(
    url: str | None, data_dir: Path | None, admin_token: str | None, *, destructive: bool = False, yes: bool = False
) -> Iterator[ControlPlane]:
    """Yield the control plane of a world: of the server at `url`, of `data_dir`, or of the running server.

    A data directory without a server is opened in this process; the control plane's `url` is empty then. Raises
    BadSetting, and click.ClickException for what the control plane refuses.
    """
    from dryline.testing.plane import ControlPlane, DrylineError, in_process, over_http  # noqa: PLC0415  # 21 ms

    if url and data_dir is not None:
        raise BadSetting("Name the world by --url or by --data-dir, not by both.")
    if admin_token and (problem := header_problem(admin_token)):
        raise BadSetting(f"--admin-token {problem}")
    app = None
    if data_dir is not None:
        app = _open_application(data_dir, admin_token)
        url = "" if app else _require_address(data_dir)
    url = url.rstrip("/") if url is not None else _choose_server(destructive and not yes)
    try:
        sender = in_process(app, "http://localhost") if app else over_http(url)
        yield ControlPlane(url, admin_token, sender)
    except DrylineError as error:
        raise click.ClickException(str(error)) from None
    finally:
        if app is not None:
            app.close()


def _open_application(data_dir: Path, admin_token: str | None) -> Any:
    """Return the application of a data directory, None if another process uses the directory."""
    from dryline.app import create_app  # noqa: PLC0415  # 276 ms
    from dryline.state.scenarios import read_start_settings  # noqa: PLC0415  # 92 ms

    try:
        # No keys: a directory that is only opened keeps the keys that it has.
        settings = Settings(data_dir=data_dir, admin_token=admin_token, api_keys=(), **read_start_settings(data_dir))
        return create_app(settings, open_existing=True)
    except InUse:
        return None


def _require_address(data_dir: Path) -> str:
    """Return the address of the server that uses a directory. Raises BadSetting if it does not say."""
    try:
        return address_in(data_dir).read_text()
    except FileNotFoundError:
        raise BadSetting(
            f"Another dryline is using the data directory {data_dir.absolute()}, and does not say its address: it is "
            "starting or ending, or it is a command."
        ) from None


def _choose_server(needs_consent: bool) -> str:
    """Choose a running server, and print and return its address.

    Raises BadSetting if none can be chosen, and click.Abort if the user does not agree.

    The server of this folder comes first, then the one at the usual port, then a single temporary one.
    """
    if url := _address_if_served(USUAL_DIR):
        which = f"data directory {USUAL_DIR}"
        needs_consent = False
    elif is_answering(USUAL_URL):
        url, which = USUAL_URL, "the usual port"
    else:
        servers = _find_temporary_servers()
        if len(servers) > 1:
            raise BadSetting(f"Several servers run: {', '.join(servers)}. Name one with --url.")
        if not servers:
            raise BadSetting(
                f"No server was found: none uses ./{USUAL_DIR}, and none answers at {USUAL_URL}. Start one with "
                "`dryline serve`, name one with --url, or name a data directory with --data-dir."
            )
        ((url, directory),) = servers.items()
        which = f"temporary, in {directory}"
    if needs_consent:
        _require_consent(url, which)
    click.echo(f"On {url} ({which}).", err=True)
    return url


def _require_consent(url: str, which: str) -> None:
    """Ask whether the command may change this server. Raises click.Abort, and BadSetting if there is no terminal."""
    command = click.get_current_context().command_path
    if all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        click.confirm(f"No server uses ./{USUAL_DIR}. {command} on {url} ({which})?", abort=True, err=True)
        return
    raise BadSetting(
        f"No server uses ./{USUAL_DIR}. If {command} shall change {url} ({which}), add --url {url}, or --yes."
    )


def find_servers(data_dir: Path, *, with_temporary: bool = False) -> list[str]:
    """Return the address of the server that uses a directory, else the usual one and, if wanted, the temporary ones."""
    if url := _address_if_served(data_dir):
        return [url]
    addresses = [USUAL_URL]
    if with_temporary:
        addresses += _find_temporary_servers()
    return addresses


def _find_temporary_servers() -> dict[str, Path]:
    """Return the directories of this user's temporary servers by their addresses."""
    directories = find_temporary_directories(Path(tempfile.gettempdir()))
    return {url: directory for directory in directories if (url := _address_if_served(directory))}


def _address_if_served(directory: Path) -> str | None:
    """Return the address of the server that uses a directory, None if there is none."""
    with suppress(OSError):
        url = address_in(directory).read_text()
        if is_in_use(directory):
            return url
    return None


def is_answering(url: str) -> bool:
    """Return whether a dryline answers at this address."""
    from dryline.testing.plane import NoReply, send  # noqa: PLC0415  # 21 ms

    try:
        reply = send("GET", f"{url}/_dryline/health", {}, timeout_s=1)
        return json.loads(reply.content)["status"] == "ok"
    except (NoReply, ValueError, TypeError, KeyError):
        return False
