"""The request record in a file, for who wants it to outlive a restart (`--keep-requests`)."""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path

from dryline.storage.files import write_whole
from dryline.traffic.request_log import Entry, RequestRecord

log = logging.getLogger("dryline")


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
    except (OSError, ValueError, TypeError, LookupError) as error:
        log.warning("The kept request record %s cannot be read: %s.", file, error)


def _texts(entry: Entry) -> dict[str, object]:
    masked = entry._replace(sent=entry.answer)  # tokens are for no file
    return {name: _written(value) for name, value in masked._asdict().items()}


def _written(value: object) -> object:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _entry(texts: dict[str, object]) -> Entry:
    return Entry(**{name: _read(value) for name, value in texts.items()})  # type: ignore[arg-type]


def _read(value: object) -> object:
    """JSON has neither bytes nor tuples."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    return tuple(map(tuple, value)) if isinstance(value, list) else value
