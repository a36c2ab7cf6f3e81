"""The teams and the links of the rows of a state document. Contract: state.md, rules 2 to 5."""

from collections.abc import Callable, Sequence
from typing import Any

from dryline.models.collection import StateCollection
from dryline.models.teams import Team, start_team
from dryline.schemas.base import did_you_mean
from dryline.schemas.row_schemas import MOST_FAULTS
from dryline.state import plain_sql
from dryline.state.collections import COLLECTIONS
from dryline.state.parsing import LENIENT_HINT, Document
from dryline.storage.current_world import current
from dryline.storage.errors import BadDocument, Conflict

Row = dict[str, Any]
_MOST_IDS = 1000  # rows of the world whose ids are compared with a mistyped one


class Links:
    """The ids of a document's rows and the team of each row. Faults are collected for `require_no_faults`.

    `team_id` is the one team whose rows may come. `survivor` is the team that a deletion of all rows has left. With
    `adding`, or for one team, rows may link to rows that exist already, and must not have their ids.
    """

    def __init__(self, document: Document, team_id: str | None, survivor: Team | None, adding: bool) -> None:
        self.document = document
        self.rows: dict[str, list[Row]] = {name: document.rows.get(name) or [] for name in COLLECTIONS}
        self.only_team = team_id
        self.may_link_to_stored_rows = adding or team_id is not None
        self.faults: list[tuple[str, str]] = []
        self._links_to_gone_rows = 0  # the faults among them that a document with `writtenBy` may have
        # The team of every row of the document, by collection and id.
        self.teams: dict[str, dict[str, str]] = {name: {} for name in COLLECTIONS}
        # The index of each row in the document, which differs from that in `rows` once rows are left out.
        self.indexes: dict[str, Sequence[int]] = {name: range(len(rows)) for name, rows in self.rows.items()}
        self._left_out: set[tuple[str, str]] = set()  # the collection and the id of each row that is left out
        self._survivor = survivor
        self.default_team: str | None = None

    def check(self) -> None:
        """Give every row its team and check its links. Raises BadDocument."""
        if self._survivor is not None:
            self.teams["teams"][self._survivor.id] = self._survivor.id
        self._read_teams()
        for name, about in COLLECTIONS.items():
            self._set_team_and_id(name, about)
        self.require_no_faults()
        for name, about in COLLECTIONS.items():
            self._check_links(name, about)

    def fault(self, name: str, index: int, column: str, message: str) -> None:
        """Add a fault of a member of a row."""
        self.faults.append((self.document.path(name, index, column), message))

    def require_no_faults(self) -> None:
        """Raise BadDocument if there are faults."""
        if self.faults:
            hint = LENIENT_HINT if len(self.faults) == self._links_to_gone_rows else ""
            raise BadDocument(self.faults[:MOST_FAULTS], hint)

    def _read_teams(self) -> None:
        rows = self.rows["teams"]
        for index, row in enumerate(rows):
            row["team_id"] = row["id"]
            if self.only_team not in (None, row["id"]):
                self.fault("teams", index, "id", f"Only rows of team {self.only_team} can be imported.")
        if self.only_team:
            self.default_team = self.only_team
        elif len(rows) == 1:
            self.default_team = rows[0]["id"]
        elif not rows:
            team = self._survivor or start_team()
            self.default_team = team.id if team else None

    def _set_team_and_id(self, name: str, about: StateCollection) -> None:
        """Set the team, the id and the fixed columns of each row of a collection, and record its id."""
        parent = next(iter(about.required_links), None)
        ids = self.teams[name]
        spaces = [self.teams[other] for other in about.shares_ids if other != name]
        for index, row in enumerate(self.rows[name]):
            if name != "teams":
                team = self._team_of_parent(name, index, row, parent) if parent else self._team_of_row(name, index, row)
                # Children of a rejected row get no team, so that they are not reported too.
                row["team_id"] = team or ""
            if not about.has_id:
                row.setdefault("id", current().ids.new(about.model.id_prefix))
            id = row["id"]
            if id in ids or any(id in space for space in spaces):
                self.fault(name, index, "id", f"The id {id} is used twice.")
            ids[id] = row["team_id"]
            for column, value in about.fixed.items():
                if row.setdefault(column, value) != value:
                    self.fault(name, index, column, f"Must be {value}.")

    def _team_of_row(self, name: str, index: int, row: Row) -> str | None:
        team = row.get("team_id") or self.default_team
        if team is None:
            self.fault(name, index, "team_id", "Missing data for required field: the document has several teams.")
        elif self.only_team not in (None, team):
            self.fault(name, index, "team_id", f"Only rows of team {self.only_team} can be imported.")
        elif self.team_of(("teams",), team) is None:
            self.fault(name, index, "team_id", f"There is no team {team}.")
        else:
            return team
        return None

    def _team_of_parent(self, name: str, index: int, row: Row, column: str) -> str | None:
        targets = COLLECTIONS[name].required_links[column]
        team = self.team_of(targets, row[column])
        if team == "":
            return None
        if team is None or self.only_team not in (None, team):
            self.fault(name, index, column, self._missing_row_message(targets, row[column], row.get("team_id")))
            return None
        if row.get("team_id") not in (None, team):
            self.fault(name, index, "team_id", f"The {_noun_of(targets)} {row[column]} belongs to another team.")
            return None
        return team

    def team_of(self, targets: tuple[str, ...], id: str) -> str | None:
        """Return the team of the row with this id in one of the collections, None if there is no such row."""
        for name in targets:
            if (team := self.teams[name].get(id)) is not None:
                return team
        if not self.may_link_to_stored_rows:
            return None
        for name in targets:
            about = COLLECTIONS[name]
            record = about.model.find(id=id, **about.fixed)
            if record is not None:
                return record.team_id
        return None

    def _check_links(self, name: str, about: StateCollection) -> None:
        required, optional = list(about.required_links.items())[1:], list(about.optional_links.items())
        for index, row in enumerate(self.rows[name]):
            team = row["team_id"]
            for column, targets in required:
                if self.team_of(targets, row[column]) != team:
                    self.fault(name, index, column, self._missing_row_message(targets, row[column], team))
            for column, targets in optional:
                value = row.get(column)
                ids = value if isinstance(value, list) else [value]
                for id in ids:
                    if id is None:
                        continue
                    owner = self.team_of(targets, id)
                    if owner not in (None, team):
                        self.fault(name, index, column, f"The {_noun_of(targets)} {id} belongs to another team.")
                    elif owner is None and not self.document.may_link_to_gone_rows:
                        self.fault(name, index, column, self._missing_row_message(targets, id, team))
                        self._links_to_gone_rows += 1

    def _missing_row_message(self, targets: tuple[str, ...], id: str, team: str | None) -> str:
        """Return the message about a link to nothing, with the nearest id of the team's rows, if it will be shown."""
        known_ids: list[str] = []
        will_be_shown = len(self.faults) < MOST_FAULTS
        if will_be_shown:
            for name in targets:
                known_ids += self._known_ids(name, team)
        return f"There is no {_noun_of(targets)} {id}{did_you_mean(id, known_ids)}"

    def _known_ids(self, name: str, team: str | None) -> list[str]:
        """Return the ids of a team's rows in a collection, of the document and of the world; of all teams for None."""
        ids = [id for id, owner in self.teams[name].items() if team in (None, owner)]
        if self.may_link_to_stored_rows:
            about = COLLECTIONS[name]
            where = dict(about.fixed)
            if team:
                where["team_id"] = team
            ids += [row.id for row in about.model.select(about.model.id).filter(**where).limit(_MOST_IDS)]
        return ids

    def leave_out(self, is_left_out: Callable[[Row], bool]) -> None:
        """Leave out rows, and treat the other ones as the deletion of these rows would: delete them, or clear a link.

        A team is kept in any case: it is no event, and every row is a team's.
        """
        for name, about in COLLECTIONS.items():  # parents come first
            if name == "teams":
                continue
            parents = _links_with_action(about, "CASCADE")
            indexes = []
            for index, row in enumerate(self.rows[name]):
                if is_left_out(row) or any(self._leads_to_row_left_out(row, column, about) for column in parents):
                    self._left_out.add((name, row["id"]))
                else:
                    indexes.append(index)
            self.rows[name] = [self.rows[name][index] for index in indexes]
            self.indexes[name] = indexes
        if not self._left_out:
            return
        for name, about in COLLECTIONS.items():
            for column in _links_with_action(about, "SET NULL"):
                for row in self.rows[name]:
                    if self._leads_to_row_left_out(row, column, about):
                        row[column] = None

    def _leads_to_row_left_out(self, row: Row, column: str, about: StateCollection) -> bool:
        targets = about.required_links.get(column) or about.optional_links[column]
        return any((target, row.get(column)) in self._left_out for target in targets)

    def require_new_ids(self) -> None:
        """Raise Conflict if an id exists already."""
        if not self.may_link_to_stored_rows:
            return
        for name, about in COLLECTIONS.items():
            if not about.has_id or not self.rows[name]:
                continue
            ids = list(self.teams[name])
            tables = {COLLECTIONS[other].model._meta.table_name for other in (name, *about.shares_ids)}
            for table in tables:
                id = plain_sql.first_stored_id(table, ids)
                if id is not None:
                    raise Conflict(f"{name}: the id {id} exists already.")


def _links_with_action(about: StateCollection, action: str) -> list[str]:
    """Return the links of a collection whose foreign key has this action when the row that it leads to is deleted."""
    actions = plain_sql.actions_on_deletion(about.model._meta.table_name)
    return [column for column in (*about.required_links, *about.optional_links) if actions.get(column) == action]


def _noun_of(targets: tuple[str, ...]) -> str:
    return COLLECTIONS[targets[0]].model.noun().lower() if len(targets) == 1 else "deployment"
