"""Import of a state document: checks, defaults, and insertion of its rows. Contract: state.md."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from itertools import chain
from typing import Any

import orjson

from dryline.models.collection import ImportContext, StateCollection, never_changes
from dryline.models.teams import ApiKey, Team, digest
from dryline.state.collections import COLLECTIONS
from dryline.state.links import Links, Row
from dryline.state.parsing import Document
from dryline.storage.current_world import current
from dryline.storage.errors import BadDocument, Conflict, Invalid
from dryline.storage.json_values import LEVELS_AROUND_ROWS, is_too_deep
from dryline.storage.record import JsonField, Record
from dryline.storage.statements import insert_sql
from dryline.world.clock import LATEST, parse, require_row_time, wire

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_WEEK = timedelta(weeks=1)
_STAMPS = ("created_at", "updated_at")
# The times at which a row was created and the event that it describes ended.
_HAPPENED = (*_STAMPS, "end_time", "session_end", "completed_at", "delivered_at", "shown_until")


class Import:
    """The import of one document. `run` does it, in a transaction without foreign keys. See `Links` for the parameters.

    The times of a document with an `asOf` are shifted by whole weeks, so that `asOf` lies within the week before now
    and weekdays and hours stay the same. Rows that lie after now are left out, with the rows that require them.
    """

    def __init__(
        self, document: Document, team_id: str | None = None, survivor: Team | None = None, *, adding: bool = False
    ) -> None:
        self.world = current()
        self.document = document
        self.links = Links(document, team_id, survivor, adding)
        self.rows = self.links.rows
        self.now = self.world.stamp()
        self._by_id: dict[str, dict[str, Row]] = {}
        self.shift: Callable[[str], str] | None = None  # of a document with an `asOf`
        self.unfinished: frozenset[str] = frozenset()  # ids of sessions that lie after now
        # Until then an import of the document gives the same rows, but for the moment of the import in columns.
        self.same_until = wire(LATEST)
        if document.as_of:
            weeks = (self.world.now() - parse(document.as_of)) // _WEEK
            self._note_change_at(wire(parse(document.as_of) + (weeks + 1) * _WEEK))
            self.shift = cache(lambda stamp: wire(require_row_time(parse(stamp) + weeks * _WEEK)))
            # Before `complete` adds values of the present. JSON columns are shifted when they are written.
            self._shift_times(self.shift)
            self.unfinished = frozenset(row["id"] for row in self.rows["sessions"] if self._is_after_now(row))

    def run(self) -> None:
        """Check everything, then insert everything. Raises BadDocument and Conflict."""
        self.links.check()
        for name, about in COLLECTIONS.items():
            if about.changes_at is not never_changes:
                for moment in map(about.changes_at, self.rows[name]):
                    if moment is not None:
                        self._note_change_at(moment)
            if about.complete is not None:
                self._complete_rows(name, about.complete)
        self.links.require_no_faults()
        self.links.require_new_ids()
        if self.shift:
            self.links.leave_out(self._is_after_now)
        self._insert_keys()
        for name, about in COLLECTIONS.items():
            self._insert_collection(name, about)
        for about in COLLECTIONS.values():
            if about.after_import is not None:
                about.after_import()
        self.world.ids.skip_past(chain.from_iterable(self.links.teams.values()))

    def _note_change_at(self, moment: str) -> None:
        """Note that an import gives something else from this moment on, which may be past."""
        if moment > self.now or not moment:
            self.same_until = min(self.same_until, moment)

    def _shift_times(self, shift: Callable[[str], str]) -> None:
        """Shift the times in the columns of all rows, and of the teams' keys. Raises BadDocument if one cannot be."""
        for name, rows in self.rows.items():
            for index, row in enumerate(rows):
                for part in (row, *(row.get("api_keys") or ())):
                    for column, value in part.items():
                        if not (type(value) is str and len(value) == 24 and _STAMP.fullmatch(value)):
                            continue
                        try:
                            part[column] = shift(value)
                        except OverflowError as error:
                            self.links.fault(name, index, column, f"Cannot be shifted with asOf: {error}")
                        except ValueError:
                            continue  # a text that looks like a time
        self.links.require_no_faults()

    def _complete_rows(self, name: str, complete: Callable[[Row, ImportContext], object]) -> None:
        """Set the values that a creation through the API would have set."""
        for index, row in enumerate(self.rows[name]):
            try:
                complete(row, self)
            except Invalid as error:
                self.links.fault(name, index, error.field, str(error))

    def find_row(self, name: str, id: str) -> Row:
        """Return the columns of a row of the document or of the world, or an empty dict if there is none."""
        if name not in self._by_id:
            self._by_id[name] = {row["id"]: row for row in self.rows[name]}
        row = self._by_id[name].get(id)
        if row is None:
            record = COLLECTIONS[name].model.find(id=id)
            row = record.__data__ if record else {}
        return row

    def add(self, name: str, row: Row) -> None:
        """Add a row, by column names, to a collection."""
        self.rows[name].append(row)

    def with_shifted_times(self, value: Any) -> Any:
        """Return JSON as it will be stored, with its times shifted. Raises OverflowError if one cannot be."""
        if self.shift is None:
            return value
        return orjson.loads(_shift_times_in_text(orjson.dumps(value).decode(), self.shift))

    def _insert_keys(self) -> None:
        keys: list[Row] = []
        paths: list[str] = []  # of the keys in the document
        for index, team in enumerate(self.rows["teams"]):
            for key_index, key in enumerate(team.pop("api_keys", None) or ()):
                if "secret" in key:
                    key["sha256"] = digest(key.pop("secret"))
                id = key.get("id") or self.world.ids.new("key")
                keys.append({**key, "team_id": team["id"], "id": id})
                paths.append(f"{self.document.path('teams', index)}.apiKeys[{key_index}]")
        cells = _stored_cells(self, ApiKey, keys)
        self._insert_all(insert_sql(ApiKey), cells, lambda index, column: paths[index])

    def _insert_collection(self, name: str, about: StateCollection) -> None:
        rows, indexes = self.links.rows[name], self.links.indexes[name]
        if rows:
            tuples = _stored_cells(self, about.model, rows)
            self._insert_all(
                insert_sql(about.model), tuples, lambda index, column: self.document.path(name, indexes[index], column)
            )

    def _is_after_now(self, row: Row) -> bool:
        """Return whether the row, or its session, is dated after now."""
        for name in _HAPPENED:
            if (moment := row.get(name) or "") > self.now:
                self._note_change_at(moment)
                return True
        return row.get("session_id") in self.unfinished

    def _insert_all(self, sql: str, tuples: Iterator[list[Any]], path: Callable[[int, str], str]) -> None:
        """Insert all rows. If SQLite refuses one, it is the row that was yielded last."""
        last = -1

        def counted() -> Iterator[list[Any]]:
            nonlocal last
            for last, cells in enumerate(tuples):  # noqa: B007
                yield cells

        try:
            self.world.db.connection().executemany(sql, counted())
        except sqlite3.IntegrityError as error:
            columns = [column.rpartition(".")[2] for column in str(error).partition(": ")[2].split(", ")]
            if str(error).startswith("UNIQUE") and self.links.may_link_to_stored_rows:
                raise Conflict(f"{path(last, columns[-1])}: a row with this value exists already.") from None
            message = "Another row has that already." if str(error).startswith("UNIQUE") else str(error)
            raise BadDocument([(path(last, columns[-1]), message)]) from None
        except TypeError as error:  # orjson refuses to write what is nested beyond its depth
            raise BadDocument([(path(last + 1, ""), f"Cannot be stored: {error}.")]) from None
        except OverflowError as error:
            raise BadDocument([(path(last + 1, ""), f"A time cannot be shifted with asOf: {error}")]) from None


def _stored_cells(state: Import, model: type[Record], rows: list[Row]) -> Iterator[list[Any]]:
    """Yield the cells of each row as the database stores them, in the order of the model's columns."""
    columns = []
    for field in model._meta.sorted_fields:
        default = state.now if field.name in _STAMPS else field.default
        columns.append((field.name, field.null, default, isinstance(field, JsonField)))
    shift = state.shift
    for row in rows:
        cells = []
        for name, nullable, default, is_json in columns:
            value = row.get(name)
            if value is None and not (nullable and name in row):
                value = default() if callable(default) else default
            if is_json and value is not None:
                text = orjson.dumps(value).decode()
                if is_too_deep(text, value, LEVELS_AROUND_ROWS):
                    raise TypeError("it is nested too deeply")
                value = text
                if shift and 'Z"' in value:
                    value = _shift_times_in_text(value, shift)
            cells.append(value)
        yield cells


def _shift_times_in_text(text: str, shift: Callable[[str], str]) -> str:
    """Shift the times in JSON text. Raises OverflowError if one cannot be."""

    def shifted(match: re.Match[str]) -> str:
        try:
            return shift(match[0])
        except ValueError:
            return match[0]  # no date, such as the 30th of February

    return _STAMP.sub(shifted, text)
