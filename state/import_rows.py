"""Brings the rows of a state document in: their defaults, and then the rows themselves. Contract: state.md."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import chain
from typing import Any

import orjson

from dryline.models.collection import StateCollection
from dryline.models.teams import ApiKey, Team, digest
from dryline.state.collections import COLLECTIONS
from dryline.state.forms import Document
from dryline.state.links import Links, Row
from dryline.storage.current_world import current
from dryline.storage.errors import BadDocument, Conflict, Invalid
from dryline.storage.nesting import AROUND_ROWS, too_deep
from dryline.storage.record import JsonField, Record
from dryline.storage.statements import insert_sql
from dryline.world.clock import parse, wire

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_WEEK = timedelta(weeks=1)
# When a row came about, and what it tells of was over.
_HAPPENED = ("created_at", "updated_at", "end_time", "session_end", "completed_at", "delivered_at")


class Import:
    """One document on its way in. `run` does it all, inside a transaction without foreign keys (`unchecked`).

    `kept` are the teams, with their keys, that stay although all was deleted. With `adding`, or within one team, rows
    may lead to rows that are there already and must not have their ids.

    The times of a document with an `asOf` are moved by whole weeks, so that weekdays and hours stay what they were,
    until `asOf` lies within the week before now. Its rows may go on for a week behind `asOf`: those that would lie
    ahead of the clock are left out, so the newest are always of the present.
    """

    def __init__(
        self, document: Document, team_id: str | None, kept: list[tuple[Team, list[ApiKey]]], adding: bool
    ) -> None:
        self.world = current()
        self.document = document
        self.kept = kept
        self.links = Links(document, team_id, kept, adding)
        self.rows = self.links.rows
        self.now = self.world.clock.stamp()
        self._by_id: dict[str, dict[str, Row]] = {}
        self.shift: Callable[[str], str] | None = None  # of a document with an `asOf`
        self.unfinished: frozenset[str] = frozenset()  # the sessions that lie ahead
        if document.as_of:
            weeks = (self.world.clock.now() - parse(document.as_of)) // _WEEK
            self.shift = _shift(weeks * _WEEK)
            # Before anything is completed: what that adds is of the present. JSON is moved as it is written.
            for row in chain.from_iterable(self.rows.values()):
                for moving in (row, *(row.get("api_keys") or ())):
                    _move(moving, self.shift)
            self.unfinished = frozenset(row["id"] for row in self.rows["sessions"] if self._lies_ahead(row))

    def run(self) -> None:
        """Check everything, then insert everything. Raises BadDocument and Conflict."""
        for team, keys in self.kept:
            for record in (team, *keys):
                record.insert_row()
        self.links.check()
        for name, about in COLLECTIONS.items():
            self._complete(name, about)
        self.links.refuse()
        self.links.refuse_clashes()
        self._insert_keys()
        for name, about in COLLECTIONS.items():
            self._insert(name, about)
        for about in COLLECTIONS.values():
            if about.after_import is not None:
                about.after_import()
        self.world.ids.skip_past(chain.from_iterable(self.links.teams.values()))

    def _complete(self, name: str, about: StateCollection) -> None:
        """What a creation would have given."""
        for index, row in enumerate(self.rows[name]):
            if about.complete is not None:
                try:
                    about.complete(row, self)
                except Invalid as error:
                    self.links.fault(name, index, error.field, str(error))

    def row(self, name: str, id: str) -> Row:
        """The columns of a row of the document, or of one that is there already; empty when there is none."""
        if name not in self._by_id:
            self._by_id[name] = {row["id"]: row for row in self.rows[name]}
        found = self._by_id[name].get(id)
        if found is None:
            record = COLLECTIONS[name].model.find(id=id)
            found = record.__data__ if record else {}
        return found

    def _insert_keys(self) -> None:
        keys = []
        for index, team in enumerate(self.rows["teams"]):
            for place, key in enumerate(team.pop("api_keys", None) or ()):
                if "secret" in key:
                    key["sha256"] = digest(key.pop("secret"))
                path = f"{self.document.path('teams', index)}.apiKeys[{place}]"
                keys.append((path, {**key, "team_id": team["id"], "id": key.get("id") or self.world.ids.new("key")}))
        insert = _inserter(self, ApiKey, [key for _, key in keys])
        self._execute(insert_sql(ApiKey), insert, lambda at, column: keys[at][0])

    def _insert(self, name: str, about: StateCollection) -> None:
        rows = self.rows[name]
        places: Sequence[int] = range(len(rows))
        if self.shift:
            places = [place for place in places if not self._lies_ahead(rows[place])]
            rows = [rows[place] for place in places]
        if rows:
            tuples = _inserter(self, about.model, rows)
            self._execute(
                insert_sql(about.model), tuples, lambda at, column: self.document.path(name, places[at], column), rows
            )

    def _lies_ahead(self, row: Row) -> bool:
        """Whether the row, or the session that it is of, is of a time that has not come."""
        return any((row.get(name) or "") > self.now for name in _HAPPENED) or row.get("session_id") in self.unfinished

    def _execute(
        self, sql: str, tuples: Iterator[list[Any]], path: Callable[[int, str], str], rows: list[Row] | None = None
    ) -> None:
        """Insert all. A row that the schema refuses is the one that was taken last."""
        taken = -1

        def counted() -> Iterator[list[Any]]:
            nonlocal taken
            for taken, cells in enumerate(tuples):  # noqa: B007
                yield cells

        try:
            self.world.db.connection().executemany(sql, counted())
        except sqlite3.IntegrityError as error:
            columns = [found.rpartition(".")[2] for found in str(error).partition(": ")[2].split(", ")]
            if str(error).startswith("UNIQUE") and self.links.may_meet and _first(rows, taken, columns):
                raise Conflict(f"{path(taken, columns[-1])}: there is such a row already.") from None
            message = "Another row has that already." if str(error).startswith("UNIQUE") else str(error)
            raise BadDocument([(path(taken, columns[-1]), message)]) from None
        except TypeError as error:  # orjson refuses to write what is nested beyond its depth
            raise BadDocument([(path(taken + 1, ""), f"Cannot be kept: {error}.")]) from None


def _inserter(state: Import, model: type[Record], rows: list[Row]) -> Iterator[list[Any]]:
    """The cells of each row, in the model's order, as the database takes them."""
    fields = model._meta.sorted_fields
    columns = [(field.name, field.null, _default(field, state.now), isinstance(field, JsonField)) for field in fields]
    shift = state.shift
    for row in rows:
        cells = []
        for name, nullable, default, is_json in columns:
            value = row.get(name)
            if value is None and not (nullable and name in row):
                value = default()
            if is_json and value is not None:
                text = orjson.dumps(value).decode()
                if too_deep(text, value, AROUND_ROWS):
                    raise TypeError("it is nested too deeply")
                value = text
                if shift and 'Z"' in value:
                    value = _STAMP.sub(lambda match: shift(match[0]), value)
            cells.append(value)
        yield cells


def _move(row: Row, shift: Callable[[str], str]) -> None:
    for name, value in row.items():
        if type(value) is str and len(value) == 24 and _STAMP.fullmatch(value):
            row[name] = shift(value)


def _default(field: Any, now: str) -> Callable[[], Any]:
    if field.name in ("created_at", "updated_at"):
        return lambda: now
    default = field.default
    return default if callable(default) else lambda: default


def _first(rows: list[Row] | None, at: int, columns: list[str]) -> bool:
    """Whether no row before has the same cells: what stands in the way is no row of the document then."""
    if rows is None:
        return True
    mine = [rows[at].get(column) for column in columns]
    return not any([row.get(column) for column in columns] == mine for row in rows[:at])


def _shift(by: timedelta) -> Callable[[str], str]:
    known: dict[str, str] = {}

    def shifted(stamp: str) -> str:
        found = known.get(stamp)
        if found is None:
            found = known[stamp] = wire(parse(stamp) + by)
        return found

    return shifted
