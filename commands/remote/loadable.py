"""A loadable state document of copied rows, and a report of what does not fit.

The document's row schemas and collections and the database's schema decide what a row may hold, where its links must
lead and which values must be unique.
"""

from collections import Counter
from typing import Any

from dryline.models.channels import CHANNELS
from dryline.schemas.row_schemas import Faults
from dryline.state import plain_sql
from dryline.state.collections import COLLECTIONS
from dryline.state.parsing import BEGINNING, row_schemas
from dryline.world.world import World

Row = dict[str, Any]
Document = dict[str, Any]

LOGS = frozenset(channel.collection for channel in CHANNELS)
# States of a call that has not ended. In a copy it would never end.
_UNFINISHED = ("queued", "initiated", "ringing", "in-progress")


class Loadable:
    """The document of one team, with only what can be loaded. Of `world` only the database's schema is used.

    `left_out` counts what is missing from the document, `changed` what is different in it.
    """

    def __init__(self, document: Document, world: World) -> None:
        self.left_out: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self._world = world
        self._ids: dict[str, set[str]] = {name: set() for name in COLLECTIONS}
        # Parents come before their children.
        fitting = {name: self._loadable_rows(name, document[name]) for name in COLLECTIONS if name in document}
        for name, rows in fitting.items():
            self._cut_links(name, rows)
        self.document: Document = {**BEGINNING, **fitting}

    def _loadable_rows(self, name: str, rows: list[Row]) -> list[Row]:
        """Return the rows without what dryline does not load, and count that by its reason."""
        schema, about = row_schemas()[name], COLLECTIONS[name]
        columns = {column: member for member, column in schema.names.items()}
        parents = {columns[column]: targets for column, targets in about.required_links.items()}
        indexes = [index for index in self._unique_column_groups(name) if set(index) <= set(columns)]
        uniques = [tuple(columns[column] for column in index) for index in indexes]
        taken: set[Any] = set()  # members that must be unique together, with their values
        fitting = []
        for whole in rows:
            row = self._with_known_members(name, whole)
            if row is None or not self._has_new_id_and_parents(name, row, parents):
                continue
            if name == "voiceLogs" and row.get("status") in _UNFINISHED:
                self.left_out[f"{name}: the call is still in progress"] += 1
                continue
            values = [(members, tuple(row.get(member) for member in members)) for members in uniques]
            values = [value for value in values if None not in value[1]]
            doubled = [members for members, of_row in values if (members, of_row) in taken]
            if doubled:
                self.left_out[f"{name}: another has the same {' and '.join(doubled[0])}"] += 1
                continue
            taken.update(values)
            if about.has_id:
                self._ids[name].add(row[schema.id])
            fitting.append(row)
        return fitting

    def _with_known_members(self, name: str, whole: Row) -> Row | None:
        """Return the row with the members that its schema takes; None if a required one is missing."""
        schema, row = row_schemas()[name], dict(whole)
        if name != "teams":
            row.pop("teamId", None)  # the document has one team
        for column, value in COLLECTIONS[name].fixed.items():
            if row.setdefault(column, value) != value:
                row[column] = value
                self.changed[f"{name}: {column} is {value} here"] += 1
        faults: Faults = []
        schema.read(row, "", faults, faults)
        if faults:
            for member in list(row):
                self._remove_if_faulty(name, row, member)
        lacking = [member for member in schema.needs if member not in row]
        if lacking:
            self.left_out[f"{name}: no usable {' and '.join(lacking)}"] += 1
            return None
        return row

    def _remove_if_faulty(self, name: str, row: Row, member: str) -> None:
        """Remove a member that its schema does not take from a row, and count the reason."""
        schema = row_schemas()[name]
        faults: Faults = []
        schema.read({member: row[member]}, "", faults, faults)
        missing_beside_it = set(schema.needs) - {member}
        if len(faults) <= len(missing_beside_it):
            return
        del row[member]
        if member not in schema.names:
            self.changed[f"{name}: {member} is unknown to dryline"] += 1
        elif member not in schema.needs:
            self.left_out[f"{name}: {member}: {faults[0][1]}"] += 1

    def _has_new_id_and_parents(self, name: str, row: Row, parents: dict[str, tuple[str, ...]]) -> bool:
        """Return whether the id is new and the parents are in the document; count the reason if not."""
        schema, about = row_schemas()[name], COLLECTIONS[name]
        if about.has_id:
            id = row[schema.id]
            if id in self._ids[name]:
                self.changed[f"{name}: came twice"] += 1
                return False
            if any(id in self._ids[other] for other in about.shares_ids):
                self.left_out[f"{name}: another has the same {schema.id}"] += 1
                return False
        for member, targets in parents.items():
            if not any(row[member] in self._ids[target] for target in targets):
                self.left_out[f"{name}: {member} leads to nothing that was copied"] += 1
                return False
        return True

    def _cut_links(self, name: str, rows: list[Row]) -> None:
        """Set links to missing rows to null, except where the state document allows them (logs, links to flows)."""
        columns = {column: member for member, column in row_schemas()[name].names.items()}
        for column, targets in COLLECTIONS[name].optional_links.items():
            if name in LOGS or column == "flow_id":
                continue
            member = columns[column]
            for row in rows:
                if row.get(member) is not None and not any(row[member] in self._ids[target] for target in targets):
                    row[member] = None
                    self.changed[f"{name}: {member} led to nothing that was copied"] += 1

    def _unique_column_groups(self, name: str) -> list[list[str]]:
        """Return the groups of columns that must be unique within a team."""
        with self._world.active():
            groups = plain_sql.unique_columns(COLLECTIONS[name].model._meta.table_name)
        return [[column for column in columns if column != "team_id"] for columns in groups]
