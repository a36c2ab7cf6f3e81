"""The command line: `dryline serve` and what the control plane does, from a shell."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from dryline import __version__, flow_commands
from dryline.remote.commands import drift, pull
from dryline.settings import BadSetting, Settings
from dryline.world.files import write_whole


class DefaultGroup(click.Group):
    """A group whose first word may be left out: `dryline --port 0` is `dryline serve --port 0`.

    A value that cannot work, or cannot even be read, is one clear line and exit code 2.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in where no command is named."""
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h", "--version")):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

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


def setting(flag: str, name: str | None = None, **kwargs: Any) -> Callable[[Any], Any]:
    """An option for the setting of this name (the flag's when None), which a DRYLINE_… variable sets too."""
    word = flag.removeprefix("--").replace("-", "_")
    name = name or word
    kwargs.setdefault("default", getattr(Settings, name))
    variable = f"DRYLINE_{word.upper()}"
    return click.option(flag, name, envvar=variable, show_envvar=True, show_default=True, **kwargs)


DATA_DIR = setting("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where state is.")
ADMIN_TOKEN = setting("--admin-token", help="Demanded by /_dryline in the header x-dryline-token.")
# Of those that may be given several times: how, in the variable.
SEVERAL = "repeatable, in the variable separated by blanks."

SERVE = (
    setting("--host", help="Address to listen on."),
    setting("--port", help="Port to listen on; 0 picks a free one and prints it."),
    DATA_DIR,
    setting("--ephemeral", is_flag=True, help="Keep state in a temporary place, removed at the end."),
    setting("--scenario", help="What a new data directory holds: demo, clinic, campaign, trouble, empty, or a file."),
    setting("--api-key", "api_keys", multiple=True, help=f"A key of the first team; {SEVERAL}"),
    setting("--any-key", is_flag=True, help="Take any other key as one of the first team."),
    setting("--seed", type=int, help="Ids and simulated content repeat from run to run."),
    ADMIN_TOKEN,
    setting("--public-url", help="How clients reach this server, for downloadUrl and recordingUrl behind a proxy."),
    setting("--threads", help="Threads for long reads, such as pages of logs; what waits has its own."),
    setting("--max-body-mb", help="Largest body, in MB."),
    setting("--strict", is_flag=True, help="Refuse unknown body members."),
    setting("--cors-origin", "cors_origins", multiple=True, help=f"Web page origin that may call the API; {SEVERAL}"),
    setting(
        "--allowed-host",
        "allowed_hosts",
        multiple=True,
        help=f"Name beside localhost that this machine may be asked by; {SEVERAL}",
    ),
    setting(
        "--webhook-hosts", multiple=True, help=f"Host beside loopback that webhooks and flows may reach; {SEVERAL}"
    ),
    setting("--speech", help='Who speaks in recordings: auto, tones, or "command: PROGRAM ARGUMENT…".'),
    setting("--recordings-mb", help="Room for the files of recordings, in MB."),
    setting("--model-url", help="Server of OpenAI's chat completions that judges what flows ask, such as http://…/v1."),
    setting("--model", help="Its model."),
    setting("--model-key", help="Its key, where it wants one."),
    setting("--label", help="What the console calls this server, where there are several."),
    setting("--log-format", type=click.Choice(["text", "json"]), help="Form of the log."),
)


@click.group(cls=DefaultGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dryline")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A local, stateful stand-in for a voice-agent workers REST API. Without a command: serve."""
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
    gc.disable()  # what is imported now stays: looking for garbage in it only takes time. `server.serve` enables it.
    try:
        if not values["api_keys"]:
            raise BadSetting("--api-key must not be empty.")
        settings = Settings(**values)
        _remove_stale(ready_file)
        from dryline import server
        from dryline.app import create_app

        with server.bind(settings) as listening:  # before the world: a port that is taken leaves none behind
            server.serve(create_app(settings), listening, ready_file)
    finally:
        gc.enable()  # a start that was refused ends here


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


@cli.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from dryline.app import create_app

    app = create_app(Settings(ephemeral=True, scenario="empty"))
    click.echo(json.dumps(app.openapi.document(), indent=2))
    app.close()


@cli.group()
def state() -> None:
    """Write or read the whole state as one JSON document."""


@state.command("export")
@_with((DATA_DIR, ADMIN_TOKEN))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
def state_export(file: Path, data_dir: Path, admin_token: str | None) -> None:
    """Write the state to FILE (standard output by default)."""
    with Plane(data_dir, admin_token) as plane:
        document = json.dumps(plane("GET", "/state"), indent=2)
    if str(file) == "-":
        click.echo(document)
        return
    try:
        write_whole(file, (document + "\n").encode())
    except OSError as error:
        raise click.FileError(str(file), error.strerror) from None


@state.command("import")
@_with((DATA_DIR, ADMIN_TOKEN))
@click.argument("file", type=click.File("rb"))
@click.option("--add", is_flag=True, help="Add to what is there instead of replacing it.")
def state_import(file: Any, add: bool, data_dir: Path, admin_token: str | None) -> None:
    """Replace the state by the document in FILE (- for standard input)."""
    with Plane(data_dir, admin_token) as plane:
        plane("POST" if add else "PUT", "/state", raw=file.read())


@cli.group()
def keys() -> None:
    """Show, make and revoke API keys."""


@keys.command("list")
@_with((DATA_DIR, ADMIN_TOKEN))
def keys_list(data_dir: Path, admin_token: str | None) -> None:
    """List teams and their keys (never in clear)."""
    with Plane(data_dir, admin_token) as plane:
        click.echo(json.dumps(plane("GET", "/teams"), indent=2))


@keys.command("create")
@_with((DATA_DIR, ADMIN_TOKEN))
@click.option("--team", help="Id of the team; the first one by default.")
@click.option("--name", help="What the key is for.")
def keys_create(team: str | None, name: str | None, data_dir: Path, admin_token: str | None) -> None:
    """Make a key and show it, this once."""
    with Plane(data_dir, admin_token) as plane:
        team = team or plane("GET", "/teams")[0]["id"]
        click.echo(json.dumps(plane("POST", f"/teams/{team}/keys", {"name": name} if name else {}), indent=2))


@keys.command("revoke")
@_with((DATA_DIR, ADMIN_TOKEN))
@click.argument("key_id")
def keys_revoke(key_id: str, data_dir: Path, admin_token: str | None) -> None:
    """Revoke the key of this id."""
    with Plane(data_dir, admin_token) as plane:
        for team in plane("GET", "/teams"):
            if any(key["id"] == key_id for key in team["apiKeys"]):
                plane("DELETE", f"/teams/{team['id']}/keys/{key_id}")
                return
        raise click.ClickException(f"No key {key_id}.")


@cli.command()
@_with((DATA_DIR, ADMIN_TOKEN))
@click.option("--worker", "worker_id", required=True, help="Id of the worker.")
@click.option("--deployment", "deployment_id", required=True, help="Id of its deployment.")
@click.option("--count", default=1, show_default=True, help="How many, 1 to 10000.")
@click.option("--outcome", help="completed, transferred, voicemail, no-answer, busy or failed; a mixture by default.")
@click.option("--seed", type=int, help="The same calls for the same seed.")
@click.option("--follow", type=click.Choice(["flow", "script"]), help="By default the flow where it runs.")
@click.option("--branch", multiple=True, help="A condition of the flow to take; given again, the next one.")
@click.option("--chats", is_flag=True, help="Chats instead of calls.")
def simulate(chats: bool, data_dir: Path, admin_token: str | None, **values: Any) -> None:
    """Make believable calls (or chats) and print the ids of their logs."""
    from dryline.schemas.base import camel

    body = {camel(name): value for name, value in values.items() if value not in (None, ())}
    with Plane(data_dir, admin_token) as plane:
        for id in plane("POST", "/simulate/chats" if chats else "/simulate/calls", body)["ids"]:
            click.echo(id)


@cli.command()
@_with((ADMIN_TOKEN,))
@click.option("--url", required=True, help="Address of the server.")
def mcp(url: str, admin_token: str | None) -> None:
    """Give a coding assistant tools on a server, by the Model Context Protocol."""
    try:
        from dryline.assistant import Server
    except ModuleNotFoundError as missing:
        raise click.ClickException(f"It needs {missing.name}: install dryline with its extra, dryline[mcp].") from None
    from dryline.testing import DrylineError, connect

    try:
        Server(connect(url, admin_token)).run("stdio")
    except DrylineError as error:
        raise click.ClickException(str(error)) from None


cli.add_command(pull)
cli.add_command(drift)


class Plane:
    """The control plane of a data directory: through its running server, or in this process when there is none.

    Whether there is one the directory's lock tells. A world that nobody serves is left as it is, but for what is asked.
    """

    TIMEOUT_S = 300  # a large state takes a while

    def __init__(self, data_dir: Path, admin_token: str | None) -> None:
        self.data_dir, self.token = data_dir, admin_token
        self.app: Any = None
        self.url = ""

    def __enter__(self) -> Plane:
        from dryline.app import create_app
        from dryline.world.directory import InUse, address_in

        try:
            # Without keys: those that the world has are its own affair.
            settings = Settings(data_dir=self.data_dir, admin_token=self.token, api_keys=())
            self.app = create_app(settings, as_it_is=True)
        except InUse as error:
            try:
                self.url = address_in(self.data_dir).read_text()
            except FileNotFoundError:  # another command, or a server that starts or ends
                raise BadSetting(f"{error} It does not say where it answers.") from None
        return self

    def __exit__(self, *exc: object) -> None:
        if self.app is not None:
            self.app.close()

    def __call__(self, method: str, path: str, body: Any = None, raw: bytes | None = None) -> Any:
        """The answer's JSON. Raises click.ClickException with the error's text."""
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "x-dryline-token": self.token or ""}
        status, content = (self._here if self.app else self._there)(method, f"/_dryline{path}", data, headers)
        try:
            answer: Any = json.loads(content) if content else None
            if status < 400:
                return answer
            message = answer["error"]
        except (ValueError, TypeError, KeyError):
            message = f"{self.url} answered {status}, and not as dryline does."
        raise click.ClickException(message)

    def _here(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        answer = self.app.test_client().open(path, method=method, data=data, headers=headers)
        return answer.status_code, answer.data

    def _there(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        from dryline.world.outgoing import Unanswered, send

        try:
            answer = send(method, self.url + path, headers=headers, body=data, timeout_s=self.TIMEOUT_S)
        except Unanswered as error:
            raise click.ClickException(f"The server of {self.data_dir} at {self.url}: {error}") from None
        return answer.status, answer.body


flow_commands.add_to(cli, Plane, DATA_DIR, ADMIN_TOKEN)
