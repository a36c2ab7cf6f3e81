"""`dryline pull`: its options, what it prints, and its exit codes."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from dryline import __version__
from dryline.settings import Settings
from dryline.storage.files import write_whole
from dryline.world.clock import parse, wire

if TYPE_CHECKING:
    from dryline.remote.loadable import Loadable
    from dryline.remote.memory import Memory
    from dryline.remote.pull import Pull

NOT_ALL = 3  # exit code of a pull that had to leave something out


class Refused(click.ClickException):
    """An option that cannot work: one line, exit code 2."""

    exit_code = 2


def base_url(context: Any, parameter: click.Parameter, value: str) -> str:
    """An address that requests can go to."""
    from urllib3.exceptions import LocationParseError
    from urllib3.util import parse_url

    try:
        url = parse_url(value)
        good = url.scheme in ("http", "https") and url.host and not (url.query or url.fragment or url.auth)
        (url.host or "").strip("[]").encode("idna")
    except (LocationParseError, UnicodeError):
        good = False
    if not good:
        raise Refused(f"{parameter.opts[0]}: {value!r} is no address like https://api.example.com.")
    return value


def header_value(context: Any, parameter: click.Parameter, value: str) -> str:
    """A key that can be sent."""
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        raise Refused(f"{parameter.opts[0]}: only printable ASCII without blanks can be sent in a header.")
    return value


def moment(context: Any, parameter: click.Parameter, value: str | None) -> str | None:
    """`30d`, `12h` or an ISO 8601 time, unchanged."""
    if value is not None:
        _moment(value)
    return value


def service(flag: str, variable: str) -> Callable[[Any], Any]:
    """The options that name the other service. Its key is best given by the variable: others can see a command line."""
    options = (
        click.option(flag, "url", required=True, callback=base_url, help="Base URL of the running service."),
        click.option(
            "--api-key",
            required=True,
            envvar=variable,
            show_envvar=True,
            callback=header_value,
            help="A key of the team there.",
        ),
        click.option(
            "--rate",
            type=click.FloatRange(0),
            default=5.0,
            show_default=True,
            help="Requests a second, at most; 0 is no bound.",
        ),
    )

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@click.command()
@service("--from", "DRYLINE_PULL_API_KEY")
@click.option("--since", callback=moment, help="Only logs that began after this: 30d, 12h, or an ISO 8601 time.")
@click.option("--worker", "worker_id", help="Only the worker of this id.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default="world.json",
    show_default=True,
    help="Where to write it; only you can read it then.",
)
@click.option("--redact", is_flag=True, help="Replace numbers and addresses, and mask what came up in conversations.")
def pull(
    url: str, api_key: str, rate: float, output: Path, redact: bool, since: str | None, worker_id: str | None
) -> None:
    """Copy a running service's state into a state document, reading only.

    Interrupted, the same command goes on where it stopped. Load the document with `dryline state import`, or start from
    it with `dryline serve --scenario FILE`. Exit code 0: all of it was written. 3: not all, what was left out is told.
    1: nothing was written. 2: an option cannot work.
    """
    from dryline.remote.memory import Memory, NotAMemory
    from dryline.remote.pull import Pull
    from dryline.remote.reader import Reader
    from dryline.remote.redact import Redactor

    redactor = Redactor(hashlib.sha256(f"dryline redact {api_key}".encode()).digest()) if redact else None
    options = [__version__, url, api_key, redact, since, worker_id]
    try:
        with only_for_the_owner():
            memory = Memory(output.with_name(f"{output.name}.partial"), options, since and _moment(since))
            _tell_of(memory)
            job = Pull(Reader(url, api_key, rate=rate), memory.since, worker_id, memory, redactor)
            with _one_line(memory):
                rows = _watched(job)
            loadable = _fit(rows)
            write_whole(output, orjson.dumps(loadable.document))
            memory.forget()
    except NotAMemory as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename or output}: {error.strerror or error}.") from None
    left_out = [*dict.fromkeys(job.left_out), *_counted(loadable.left_out)]
    for kind, told in (("left out", left_out), ("changed", _counted(loadable.changed))):
        for line in told:
            click.echo(f"{kind}: {line}", err=True)
    counts = (f"{len(rows)} {name}" for name, rows in loadable.document.items() if isinstance(rows, list) and rows)
    click.echo(f"{output}: {', '.join(counts)}")
    sys.exit(NOT_ALL if left_out else 0)


@contextmanager
def only_for_the_owner() -> Iterator[None]:
    """What is written in the block, nobody else can read."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _tell_of(memory: Memory) -> None:
    """Say what an interrupted run has left, and whether it helps."""
    if memory.found:
        click.echo(f"going on from what {memory.folder} has of an interrupted run", err=True)
    if memory.discarded:
        click.echo(f"starting anew: {memory.folder} was of another key, address or options", err=True)


@contextmanager
def _one_line(memory: Memory) -> Iterator[None]:
    """End with one line that says whether the same command would go on, and keep what was read only then."""
    from dryline.remote.reader import ReadError

    try:
        yield
        return
    except KeyboardInterrupt:
        reason, passing = "Interrupted", True
    except ReadError as error:
        reason, passing = str(error), error.passing
    if passing and memory.filled:
        raise click.ClickException(
            f"{reason}. What was read is kept in {memory.folder}: the same command goes on from there."
        )
    memory.forget()
    raise click.ClickException(f"{reason}.")


def _watched(job: Pull) -> dict[str, Any]:
    """What the job copies, while a bar shows how far it is."""
    with click.progressbar(length=100, label="pull", file=sys.stderr, item_show_func=lambda text: text) as bar:
        job.tell = job.reader.tell = lambda text: bar.update(max(0, round(job.done * 100) - bar.pos), text)
        rows = job.run()
        bar.update(100 - bar.pos)
    return rows


def _fit(rows: dict[str, Any]) -> Loadable:
    """The document of these rows that a stand-in can load."""
    from dryline.remote.loadable import Loadable
    from dryline.world.world import World

    with closing(World(Settings(ephemeral=True))) as world, world.active():
        return Loadable(rows, world)


def _counted(counter: Counter[str]) -> list[str]:
    return [f"{line} ({count}x)" for line, count in counter.items()]


def _moment(text: str) -> str:
    """`30d`, `12h` or an ISO 8601 time, as the wire shows it. Raises Refused."""
    ago = re.fullmatch(r"([0-9]+)([dh])", text)
    try:
        if ago:
            return wire(datetime.now(UTC) - timedelta(**{{"d": "days", "h": "hours"}[ago[2]]: int(ago[1])}))
        return wire(parse(text))
    except (ValueError, OverflowError):
        raise Refused(f"--since: {text!r} is neither like 30d or 12h nor an ISO 8601 time.") from None
