"""The control plane, spoken to from a shell: on which world a command works, and how it asks there."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dryline.settings import BadSetting, Settings

# The directory and the address of a server that was started without flags.
USUAL_DIRECTORY = Settings.data_dir
USUAL_URL = f"http://{Settings.host}:{Settings.port}"


def _unless_flagged(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """A variable names the world only where no flag does: one for `dryline serve` is in nobody's way."""
    flagged = [name for name in ("url", "data_dir") if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    return value if not flagged or option.name in flagged else None


_OPTIONS = (
    click.option(
        "--url",
        envvar="DRYLINE_URL",
        show_envvar=True,
        callback=_unless_flagged,
        help="The server; by default the one that runs.",
    ),
    click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="DRYLINE_DATA_DIR",
        callback=_unless_flagged,
        show_envvar=True,
        help="Instead: the world in this directory, whether it is served or not.",
    ),
    click.option(
        "--admin-token",
        envvar="DRYLINE_ADMIN_TOKEN",
        show_envvar=True,
        help="What it demands in the header x-dryline-token.",
    ),
)


def world_options(command: Any) -> Any:
    """Let a command be told on which world it works: its options `url`, `data_dir` and `admin_token`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def on_world(command: Callable[..., Any], *, takes_away: bool = False) -> Any:
    """Have a command work on a world: it is given its control plane first."""

    @world_options
    @wraps(command)
    def run(url: str | None, data_dir: Path | None, admin_token: str | None, **values: Any) -> Any:
        with Plane(url, data_dir, admin_token, takes_away=takes_away) as plane:
            return command(plane, **values)

    return run


def on_own_world(command: Callable[..., Any]) -> Any:
    """As `on_world`, for a command that takes away what is there: a temporary world is to be named."""
    return on_world(command, takes_away=True)


class DefaultGroup(click.Group):
    """A group whose first word may be left out: `dryline --port 0` is `dryline serve --port 0`."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default in where no command is named."""
        options = {name for each in self.get_params(ctx) for name in each.opts}
        named = args and (not args[0].startswith("-") or args[0] in options)
        if not named and (args or not ctx.resilient_parsing):  # a shell that completes nothing wants the names
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """The commands, and the default's options."""
        found = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            command = self.commands[self.default]
            found += command.shell_complete(click.Context(command, parent=ctx), incomplete)
        return found


class Plane:
    """The control plane of one world: through its server, or in this process where a directory without one is named.

    With neither address nor directory it is that of the server that runs: where there is none, or more than one, that
    is a refusal, and which one was found is said. One in a temporary place is refused, too, to a command that
    `takes_away` what is there. A world that nobody serves is left as it is, but for what is asked.
    """

    TIMEOUT_S = 300  # a large state takes a while

    def __init__(
        self,
        url: str | None = None,
        data_dir: Path | None = None,
        admin_token: str | None = None,
        *,
        takes_away: bool = False,
    ) -> None:
        self.data_dir, self.token, self.takes_away = data_dir, admin_token, takes_away
        self.app: Any = None
        self.url = (url or "").rstrip("/")

    def __enter__(self) -> Plane:
        if self.url and self.data_dir is not None:
            raise BadSetting("Name the world by --url or by --data-dir, not by both.")
        if self.data_dir is not None:
            self._open(self.data_dir)
        elif not self.url:
            self.url = _the_running_one(takes_away=self.takes_away)
        elif not self.url.startswith(("http://", "https://")):
            raise BadSetting(f"--url must start with http:// or https://, not {self.url!r}.")
        return self

    def _open(self, data_dir: Path) -> None:
        from dryline.app import create_app
        from dryline.world.directory import InUse, address_in

        try:
            # Without keys: those that the world has are its own affair.
            self.app = create_app(Settings(data_dir=data_dir, admin_token=self.token, api_keys=()), as_it_is=True)
        except InUse as error:
            try:
                self.url = address_in(data_dir).read_text()
            except FileNotFoundError:  # another command, or a server that starts or ends
                raise BadSetting(f"{error} It does not say where it answers.") from None

    def __exit__(self, *exc: object) -> None:
        if self.app is not None:
            self.app.close()

    def __call__(self, method: str, path: str, body: Any = None, raw: bytes | None = None) -> Any:
        """The answer's JSON. Raises Refused with the error's text."""
        return read(self.url, *self.ask(method, path, body, raw))

    def ask(self, method: str, path: str, body: Any = None, raw: bytes | None = None) -> tuple[int, bytes]:
        """Status and body of the answer. Raises NoAnswer where there is none."""
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "x-dryline-token": self.token or ""}
        return (self._here if self.app else self._there)(method, f"/_dryline{path}", data, headers)

    def _here(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        answer = self.app.test_client().open(path, method=method, data=data, headers=headers)
        return answer.status_code, answer.data

    def _there(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        from dryline.world.outgoing import Unanswered, send

        try:
            answer = send(method, self.url + path, headers=headers, body=data, timeout_s=self.TIMEOUT_S)
        except Unanswered as error:
            raise NoAnswer(f"The server at {self.url}: {error}") from None
        return answer.status, answer.body


class NoAnswer(click.ClickException):
    """No server answers, or it broke off."""


class Refused(click.ClickException):
    """The control plane said no: `status` is that of its answer, and `answer` all that it said."""

    def __init__(self, message: str, status: int, answer: Any = None) -> None:
        super().__init__(message)
        self.status, self.answer = status, answer or {}


def read(url: str, status: int, content: bytes, *, of_several: bool = False) -> Any:
    """The JSON that a server has answered. Raises Refused, which names it where it is one `of_several`."""
    try:
        answer: Any = json.loads(content) if content else None
        if status < 300:
            return answer
        raise Refused(f"{url}: {answer['error']}" if of_several else answer["error"], status, answer)
    except (ValueError, TypeError, KeyError):
        raise Refused(f"{url} answered {status}, and not as dryline does.", status) from None


def _the_running_one(*, takes_away: bool) -> str:
    """The address of the one server that runs here, which is said. Raises BadSetting."""
    found = dict(_running())
    if not found:
        raise BadSetting(
            f"No server was found: none has ./{USUAL_DIRECTORY}, and {USUAL_URL} does not answer. Start one with "
            "dryline serve, name one with --url, or a world that nobody serves with --data-dir."
        )
    told = ", ".join(
        f"{url} ({f'its state is in {place}' if place else 'the usual port'})" for url, place in found.items()
    )
    if len(found) > 1:
        raise BadSetting(f"Several servers run: {told}. Name one with --url.")
    ((url, place),) = found.items()
    # Neither its place nor its port is the usual one: it may be a test run's, whose state no guess may cost it.
    if takes_away and url != USUAL_URL and place != USUAL_DIRECTORY:
        raise BadSetting(f"The one server that runs may be a test run's: {told}. Name it with --url if it is meant.")
    click.echo(f"On {told}.", err=True)
    return url


def _running() -> Iterator[tuple[str, Path | None]]:
    """Address and directory of the servers whose worlds lie where they do by default or in a temporary place.

    The one at the usual port is there without a directory where its world lies elsewhere.
    """
    from dryline.world.directory import address_in, is_in_use, temporary_ones

    known = set()
    for directory in (USUAL_DIRECTORY, *temporary_ones(Path(tempfile.gettempdir()))):
        with suppress(OSError):
            url = address_in(directory).read_text()
            if url not in known and is_in_use(directory):
                known.add(url)
                yield url, directory
    if USUAL_URL not in known and _answers(USUAL_URL):
        yield USUAL_URL, None


def _answers(url: str) -> bool:
    """Whether a dryline does."""
    from dryline.world.outgoing import Unanswered, send

    try:
        answer = send("GET", f"{url}/_dryline/health", timeout_s=1)
        return json.loads(answer.body)["status"] == "ok"
    except (Unanswered, ValueError, TypeError, KeyError):
        return False
