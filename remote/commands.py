"""`dryline pull` and `dryline drift`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from dryline.world.files import write_whole

URL: dict[str, Any] = {"required": True, "help": "Base URL of the running service."}
RATE = click.option("--rate", default=5.0, show_default=True, help="Requests a second, at most; 0 is no bound.")
WORLD = click.Path(path_type=Path, dir_okay=False)


def api_key(variable: str) -> Any:
    """The key of the other service, best given by a variable: a command line can be seen by others."""
    return click.option("--api-key", required=True, envvar=variable, show_envvar=True, help="A key of the team there.")


@click.command()
@click.option("--from", "url", **URL)
@api_key("DRYLINE_PULL_API_KEY")
@click.option("--since", help="Only logs that began after this: 30d, 12h, or an ISO 8601 time.")
@click.option("--worker", "worker_id", help="Only the worker of this id.")
@click.option("--output", type=WORLD, default="world.json", show_default=True, help="Where to write it.")
@RATE
@click.option("--redact", is_flag=True, help="Replace phone numbers and mask what was said.")
def pull(output: Path, since: str | None, worker_id: str | None, redact: bool, **service: Any) -> None:
    """Copy a running service's state into a state document, reading only.

    Interrupted, the same command goes on where it stopped. Load the document with `dryline state import`, or start from
    it with `dryline serve --scenario FILE`.
    """
    import shutil

    from dryline.remote.pull import Pull
    from dryline.remote.reader import Reader, ReadError
    from dryline.remote.redact import redact as redacted

    memory = output.with_name(output.name + ".partial")
    # "30 days ago" must mean the same moment when the command is run again.
    began = memory / f"since-{since}"
    if since is not None:
        memory.mkdir(parents=True, exist_ok=True)
        if not began.exists():
            began.write_text(_moment(since))
    reader = Reader(service["url"], service["api_key"], rate=service["rate"], memory=memory)
    with click.progressbar(length=100, label="pull", file=sys.stderr, item_show_func=lambda text: text) as bar:
        job = Pull(reader, began.read_text() if since is not None else None, worker_id)
        job.tell = lambda text: bar.update(max(0, round(job.done * 100) - bar.pos), text)
        try:
            document = job.run()
        except ReadError as error:
            raise click.ClickException(
                f"{error}. What was read is kept in {memory}; run the same command again."
            ) from None
        bar.update(100 - bar.pos)
    for left_out in job.missing:
        click.echo(f"left out: {left_out}", err=True)
    if redact:
        document = redacted(document)
    write_whole(output, json.dumps(document).encode())
    shutil.rmtree(memory, ignore_errors=True)
    counts = ", ".join(f"{len(rows)} {name}" for name, rows in document.items() if isinstance(rows, list) and rows)
    click.echo(f"{output}: {counts}")


@click.command()
@click.option("--against", "url", **URL)
@click.option(
    "--api-key", required=True, envvar="DRYLINE_DRIFT_API_KEY", show_envvar=True, help="A key of a team there."
)
@RATE
def drift(url: str, **service: Any) -> None:
    """Compare another service's answers with the contract, by safe reads; exit 1 where they leave it.

    The same reads go to a dryline with the demo world, so that a fault of the comparison itself would show.
    """
    from dryline.remote.drift import Drift
    from dryline.remote.reader import Reader, ReadError
    from dryline.server import in_thread
    from dryline.settings import DEFAULT_API_KEY, Settings

    deviating = 0
    with in_thread(Settings(ephemeral=True, port=0)) as own:
        document = own.app.openapi.document()
        for name, reader in (
            ("dryline", Reader(own.url, DEFAULT_API_KEY, rate=0)),
            (url, Reader(url, service["api_key"], rate=service["rate"])),
        ):
            job = Drift(document, reader)
            try:
                findings = list(job.run())
            except ReadError as error:
                raise click.ClickException(str(error)) from None
            for finding in findings:
                click.echo(f"{name}  {finding.operation}  {finding.path}  {finding.what}")
            deviating += sum(not finding.harmless for finding in findings)
            click.echo(
                f"{name}: {len(job.checked)} operations compared, {len(findings)} deviations,"
                f" {len(job.skipped)} operations had nothing to read"
            )
    sys.exit(1 if deviating else 0)


def _moment(text: str) -> str:
    """`30d`, `12h` or an ISO 8601 time, as the wire shows it."""
    import re
    from datetime import UTC, datetime, timedelta

    from dryline.world.clock import parse, wire

    ago = re.fullmatch(r"(\d+)([dh])", text)
    if ago:
        return wire(datetime.now(UTC) - timedelta(**{{"d": "days", "h": "hours"}[ago[2]]: int(ago[1])}))
    try:
        return wire(parse(text))
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither like 30d or 12h nor an ISO 8601 time.") from None
