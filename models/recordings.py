"""Recordings of calls: where one is heard, and who may hear it.

A log keeps an address that leads nowhere, so that its row means the same on any server. Where it is shown the address
becomes that of a file on this server, signed and good for a day; jobs/studio.py makes the file when it is first
fetched. The address of another host is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import orjson

from dryline.models.voice_logs import VoiceLog
from dryline.world.clock import wire, work_for
from dryline.world.errors import NotFound
from dryline.world.record import connection
from dryline.world.row_files import RowFiles
from dryline.world.world import current

FILES = RowFiles("recordings")

# How long an address works, in API time, counted from the full hour: within one, a call's address stays the same, so
# that a page that is read again goes on playing.
LIFE = timedelta(hours=25)

_NEUTRAL = "https://recordings.dryline.invalid/"
_NAME = re.compile(r"([^/?#\s]+)\.(?:wav|mp3)")  # mp3: as versions before this one wrote it
# Ids of logs, and what one keeps, that may stand in an address as they are, which nearly all may.
_PLAIN_IDS = re.compile(r"[\w-]*", re.ASCII)
_PLAIN = re.compile(rf"{re.escape(_NEUTRAL)}([\w-]+)\.wav", re.ASCII)
_DIGEST = re.compile("[0-9a-f]{64}")


def neutral_address(call_sid: str) -> str:
    """What the log of a call keeps."""
    return f"{_NEUTRAL}{call_sid}.wav"


class Addresses:
    """The addresses of recordings as a server that is reached at `base` shows them now."""

    def __init__(self, base: str) -> None:
        hour = current().clock.now().replace(minute=0, second=0, microsecond=0)
        until, self._seals = _sealer(hour, current().secret)
        self.base = base
        self._begin = f"{base}/recordings/"
        self._end = f"&until={until}&signature="

    def of(self, log_id: str, kept: str | None) -> str | None:
        """What is shown of the address that a log keeps."""
        return self.of_all([log_id], [kept])[0]

    def of_all(self, ids: Sequence[str], kept: Sequence[str | None]) -> list[str | None]:
        """What is shown of the addresses that these logs keep."""
        begin, end, plain, plain_ids = self._begin, self._end, _PLAIN.fullmatch, _PLAIN_IDS.fullmatch("".join(ids))
        # One look for all ids and no call for a plain address: a hundred of them take 68 µs, one by one 84.
        return [
            f"{begin}{name[1]}.wav?log={id}{end}{seal}"
            if plain_ids and address and (name := plain(address))
            else self._of_any(id, address, seal)
            for id, address, seal in zip(ids, kept, self._seals(ids), strict=True)
        ]

    def _of_any(self, id: str, kept: str | None, seal: str) -> str | None:
        name = _name(kept)
        if name is None:
            return kept
        return f"{self._begin}{quote(name, safe='')}.wav?log={quote(id, safe='')}{self._end}{seal}"

    def put_into(self, rows: Sequence[dict[str, Any]], name: str, ids: Iterable[str]) -> None:
        """Show them in the rows of the logs `ids`, as their member `name`."""
        for row, shown in zip(rows, self.of_all(list(ids), [row[name] for row in rows]), strict=True):
            row[name] = shown


@lru_cache(maxsize=64)  # each world has a secret, and teams may have clocks of their own
def _sealer(hour: datetime, secret: str) -> tuple[str, Callable[[Iterable[str]], list[str]]]:
    """Until when an address works that is shown in this hour, and what seals it."""
    until = wire(hour + LIFE)
    return until, FILES.sealer("get", until, secret)


def _name(kept: str | None) -> str | None:
    """What the file is called that an address of ours leads to; None for any other address."""
    match = _NAME.fullmatch(kept, len(_NEUTRAL)) if kept and kept.startswith(_NEUTRAL) else None
    return match[1] if match else None


def behind_link(name: str, log: str, until: str, signature: str) -> VoiceLog:
    """The log whose recording a link leads to. Assumed: as for exports.

    Raises Forbidden when the link is altered or expired, NotFound when the log is gone or has another address by now.
    """
    found = VoiceLog.find(id=log)
    work_for(found.team_id if found else None)
    FILES.demand_seal("get", log, until, signature)
    if found is None or _name(found.recording_url) != name:
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
