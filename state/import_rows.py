"""Brings the rows of a state document in: their teams, their links, their defaults, and then the rows themselves."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain
from typing import Any

import orjson

from dryline.models.teams import ApiKey, Team, digest, start_team
from dryline.state.collections import COLLECTIONS
from dryline.state.forms import Document
from dryline.world.clock import parse, wire
from dryline.world.collection import Collection
from dryline.world.errors import BadDocument, Conflict, Invalid
from dryline.world.record import JsonField, Record, insert_sql
from dryline.world.world import current

Row = dict[str, Any]
MOST_FAULTS = 20
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Import:
    """One document on its way in. `run` does it all, inside a transaction without foreign keys (`unchecked`).

    `kept` are the teams, with their keys, that stay although all was deleted. With `adding`, or within one team, rows
    may lead to rows that are there already and must not have their ids.
    """

    def __init__(
        self, document: Document, team_id: str | None, kept: list[tuple[Team, list[ApiKey]]], adding: bool
    ) -> None:
        self.world = current()
        self.document = document
        self.rows: dict[str, list[Row]] = {name: document.rows.get(name) or [] for name in COLLECTIONS}
        self.only_team = team_id
        self.kept = kept
        self.adding = adding
        self.now = self.world.clock.stamp()
        self.faults: list[tuple[str, str]] = []
        # The team of every row of the document, by collection and id.
        self.teams: dict[str, dict[str, str]] = {name: {} for name in COLLECTIONS}
        self._there: dict[tuple[str, str], str | None] = {}
        self._by_id: dict[str, dict[str, Row]] = {}
        self.default_team: str | None = None
        self.shift = _shift(self.world.clock.now() - parse(document.as_of)) if document.as_of else None

    def run(self) -> None:
        """Check everything, then insert everything. Raises BadDocument and Conflict."""
        for team, keys in self.kept:
            for record in (team, *keys):
                record.insert_row()
            self.teams["teams"][team.id] = team.id
        self._take_teams()
        for name, about in COLLECTIONS.items():
            self._place(name, about)
        self._refuse()
        for name, about in COLLECTIONS.items():
            self._check_links(name, about)
        for name, about in COLLECTIONS.items():
            self._complete(name, about)
        self._refuse()
        self._refuse_clashes()
        self._insert_keys()
        for name, about in COLLECTIONS.items():
            self._insert(name, about)
        for about in COLLECTIONS.values():
            if about.came_in is not None:
                about.came_in()
        self.world.ids.skip_past(chain.from_iterable(self.teams.values()))

    def fault(self, name: str, index: int, column: str, message: str) -> None:
        """Something is wrong with a member of a row."""
        self.faults.append((self.document.path(name, index, column), message))

    def _refuse(self) -> None:
        if self.faults:
            raise BadDocument(self.faults[:MOST_FAULTS])

    # Teams

    def _take_teams(self) -> None:
        rows = self.rows["teams"]
        for index, row in enumerate(rows):
            row["team_id"] = row["id"]
            if self.only_team not in (None, row["id"]):
                self.fault("teams", index, "id", f"Only team {self.only_team} is touched.")
        if self.only_team:
            self.default_team = self.only_team
        elif len(rows) == 1:
            self.default_team = rows[0]["id"]
        elif not rows:
            team = self.kept[0][0] if self.kept else start_team()
            self.default_team = team.id if team else None

    def _place(self, name: str, about: Collection) -> None:
        """Give every row its team, and note where its id is."""
        parent = next(iter(about.needs), None)
        known = self.teams[name]
        spaces = [self.teams[other] for other in about.shares_ids if other != name]
        for index, row in enumerate(self.rows[name]):
            if name != "teams":
                team = self._parents_team(name, index, row, parent) if parent else self._own_team(name, index, row)
                # Of what hangs on a row that is refused, nothing is said.
                row["team_id"] = team or ""
            if not about.has_id:
                row.setdefault("id", self.world.ids.new(about.model.id_prefix))
            id = row["id"]
            if id in known or any(id in space for space in spaces):
                self.fault(name, index, "id", f"The id {id} is used twice.")
            known[id] = row["team_id"]
            for column, value in about.fixed.items():
                if row.setdefault(column, value) != value:
                    self.fault(name, index, column, f"Must be {value}.")
            if len(self.faults) >= MOST_FAULTS:
                return

    def _own_team(self, name: str, index: int, row: Row) -> str | None:
        team = row.get("team_id") or self.default_team
        if team is None:
            self.fault(name, index, "team_id", "Missing data for required field: the document has several teams.")
        elif self.only_team not in (None, team):
            self.fault(name, index, "team_id", f"Only team {self.only_team} is touched.")
        elif self.team_of(("teams",), team) is None:
            self.fault(name, index, "team_id", f"There is no team {team}.")
        else:
            return team
        return None

    def _parents_team(self, name: str, index: int, row: Row, column: str) -> str | None:
        targets = COLLECTIONS[name].needs[column]
        team = self.team_of(targets, row[column])
        if team == "":
            return None
        if team is None or self.only_team not in (None, team):
            self.fault(name, index, column, f"There is no {_noun(targets)} {row[column]}.")
            return None
        if row.get("team_id") not in (None, team):
            self.fault(name, index, "team_id", f"The {_noun(targets)} {row[column]} is of another team.")
            return None
        return team

    # Links

    def team_of(self, targets: tuple[str, ...], id: str) -> str | None:
        """The team of the row with this id in one of the collections, None when there is none."""
        for name in targets:
            if (team := self.teams[name].get(id)) is not None:
                return team
        if not (self.adding or self.only_team):
            return None
        for name in targets:
            if (name, id) not in self._there:
                about = COLLECTIONS[name]
                found = about.model.find(id=id, **about.fixed)
                self._there[name, id] = found.team_id if found else None
            if (team := self._there[name, id]) is not None:
                return team
        return None

    def _check_links(self, name: str, about: Collection) -> None:
        required, optional = list(about.needs.items())[1:], list(about.may.items())
        if not required and not optional:
            return
        for index, row in enumerate(self.rows[name]):
            team = row["team_id"]
            for column, targets in required:
                if self.team_of(targets, row[column]) != team:
                    self.fault(name, index, column, f"There is no {_noun(targets)} {row[column]}.")
            for column, targets in optional:
                value = row.get(column)
                for id in value if isinstance(value, list) else [value]:
                    if id is not None and self.team_of(targets, id) not in (None, team):
                        self.fault(name, index, column, f"The {_noun(targets)} {id} is of another team.")

    def _refuse_clashes(self) -> None:
        """Raises Conflict for an id that is there already."""
        if not (self.adding or self.only_team):
            return
        for name, about in COLLECTIONS.items():
            ids = orjson.dumps(list(self.teams[name])).decode() if about.has_id and self.rows[name] else "[]"
            models = {COLLECTIONS[other].model._meta.table_name for other in (name, *about.shares_ids)}
            for table in models if ids != "[]" else ():
                sql = f'SELECT id FROM "{table}" WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1'
                row = self.world.db.execute_sql(sql, (ids,)).fetchone()
                if row and not (name == "teams" and any(team.id == row[0] for team, _ in self.kept)):
                    raise Conflict(f"{name}: the id {row[0]} is there already.")

    # Rows

    def _complete(self, name: str, about: Collection) -> None:
        """What a creation would have given."""
        for index, row in enumerate(self.rows[name]):
            if about.complete is not None:
                try:
                    about.complete(row, self)
                except Invalid as error:
                    self.fault(name, index, error.field, str(error))

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

    def _insert(self, name: str, about: Collection) -> None:
        rows = self.rows[name]
        if rows:
            tuples = _inserter(self, about.model, rows)
            self._execute(
                insert_sql(about.model), tuples, lambda at, column: self.document.path(name, at, column), rows
            )

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
            if str(error).startswith("UNIQUE") and (self.adding or self.only_team) and _first(rows, taken, columns):
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
                value = orjson.dumps(value).decode()
                if shift and 'Z"' in value:
                    value = _STAMP.sub(lambda match: shift(match[0]), value)
            elif shift and type(value) is str and len(value) == 24 and _STAMP.fullmatch(value) and value != state.now:
                value = shift(value)
            cells.append(value)
        yield cells


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


def _noun(targets: tuple[str, ...]) -> str:
    return COLLECTIONS[targets[0]].model.noun().lower() if len(targets) == 1 else "deployment"
