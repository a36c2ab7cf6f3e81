"""Voice logs as the API returns them: a page of a list, or one log.

A search runs two queries: one for the ids on the page, one for the requested columns of these logs. A cursor holds the
sort key of the last log on its page: a query after it starts at that row (keyset pagination), so a page deep in the
list costs what the first one does. The indexes `voice_log_listing` and `voice_log_filters` hold every column that a
list filters or sorts by, but for the transcription.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from itsdangerous import BadData

from dryline.models.logs import Page, offset_of, owner_column
from dryline.models.plain_sql import Order, SortKey, VoiceLogFilter, voice_log_columns
from dryline.models.recordings import RecordingAddresses
from dryline.models.voice_log_filters import filter_conditions
from dryline.models.voice_logs import VoiceLog
from dryline.storage.errors import Invalid
from dryline.storage.record import Record, Values, wire_rows
from dryline.storage.signatures import token_serializer

_CURSORS = "voice log cursors"


def search(
    owner: Record,
    *,
    sort_by: str = "start_time",
    sort_order: str = "desc",
    page: int = 1,
    limit: int = 100,
    cursor: str | None = None,
    fields: frozenset[str] | None = None,
    **filters: Any,
) -> VoiceLogPage:
    """Return a page of the logs of a worker, or of a team, that pass all `filters`. Contract: listVoiceLogs.

    A cursor continues where its page ended, in that page's order; it takes precedence over `page` and the order.
    Raises Invalid for a cursor that this server did not make.
    """
    after: SortKey | None = None
    if cursor is not None:
        sort_by, sort_order, page, *key = _read_cursor(cursor)
        after = key[0], key[1]
    offset = 0 if after else offset_of(page, limit)
    # One more than the page holds: it tells whether there is a next page.
    keys, total = find_page(owner, filters, (sort_by, sort_order), after, limit + 1, offset)
    next_cursor = None
    if len(keys) > limit:
        del keys[limit:]
        next_cursor = token_serializer(_CURSORS).dumps([sort_by, sort_order, page + 1, *keys[-1]])
    return VoiceLogPage(SelectedLogs([id for _, id in keys], fields), total, page, limit, next_cursor)


def read(worker: Record, id: str, fields: frozenset[str] | None = None) -> SelectedLogs:
    """Return the worker's log `id` with only these fields (None: all). Raises NotFound. Contract: getVoiceLog."""
    return SelectedLogs([worker.child(VoiceLog, id).id], fields, single=True)


def _read_cursor(cursor: str) -> list[Any]:
    """Return sort column, direction, page number, and the sort key of the last log before the page. Raises Invalid."""
    try:
        return token_serializer(_CURSORS).loads(cursor)
    except BadData:
        raise Invalid("Not a cursor of this list. Use the one in the answer for the page before.", "cursor") from None


class VoiceLogPage(Page):
    """A page of voice logs, with the cursor of the next one (None on the last)."""

    def __init__(self, data: SelectedLogs, total: int, page: int, limit: int, next_cursor: str | None) -> None:
        super().__init__(data, total, page, limit)
        self.next_cursor = next_cursor
        self.has_more = self.has_next = next_cursor is not None


class SelectedLogs:
    """Voice logs whose columns are read when they are dumped: `id`, and those of `fields` (None: all).

    `single` means one log instead of a list. With `addresses`, recordings get the addresses that play them; without,
    they keep the addresses of their rows.
    """

    addresses: RecordingAddresses | None = None

    def __init__(self, ids: list[str], fields: frozenset[str] | None, *, single: bool = False) -> None:
        self.ids = ids
        self.fields = fields
        self.single = single

    def project(self, names: Mapping[str, str]) -> Any:
        """Return the wire form; `names` maps wire names to attributes."""
        if not self.ids:
            return []
        if self.fields is not None:
            names = {wire: name for wire, name in names.items() if name in self.fields or name == "id"}
        rows = voice_log_columns(self.ids, list(names.values()))
        logs = wire_rows(VoiceLog, names, [rows[id] for id in self.ids])
        if self.addresses:
            for wire, name in names.items():
                if name == "recording_url":
                    self.addresses.put_into(logs, wire, self.ids)
        return logs[0] if self.single else logs


# The ids of a page, the total, and the neighbours of one log


def find_page(
    owner: Record, filters: Values, order: Order, after: SortKey | None, limit: int, offset: int
) -> tuple[list[SortKey], int]:
    """Return up to `limit` sort keys, those after `after` or else from `offset` on, and the total of the list.

    The list is that of a worker, or of a team with all its workers.
    """
    logs = _build_filter(owner, filters)
    keys = logs.page_keys(order, after, limit, offset)
    if not after and len(keys) < limit and (keys or not offset):
        return keys, offset + len(keys)  # the list ends on this page, so there is nothing left to count
    return keys, logs.count()


def find_neighbours(log: VoiceLog, filters: Values, owner: Record) -> tuple[str | None, str | None]:
    """Return the ids of the owner's calls that began just before and just after this one, of those that match."""
    logs = _build_filter(owner, filters)
    here = (log.start_time, log.id)
    before = logs.page_keys(("start_time", "desc"), here, 1)
    after = logs.page_keys(("start_time", "asc"), here, 1)
    return before[0][1] if before else None, after[0][1] if after else None


def _build_filter(owner: Record, filters: Values) -> VoiceLogFilter:
    return VoiceLogFilter(owner_column(owner), owner.id, filters, filter_conditions(filters, VoiceLog))
