"""What the commands print and write."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

AS_JSON = click.option("--json", "as_json", is_flag=True, help="As JSON.")


def show_all(found: Iterable[dict[str, Any]], as_json: bool, told: Callable[[dict[str, Any]], Iterable[str]]) -> None:
    """Show what was found, in lines for a person or as JSON."""
    if as_json:
        show(found)
        return
    for one in found:
        for line in told(one):
            click.echo(line)


def query_of(**values: Any) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def show(document: Any) -> None:
    click.echo(json.dumps(document, indent=2))


def write_file(file: Path, content: bytes) -> None:
    """Write a file that a command was told of, whole or not at all. Raises click.FileError."""
    from dryline.storage.files import write_whole

    try:
        write_whole(file, content)
    except OSError as error:
        raise click.FileError(str(file), error.strerror) from None
