"""Recordings of calls: where one is heard, and who may hear it.

A log keeps an address that leads nowhere, so that its row means the same on any server. Where it is shown the address
becomes that of a file on this server, signed and good for a day; jobs/studio.py makes the file when it is first
fetched. The address of another host is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import timedelta
from typing import Any

import orjson

from dryline.models.recording_addresses import FILES, NEUTRAL, USE, Addresses, recording_name
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.storage.record import connection
from dryline.world.clock import wire, work_for

# How long an address works, in API time, counted from the full hour: within one, a call's address stays the same, so
# that a page that is read again goes on playing.
LIFE = timedelta(hours=25)

_DIGEST = re.compile("[0-9a-f]{64}")


def neutral_address(call_sid: str) -> str:
    """What the log of a call keeps."""
    return f"{NEUTRAL}{call_sid}.wav"


def addresses_at(base: str) -> Addresses:
    """Those of recordings as a server that is reached at `base` shows them now."""
    hour = current().clock.now().replace(minute=0, second=0, microsecond=0)
    return Addresses(base, wire(hour + LIFE))


def behind_link(name: str, log: str, until: str, signature: str) -> VoiceLog:
    """The log whose recording a link leads to. Assumed: as for exports.

    Raises Forbidden when the link is altered or expired, NotFound when the log is gone or has another address by now.
    """
    found = VoiceLog.find(id=log)
    work_for(found.team_id if found else None)
    FILES.check_signature(USE, log, until, signature)
    if found is None or recording_name(found.recording_url) != name:
        raise NotFound(f"Recording {name} not found.")
    return found


def being_made() -> dict[str, Any]:
    """The files that are being made now, by their names; jobs/studio.py keeps it."""
    return current().memory.setdefault("recordings that are being made", {})


def sweep() -> bool:
    """Remove the files whose logs are gone, and what was never finished. Says whether there were any."""
    making = being_made()

    def owned(names: Collection[str]) -> set[str]:
        logs = _with_logs(set(filter(None, map(_stem, names))))
        return {name for name in names if name.removesuffix(".part") in making or _stem(name) in logs}

    return FILES.sweep(owned)


def _stem(name: str) -> str | None:
    """What in a file's name stands for its log; None where the file was never finished."""
    return None if name.endswith(".part") else name.partition(".")[0]


def _with_logs(stems: set[str]) -> set[str]:
    """Those of the files' names, up to their first dot, that belong to logs that are there."""
    sql = "SELECT id FROM voice_log WHERE id IN (SELECT value FROM json_each(?))"
    found = {id for (id,) in connection().execute(sql, (orjson.dumps(sorted(stems)).decode(),))}
    if any(
        _DIGEST.fullmatch(stem) for stem in stems - found
    ):  # of ids that are no file names: rare, so it may take long
        found |= {FILES.path(id).name for (id,) in connection().execute("SELECT id FROM voice_log")}
    return found
