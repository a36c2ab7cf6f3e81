"""Voice logs as the API returns them: a page of a list, or one log.

A search runs two queries: one for the ids on the page (voice_log_pagination.py), one for the requested columns of these
logs. A cursor holds the sort key of the last log on its page.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from itsdangerous import BadData

from dryline.models.logs import Page, offset_of
from dryline.models.voice_logs import VoiceLog
from dryline.storage.errors import Invalid, NotFound
from dryline.storage.record import Record, connection, wire_rows
from dryline.storage.signatures import token_serializer

if TYPE_CHECKING:
    from dryline.models.recordings import RecordingAddresses
    from dryline.models.voice_log_pagination import SortKey

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
    from dryline.models import voice_log_pagination  # imported late: a start does not need it

    after: SortKey | None = None
    if cursor is not None:
        sort_by, sort_order, page, *key = _read_cursor(cursor)
        after = key[0], key[1]
    offset = 0 if after else offset_of(page, limit)
    # One more than the page holds: it tells whether there is a next page.
    keys, total = voice_log_pagination.find_page(owner, filters, (sort_by, sort_order), after, limit + 1, offset)
    next_cursor = None
    if len(keys) > limit:
        del keys[limit:]
        next_cursor = token_serializer(_CURSORS).dumps([sort_by, sort_order, page + 1, *keys[-1]])
    return VoiceLogPage(SelectedLogs([id for _, id in keys], fields), total, page, limit, next_cursor)


def read(worker: Record, id: str, fields: frozenset[str] | None = None) -> SelectedLogs:
    """Return the worker's log `id` with only these fields (None: all). Raises NotFound. Contract: getVoiceLog."""
    if not VoiceLog.listing(worker, id=id, worker_id=worker.id).count():
        raise NotFound(f"{VoiceLog.noun()} {id} not found.")
    return SelectedLogs([id], fields, single=True)


def _read_cursor(cursor: str) -> list[Any]:
    """Return sort column, direction, page number, and the sort key of the last log before the page. Raises Invalid."""
    try:
        return token_serializer(_CURSORS).loads(cursor)
    except BadData:
        raise Invalid("Not a cursor that a page gave.", "cursor") from None


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
        sql = _rows_sql(tuple(names.values()), len(self.ids))
        rows = {row[-1]: row for row in connection().execute(sql, self.ids)}
        logs = wire_rows(VoiceLog, names, [rows[id] for id in self.ids])
        if self.addresses:
            for wire, name in names.items():
                if name == "recording_url":
                    self.addresses.put_into(logs, wire, self.ids)
        return logs[0] if self.single else logs


@lru_cache(maxsize=256)
def _rows_sql(columns: tuple[str, ...], count: int) -> str:
    """Return SQL for these columns, and then the id, of `count` logs, whose ids are its parameters."""
    query = VoiceLog.select(*[VoiceLog._meta.fields[name] for name in (*columns, "id")])
    return query.where(VoiceLog.id.in_([""] * count)).sql()[0]
