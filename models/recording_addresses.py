"""Addresses of recordings: the ones that logs store, and the ones that clients see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from dryline.models.row_files import RowFiles

FILES = RowFiles("recordings")
USE = "get"

NEUTRAL = "https://recordings.dryline.invalid/"
# mp3: earlier versions stored that.
_STORED = re.compile(re.escape(NEUTRAL) + r"([^/?#\s]+)\.(?:wav|mp3)")
_UNRESERVED = re.compile(r"[\w.~-]*", re.ASCII)


class Addresses:
    """The addresses that clients see on a server that they reach at `base`, valid `until` a moment of API time."""

    def __init__(self, base: str, until: str) -> None:
        self._base = base
        self._until = until
        self._sign = FILES.signer(USE, until)

    def of(self, log_id: str, stored: str | None) -> str | None:
        """Return the address that clients see for the one that a log stores. That of another host stays as it is."""
        match = _STORED.fullmatch(stored) if stored else None
        if match is None:
            return stored
        name, log = match[1], log_id
        if not _UNRESERVED.fullmatch(name + log):  # quote() takes twice as long to find that it has nothing to do
            name, log = quote(name, safe=""), quote(log, safe="")
        return f"{self._base}/recordings/{name}.wav?log={log}&until={self._until}&signature={self._sign(log_id)}"

    def put_into(self, rows: Sequence[dict[str, Any]], name: str, ids: Iterable[str]) -> None:
        """Replace the stored addresses in the member `name` of rows; `ids` are the ids of their logs."""
        for row, log_id in zip(rows, ids, strict=True):
            row[name] = self.of(log_id, row[name])


def recording_name(stored: str | None) -> str | None:
    """Return the name of a recording from the address that its log stores; None if that is of another host."""
    match = _STORED.fullmatch(stored) if stored else None
    return match[1] if match else None
