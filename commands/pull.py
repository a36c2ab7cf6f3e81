"""`dryline pull` and `dryline drift`: options, output and exit codes."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import orjson

from dryline.commands.client import require_base_url
from dryline.commands.output import OUTPUT_FILE, STANDARD, write_file
from dryline.settings import BadSetting, Settings, header_problem
from dryline.world.clock import parse, wire
from dryline.world.masking import mask_addresses
from dryline.world.wording import count

INCOMPLETE = 3  # exit code of a pull that left something out


def require_header_value(context: Any, parameter: click.Parameter, value: str) -> str:
    """Return an option's value if a header can carry it. Raises BadSetting."""
    if problem := header_problem(value):
        raise BadSetting(f"{parameter.opts[0]} {problem}")
    return value


def read_moment(context: Any, parameter: click.Parameter, value: str | None) -> str | None:
    """Return an option's value, `30d`, `12h` or an ISO 8601 time, as a time on the wire. Raises BadSetting."""
    if value is None:
        return None
    ago = re.fullmatch(r"([0-9]+)([dh])", value)
    try:
        if ago is None:
            return wire(parse(value))
        number = int(ago[1])
        length = timedelta(days=number) if ago[2] == "d" else timedelta(hours=number)
        return wire(datetime.now(UTC) - length)
    except (ValueError, OverflowError):
        raise BadSetting(f"--since: {value!r} is neither like 30d or 12h nor an ISO 8601 time.") from None


def service_options(flag: str, variable: str) -> Callable[[Any], Any]:
    """Return a decorator that adds the options of the other service.

    Its key is better passed in `variable`: other users of the machine can read a command line.
    """
    address = click.option(flag, "url", required=True, callback=require_base_url, help="Base URL of the other service.")
    key = click.option(
        "--api-key",
        required=True,
        envvar=variable,
        show_envvar=True,
        callback=require_header_value,
        help="A key of that team.",
    )
    rate = click.option(
        "--rate",
        type=click.FloatRange(0),
        default=5.0,
        show_default=True,
        help="Most requests per second; 0: no limit.",
    )
    return lambda command: address(key(rate(command)))


@click.command()
@service_options("--from", "DRYLINE_PULL_API_KEY")
@click.option("--since", callback=read_moment, help="Only logs that began after this: 30d, 12h, or an ISO 8601 time.")
@click.option("--worker", "worker_id", help="Only the worker with this id.")
@click.option(
    "--output",
    type=OUTPUT_FILE,
    default="world.json",
    show_default=True,
    help="File for the state document (-: standard output). Only you can read a new one.",
)
@click.option("--redact", is_flag=True, help="Replace numbers and addresses, and mask the content of conversations.")
def pull(
    url: str, api_key: str, rate: float, output: Path, redact: bool, since: str | None, worker_id: str | None
) -> None:
    """Copy a service's state into a state document. It only reads.

    Load the document with `dryline state import`, or start with it: `dryline serve --scenario FILE`. Exit codes: 0,
    everything was written; 3, a part was left out, which is printed; 1, nothing was written; 2, an option cannot work.
    """
    from dryline.commands.remote.loadable import Loadable  # noqa: PLC0415  # 91 ms
    from dryline.commands.remote.pull import Pull  # noqa: PLC0415  # 22 ms
    from dryline.commands.remote.reader import Reader, ReadError  # noqa: PLC0415  # 32 ms
    from dryline.commands.remote.redact import Redactor  # noqa: PLC0415  # 85 ms
    from dryline.world.world import World  # noqa: PLC0415  # 21 ms

    folder = Path(os.path.realpath(output)).parent
    if str(output) != STANDARD and not output.exists() and not os.access(folder, os.W_OK):  # before the service is read
        raise click.ClickException(f"Cannot write to the folder {folder}. Name another file with --output.")
    job = Pull(Reader(url, api_key, rate=rate), since, worker_id)
    if sys.stderr.isatty():
        job.reader.on_progress = lambda text: click.echo(text, err=True)
    try:
        rows = job.run()
        if redact:
            redactor = Redactor(hashlib.sha256(f"dryline redact {api_key}".encode()).digest())
            for name, of_collection in rows.items():
                rows[name] = [redactor.redacted_row(name, row) for row in of_collection]
        with closing(World(Settings(ephemeral=True))) as world, world.active():
            loadable = Loadable(rows, world)
        write_file(output, orjson.dumps(loadable.document))
    except KeyboardInterrupt:
        raise click.ClickException("Interrupted. Nothing was written.") from None
    except ReadError as error:
        raise click.ClickException(f"{error}.") from None
    left_out = [*dict.fromkeys(job.left_out), *_lines_with_counts(loadable.left_out)]
    for kind, lines in (("left out", left_out), ("changed", _lines_with_counts(loadable.changed))):
        for line in lines:
            click.echo(f"{kind}: {line}", err=True)
    sizes = (f"{len(rows)} {name}" for name, rows in loadable.document.items() if isinstance(rows, list) and rows)
    click.echo(f"{output}: {', '.join(sizes)}", err=str(output) == STANDARD)
    sys.exit(INCOMPLETE if left_out else 0)


@click.command()
@service_options("--against", "DRYLINE_DRIFT_API_KEY")
def drift(url: str, api_key: str, rate: float) -> None:
    """Compare a service's answers with the contract. It only reads.

    Exit codes: 0, no answer deviates; 1, some do; 2, nothing could be compared.
    """
    from dryline.app import create_app  # noqa: PLC0415  # 276 ms
    from dryline.commands.remote.drift import Drift  # noqa: PLC0415  # 33 ms
    from dryline.commands.remote.reader import Reader, ReadError  # noqa: PLC0415  # 32 ms

    with closing(create_app(Settings(ephemeral=True, scenario="empty"))) as app:
        job = Drift(app.openapi.document(), Reader(url, api_key, rate=rate, tries=3))
    try:
        findings = list(job.run())
    except ReadError as error:
        raise BadSetting(f"{error}.") from None
    for finding in findings:
        click.echo(f"{finding.operation}  {finding.path}  {finding.what}")
    for operation, reason in job.skipped.items():
        click.echo(f"{operation}  not compared: {reason}")
    click.echo(
        f"{mask_addresses(url)}: {len(job.checked)} of {len(job.checked) + len(job.skipped)} operations compared, "
        f"{len(job.empty)} of them by empty lists, {count(len(findings), 'deviation')}"
    )
    sys.exit(0 if all(finding.what == "unknown member" for finding in findings) else 1)


def _lines_with_counts(counter: Counter[str]) -> list[str]:
    return [f"{line} ({count}x)" for line, count in counter.items()]
