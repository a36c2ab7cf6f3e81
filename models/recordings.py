"""Recordings of calls: their addresses, the check of a signed link, and the files without a log.

A log stores a neutral address, so that its row means the same on any server. In responses it becomes the address of a
file on this server, signed and valid for a day; simulator/recording_files.py makes the file when it is first fetched.
The address of another host stays as it is.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from peewee import chunked

from dryline.models.row_files import RowFiles
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.errors import NotFound
from dryline.storage.record import tuples
from dryline.world.clock import wire

FILES = RowFiles("recordings")
USE = "get"

NEUTRAL = "https://recordings.dryline.invalid/"
# mp3: earlier versions stored that.
_STORED = re.compile(re.escape(NEUTRAL) + r"([^/?#\s]+)\.(?:wav|mp3)")
_UNRESERVED = re.compile(r"[\w.~-]*", re.ASCII)

# How long an address is valid in API time, counted from the full hour: within an hour a call's address stays the same,
# so that a page that is loaded again goes on playing.
LIFE = timedelta(hours=25)

_DIGEST = re.compile("[0-9a-f]{64}")

# The files that simulator/recording_files.py is writing, by their names.
IN_PROGRESS: WorldLocal[set[str]] = WorldLocal(lambda world: set())


class RecordingAddresses:
    """The addresses that clients see on a server that they reach at `base`, valid `until` a moment of API time."""

    def __init__(self, base: str, until: str) -> None:
        self._base = base
        self._until = until
        self._signer = FILES.signer(USE, until)

    def of(self, log_id: str, stored: str | None) -> str | None:
        """Return the address that clients see for the one that a log stores. That of another host stays as it is."""
        match = _STORED.fullmatch(stored) if stored else None
        if match is None:
            return stored
        name, log = match[1], log_id
        if not _UNRESERVED.fullmatch(name + log):  # quote() would take a tenth of a page of logs
            name, log = quote(name, safe=""), quote(log, safe="")
        signature = self._signer.get_signature(log_id).decode()
        return f"{self._base}/recordings/{name}.wav?log={log}&until={self._until}&signature={signature}"

    def put_into(self, rows: Sequence[dict[str, Any]], name: str, ids: Iterable[str]) -> None:
        """Replace the stored addresses in the member `name` of rows; `ids` are the ids of their logs."""
        for row, log_id in zip(rows, ids, strict=True):
            row[name] = self.of(log_id, row[name])


def recording_name(stored: str | None) -> str | None:
    """Return the name of a recording from the address that its log stores; None if that is of another host."""
    match = _STORED.fullmatch(stored) if stored else None
    return match[1] if match else None


def neutral_address(call_sid: str) -> str:
    """Return the address that the log of a call stores."""
    return f"{NEUTRAL}{call_sid}.wav"


def addresses_at(base: str) -> RecordingAddresses:
    """Return the addresses of recordings for clients that reach the server at `base`, valid from now."""
    hour = current().now().replace(minute=0, second=0, microsecond=0)
    return RecordingAddresses(base, wire(hour + LIFE))


def log_of_link(name: str, log: str, until: str, signature: str) -> VoiceLog:
    """Return the log of a recording's link. Assumed: as for exports.

    Raises Forbidden if the link was altered or has expired, NotFound if the log was deleted or has another address.
    """
    record = VoiceLog.find(id=log)
    FILES.check_signature(USE, log, until, signature)
    if record is None or recording_name(record.recording_url) != name:
        raise NotFound(f"Recording {name} not found.")
    return record


def sweep() -> bool:
    """Delete files without a log, and unfinished ones. Returns whether there were any."""
    in_progress = IN_PROGRESS.of(current())

    def owned(names: Collection[str]) -> set[str]:
        logs = _stems_with_logs(set(filter(None, map(_stem, names))))
        return {name for name in names if name.removesuffix(".part") in in_progress or _stem(name) in logs}

    return FILES.sweep(owned)


def _stem(name: str) -> str | None:
    """Return the part of a file's name that stands for its log, or None for an unfinished file."""
    return None if name.endswith(".part") else name.partition(".")[0]


def _stems_with_logs(stems: set[str]) -> set[str]:
    """Return the stems of file names whose logs exist."""
    ids = VoiceLog.select(VoiceLog.id)
    existing: set[str] = set()
    for some in chunked(stems, 1000):
        existing.update(id for (id,) in tuples(ids.where(VoiceLog.id.in_(some))))
    # The digest of an id that is no file name. Such ids are rare, so reading all logs may take long.
    if any(_DIGEST.fullmatch(stem) for stem in stems - existing):
        existing |= {FILES.path(id).name for (id,) in tuples(ids)}
    return existing
