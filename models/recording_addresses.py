"""Where recordings are heard: the addresses that logs keep, and those that are shown of them.

Imports next to nothing, for what starts often (jobs/line_writer.py). The rules are those of recordings.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from dryline.storage.seals import sealer

KIND, USE = "recordings", "get"  # what a seal is good for
NEUTRAL = "https://recordings.dryline.invalid/"
_NAME = re.compile(r"([^/?#\s]+)\.(?:wav|mp3)")  # mp3: as versions before this one wrote it
# Ids of logs, and what one keeps, that may stand in an address as they are, which nearly all may.
_PLAIN_IDS = re.compile(r"[\w-]*", re.ASCII)
_PLAIN = re.compile(rf"{re.escape(NEUTRAL)}([\w-]+)\.wav", re.ASCII)


class Addresses:
    """The addresses of recordings as a server that is reached at `base` shows them, good `until` a moment."""

    def __init__(self, base: str, until: str, secret: str) -> None:
        self.made_of = (base, until, secret)
        self.base = base
        self._seals = _sealer(until, secret)
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
        name = name_in(kept)
        if name is None:
            return kept
        return f"{self._begin}{quote(name, safe='')}.wav?log={quote(id, safe='')}{self._end}{seal}"

    def put_into(self, rows: Sequence[dict[str, Any]], name: str, ids: Iterable[str]) -> None:
        """Show them in the rows of the logs `ids`, as their member `name`."""
        for row, shown in zip(rows, self.of_all(list(ids), [row[name] for row in rows]), strict=True):
            row[name] = shown


@lru_cache(maxsize=64)  # each world has a secret, and teams may have clocks of their own
def _sealer(until: str, secret: str) -> Callable[[Iterable[str]], list[str]]:
    return sealer(KIND, USE, until, secret)


def name_in(kept: str | None) -> str | None:
    """What the file is called that an address of ours leads to; None for any other address."""
    match = _NAME.fullmatch(kept, len(NEUTRAL)) if kept and kept.startswith(NEUTRAL) else None
    return match[1] if match else None
