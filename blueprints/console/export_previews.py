"""The content of export files, as the page of an export shows it."""

import contextlib
import csv
import io
import itertools
import json
from collections.abc import Iterator
from typing import Any

from dryline.models.exports import Export

PREVIEW_BYTES = 130_000  # no cell in them is too long for the module csv


def preview(export: Export, count: int) -> tuple[list[str], list[list[Any]]]:
    """Return the names and the first `count` records within the first bytes of a finished file; none without a file."""
    try:
        with export.path.open("rb") as file:
            text = file.read(PREVIEW_BYTES).decode(errors="ignore")
            is_complete = not file.read(1)
    except OSError:
        return [], []
    if export.format == "CSV":
        rows = list(itertools.islice(csv.reader(io.StringIO(text, newline="")), count + 2))
        return rows[0], rows[1 : len(rows) if is_complete else -1][:count]
    records = list(itertools.islice(_complete_records(text), count))
    names = list(dict.fromkeys(name for record in records for name in record))
    return names, [[record.get(name) for name in names] for record in records]


def _complete_records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the complete records of a JSON array that may be cut off."""
    decoder, at = json.JSONDecoder(), 1
    with contextlib.suppress(json.JSONDecodeError):
        while at < len(text):
            record, end = decoder.raw_decode(text, at)
            yield record
            at = end + 1
