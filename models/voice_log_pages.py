"""Voice logs as they are answered: pages of a list, and one alone.

A search reads twice: first the keys of the page (voice_log_keys.py), then the wanted columns of those rows
(log_json.py). A cursor names the last row's sort value and id, so that a page deep in costs what the first one does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson
from itsdangerous import BadData

from dryline.models.log_json import json_array
from dryline.models.logs import Page, first_of
from dryline.models.voice_logs import VoiceLog
from dryline.storage.errors import Invalid, NotFound
from dryline.storage.record import Record, connection
from dryline.storage.signatures import signer

if TYPE_CHECKING:
    from dryline.models.recording_addresses import Addresses


def search(
    worker: Record,
    *,
    sort_by: str = "start_time",
    sort_order: str = "desc",
    page: int = 1,
    limit: int = 100,
    cursor: str | None = None,
    fields: frozenset[str] | None = None,
    **filters: Any,
) -> VoiceLogPage:
    """A page of the worker's logs that pass all `filters` (voice_log_filters.py). Contract: listVoiceLogs.

    A cursor carries on where its page ended, in that page's order, whatever `page` and the sort say.
    Raises Invalid for a cursor that was never given out.
    """
    from dryline.models import voice_log_keys  # imported late: a start does not need it

    after = None
    if cursor is not None:
        sort_by, sort_order, page, *after = _read_cursor(cursor)
    offset = 0 if after else first_of(page, limit)
    keys, total = voice_log_keys.find(worker, filters, (sort_by, sort_order), after, limit + 1, offset)
    next_cursor = None
    if len(keys.ids) > limit:
        value = voice_log_keys.value_of(sort_by, keys.rows[limit - 1])
        next_cursor = signer(_CURSORS).dumps([sort_by, sort_order, page + 1, value, keys.ids[limit - 1]])
    logs = SelectedLogs(keys.ids[:limit], keys.rows[:limit], fields)
    return VoiceLogPage(logs, total, page, limit, next_cursor)


def read(worker: Record, id: str, fields: frozenset[str] | None = None) -> SelectedLogs:
    """The worker's log `id`, only `fields` of it (None: all). Raises NotFound. Contract: getVoiceLog."""
    looked = connection().execute("SELECT rowid FROM voice_log WHERE id = ? AND worker_id = ?", (id, worker.id))
    row = looked.fetchone()
    if row is None:
        raise NotFound(f"{VoiceLog.noun()} {id} not found.")
    return SelectedLogs([id], list(row), fields, single=True)


class VoiceLogPage(Page):
    """A page of voice logs, with the cursor of the next one (None on the last)."""

    def __init__(self, data: SelectedLogs, total: int, page: int, limit: int, next_cursor: str | None) -> None:
        super().__init__(data, total, page, limit)
        self.next_cursor = next_cursor
        self.has_more = self.has_next = next_cursor is not None


class SelectedLogs:
    """The logs with these ids and rows, in this order, as they are answered: only the columns of `fields` are read.

    `id` always is.

    `single` says that it stands for one log, not for a list. `addresses` say where its recordings are heard; without
    them their addresses are as they are kept.
    """

    addresses: Addresses | None = None

    def __init__(self, ids: list[str], rows: list[int], fields: frozenset[str] | None, *, single: bool = False) -> None:
        self.ids = ids
        self.rows = rows
        self.fields = fields
        self.single = single

    def project(self, names: Mapping[str, str]) -> orjson.Fragment:
        """The wire form, as JSON text; `names` maps the wire's name to the attribute."""
        if self.fields is not None:
            names = {wire: name for wire, name in names.items() if name in self.fields or name == "id"}
        shown = self.addresses.of_all if self.addresses else lambda ids, kept: kept
        logs = json_array(VoiceLog, self.ids, self.rows, tuple(names.items()), shown)
        return orjson.Fragment(logs[1:-1] if self.single else logs)


# Cursors

_CURSORS = "voice log cursors"


def _read_cursor(cursor: str) -> tuple[str, str, int, Any, str]:
    """Sort, direction, number of the page, and the last sort value and id before it. Raises Invalid."""
    try:
        return signer(_CURSORS).loads(cursor)
    except BadData:
        raise Invalid("Not a cursor that a page gave.", "cursor") from None
