"""Output of the commands: lines, JSON and files."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(document: Any) -> None:
    click.echo(json.dumps(document, indent=2))


def print_rows(
    rows: list[dict[str, Any]], as_json: bool, format_row: Callable[[dict[str, Any]], Iterable[str]], nothing: str
) -> None:
    """Print rows as JSON, or as the lines of `format_row`. Without rows, print `nothing` to standard error."""
    if as_json:
        print_json(rows)
        return
    for row in rows:
        for line in format_row(row):
            click.echo(line)
    if not rows:
        print_done(nothing)


def print_done(message: str) -> None:
    """Print a message about the command's success to standard error, so that standard output has only data."""
    click.echo(message, err=True)


def write_file(file: Path, content: bytes) -> None:
    """Write a file completely or not at all. Raises click.FileError."""
    from dryline.storage.files import write_whole

    try:
        write_whole(file, content)
    except OSError as error:
        raise click.FileError(str(file), error.strerror) from None
