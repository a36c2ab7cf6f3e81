"""Write export files: rows go from the database to CSV or JSON a batch at a time, in constant memory."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson
from peewee import SQL

from dryline.jobs.csv_text import CsvColumn, csv_header, csv_lines
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.exports import FILES, LOGS, Export
from dryline.models.logs import Log
from dryline.models.recording_addresses import Addresses
from dryline.models.recordings import addresses_at
from dryline.models.voice_log_filters import conditions, register_text_search
from dryline.schemas.exports import FORMS, members, read_filters
from dryline.storage.current_world import current
from dryline.storage.files import rename
from dryline.storage.record import connection, wire_rows

STEP = 100_000  # of SQLite's virtual machine
HEAD_BYTES = 130_000  # looked at of a file to show how it begins; no cell is longer than `csv` reads
BATCH_ROWS = 200
SUFFIXES = (".csv", ".json", ".part")


class Stopped(Exception):
    """Told to stop; the export is for another time."""


class Source(NamedTuple):
    """The asked rows of one log table: `columns` maps the wire's name to the attribute, None where it has none."""

    model: type[Log]
    columns: Mapping[str, str | None]
    windows: list[tuple[Any, list[Any]]]


def write(export: Export, part: Path, stop: Callable[[], bool]) -> tuple[int, int]:
    """Write what the export asks for to `part`. Returns how many records and bytes it holds.

    Calls in progress are left out. In a world that is to outlive a power cut it is on the disk then. Logs come channel
    by channel, each from the oldest to the newest. `stop` is asked again and again, in equal steps of work; it ends it.
    Raises OSError, sqlite3.Error, Stopped, and marshmallow's ValidationError for filters that came in with a state
    document and make no sense.
    """
    with part.open("xb", buffering=1 << 20) as file:
        with _interruptible(stop), current().reading():  # one view of the data, however long it takes
            rows = _write_csv(export, file) if export.format == "CSV" else _write_json(export, file)
        file.flush()
        if current().durable:
            os.fsync(file.fileno())
        return rows, os.fstat(file.fileno()).st_size


@contextlib.contextmanager
def _interruptible(stop: Callable[[], bool]) -> Iterator[None]:
    """Let `stop` break off a query, also one that looks long for its next match. Raises Stopped then."""
    db = connection()
    db.set_progress_handler(stop, STEP)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise Stopped from None
        raise
    finally:
        db.set_progress_handler(None, 0)


def part_of(export: Export) -> Path:
    """A new name for a file that is being written. No two attempts share one."""
    return export.path.with_suffix(f".{secrets.token_hex(8)}.part")


def put_in_place(part: Path, path: Path) -> None:
    """Give a finished file its name, for good. Raises OSError."""
    rename(part, path)


def found() -> list[Path]:
    """Every file that an export has left, finished or not."""
    return [path for path in FILES.folder.iterdir() if path.suffix in SUFFIXES]


def written(export: Export) -> int | None:
    """How many bytes of its file are there by now, whole or in the making; None where there is none."""
    sizes = []
    for path in [export.path, *FILES.folder.glob(f"{export.path.stem}.*.part")]:
        with contextlib.suppress(OSError):  # it may go, or get its name, just then
            sizes.append(path.stat().st_size)
    return max(sizes, default=None)


def head(export: Export, count: int) -> tuple[list[str], list[list[Any]]]:
    """The names and the first `count` records of a finished file, within its first HEAD_BYTES. Without a file, none."""
    try:
        with export.path.open("rb") as file:
            text = file.read(HEAD_BYTES).decode(errors="ignore")
            whole = not file.read(1)
    except OSError:
        return [], []
    if export.format == "CSV":
        rows = list(itertools.islice(csv.reader(io.StringIO(text, newline="")), count + 2))
        return rows[0], rows[1 : len(rows) if whole else -1][:count]
    records = list(itertools.islice(_records(text), count))
    names = list(dict.fromkeys(name for record in records for name in record))
    return names, [[record.get(name) for name in names] for record in records]


def _records(text: str) -> Iterator[dict[str, Any]]:
    """The whole records at the beginning of an array's text."""
    decoder, at = json.JSONDecoder(), 1
    with contextlib.suppress(json.JSONDecodeError):
        while at < len(text):
            record, end = decoder.raw_decode(text, at)
            yield record
            at = end + 1


def _write_csv(export: Export, file: IO[bytes]) -> int:
    """Write a header and the rows. Return the number of rows."""
    names = export.fields or members(export.log_type)
    file.write(csv_header(names))
    count, addresses = 0, _addresses(export)
    for source in _sources(export):
        columns = [CsvColumn(source.model, source.columns.get(name), addresses) for name in names]
        with _text_as_bytes():
            for rows in _batches(source, [column.cell for column in columns]):
                *batch, _, ids = zip(*rows, strict=True)
                file.write(csv_lines([column.format(cells, ids) for column, cells in zip(columns, batch, strict=True)]))
                count += len(rows)
    return count


def _write_json(export: Export, file: IO[bytes]) -> int:
    """One array of records as on the wire. Without `fields`, each has the members of its own type of log."""
    count, comma, addresses = 0, b"[", _addresses(export)
    for source in _sources(export):
        names = export.fields or list(source.columns)
        held = {name: attribute for name in names if (attribute := source.columns.get(name))}
        read = held or {"id": "id"}  # a row is a row, even if it has none of the members
        heard = [name for name, attribute in read.items() if attribute == "recording_url"]
        columns = [source.model._meta.fields[attribute] for attribute in read.values()]
        for rows in _batches(source, columns):
            records = wire_rows(source.model, read, rows)
            for name in heard:
                addresses.put_into(records, name, map(itemgetter(-1), rows))
            if len(held) < len(names):
                records = [{name: record.get(name) for name in names} for record in records]
            file.write(comma + orjson.dumps(records)[1:-1])
            count, comma = count + len(rows), b","
    file.write(b"[]" if count == 0 else b"]")
    return count


def _addresses(export: Export) -> Addresses:
    world = current()
    return addresses_at(world.settings.public_url or export.base_url or world.base_url)


@contextlib.contextmanager
def _text_as_bytes() -> Iterator[None]:
    """Read text as bytes, so that it is not decoded only to be encoded again."""
    db = connection()
    db.text_factory = bytes
    try:
        yield
    finally:
        db.text_factory = str


def _batches(source: Source, columns: list[Any]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows in batches, oldest first; each ends with its time and the log's id. Raises Stopped at shutdown."""
    model, shutdown = source.model, current().ending
    started, not_started = [
        model.select(*columns, time.alias("time"), model.id).where(*conditions) for time, conditions in source.windows
    ]
    # SQLite merges both. The index on team and start time has the order of the first; only the second is sorted in
    # memory, which few logs belong to.
    sql, params = (started + not_started).order_by(SQL("time"), SQL("id")).sql()
    cursor = connection().execute(sql, params)
    while rows := cursor.fetchmany(BATCH_ROWS):
        if shutdown.is_set():
            raise Stopped
        yield rows


def _sources(export: Export) -> Iterator[Source]:
    filters = read_filters(export.filters_json)
    if "search_query" in filters:
        register_text_search()
    for log_type in [export.log_type] if export.log_type else LOGS:
        log = LOGS[log_type]
        asked = [log.team_id == export.team_id, *CallInProgress.ended_only(log, export), *conditions(filters, log)]
        if export.worker_id is not None:
            asked.append(log.worker_id == export.worker_id)
        if export.deployment_id is not None:
            asked.append(log.deployment_id == export.deployment_id)
        windows = [(time, [*asked, *in_window]) for time, in_window in _windows(export, log)]
        yield Source(log, FORMS[log_type].wire_names, windows)


def _windows(export: Export, log: type[Log]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield times and conditions: the logs that started in the window, and those without a start created in it."""
    for time, in_window in (
        (log.start_time, [log.start_time.is_null(False)]),
        (log.created_at, [log.start_time.is_null()]),
    ):
        if export.start_date is not None:
            in_window.append(time >= export.start_date)
        if export.end_date is not None:
            in_window.append(time <= export.end_date)
        yield time, in_window
