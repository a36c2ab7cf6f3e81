"""The request record in a file, for who wants it to outlive a restart (`--keep-requests`)."""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path

from dryline.world.files import write_whole
from dryline.world.request_record import Entry, RequestRecord

log = logging.getLogger("dryline")

_BYTES = ("body", "answer")


def file_in(directory: Path) -> Path:
    """Where a data directory has it."""
    return directory / "requests.jsonl"


def save(record: RequestRecord, file: Path) -> None:
    """Write what is recorded, a line a request. What cannot be written is told and lost."""
    lines = [json.dumps(_texts(entry)) for entry in record.kept()]
    try:
        write_whole(file, "".join(f"{line}\n" for line in lines).encode(), durable=False)
    except OSError as error:
        log.warning("The request record could not be kept: %s.", error)


def load(record: RequestRecord, file: Path) -> None:
    """Take up what was written, where there is such a file. One that cannot be read is told and left."""
    try:
        record.take_up([_entry(json.loads(line)) for line in file.read_text().splitlines()])
    except FileNotFoundError:
        pass
    except (OSError, ValueError, TypeError) as error:
        log.warning("The kept request record %s cannot be read: %s.", file, error)


def _texts(entry: Entry) -> dict[str, object]:
    return entry._asdict() | {name: base64.b64encode(getattr(entry, name)).decode() for name in _BYTES}


def _entry(texts: dict[str, object]) -> Entry:
    values = texts | {name: base64.b64decode(str(texts[name])) for name in _BYTES}
    for name in ("headers", "answer_headers"):
        values[name] = tuple(map(tuple, values[name]))  # type: ignore[call-overload]
    return Entry(**values)  # type: ignore[arg-type]
