"""Output of the commands: lines, JSON and files."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from dryline.storage.output_files import write_output

STANDARD = "-"  # as the name of a file: standard output or input
OUTPUT_FILE = click.Path(path_type=Path, dir_okay=False, readable=False, writable=True, allow_dash=True)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_rows(
    rows: list[dict[str, Any]], as_json: bool, format_row: Callable[[dict[str, Any]], Iterable[str]], nothing: str
) -> None:
    """Print rows as JSON, or as the lines of `format_row`. Without rows, print `nothing` to standard error."""
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        for line in format_row(row):
            click.echo(line)
    if not rows:
        print_done(nothing)


def print_done(message: str) -> None:
    """Print a message about the command's success to standard error, so that standard output has only data."""
    click.echo(message, err=True)


def write_document(file: Path, document: Any) -> None:
    """Write a document as indented JSON to a file, and say so, or to standard output for `-`."""
    write_file(file, f"{json.dumps(document, indent=2)}\n".encode())
    if str(file) != STANDARD:
        print_done(f"Wrote {file}.")


def write_file(file: Path, content: bytes) -> None:
    """Write a file, or standard output for `-`. Raises click.ClickException."""
    if str(file) == STANDARD:
        if sys.stdout is None:
            raise click.ClickException("Standard output is closed.")
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    try:
        write_output(file, content)
    except OSError as error:
        raise click.ClickException(f"Cannot write {file}: {error.strerror}.") from None


def buffer_output() -> None:
    """Give standard output a buffer, which PYTHONUNBUFFERED leaves out.

    Without one Python ignores a write that the system cuts short, as on a disk that becomes full.
    """
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.RawIOBase):
        buffered = io.BufferedWriter(stream.buffer)
        sys.stdout = io.TextIOWrapper(buffered, stream.encoding, stream.errors, line_buffering=True)


@contextlib.contextmanager
def refusing_io_errors() -> Iterator[None]:
    """Turn failures of input and output in a block into click.ClickException."""
    try:
        yield
    except UnicodeEncodeError as error:
        character = ascii(error.object[error.start])
        hint = "" if error.encoding == "utf-8" else " PYTHONIOENCODING=utf-8 changes the encoding of the output."
        raise click.ClickException(f"The encoding {error.encoding} has no {character}.{hint}") from None
    except UnicodeDecodeError as error:
        raise click.ClickException(f"The input is not text in the encoding {error.encoding}.") from None
    except OSError as error:
        _discard_output()
        subject = "Input or output failed" if error.filename is None else error.filename
        raise click.ClickException(f"{subject}: {error.strerror or error}.") from None


def _discard_output() -> None:
    """Discard output that cannot be written. The interpreter would try it again at its exit, and fail."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
