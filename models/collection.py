"""Declarations of the state document: each area's collection, and its links to others. Contract: state.md.

Each area declares its collections below its record (`STATE` in models/); `state/collections.py` puts them in order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from peewee import SqliteDatabase

from dryline.storage.record import Record

Row = dict[str, Any]
# The collections that a column may refer to.
Links = Mapping[str, tuple[str, ...]]


class ImportContext(Protocol):
    """The rows that a row which is being imported may refer to."""

    def find_row(self, name: str, id: str) -> Row:
        """Return the columns of a row of the document or of the world, or an empty dict if there is none."""

    def add(self, name: str, row: Row) -> None:
        """Add a row, by column names, to a collection that comes after that of the row which is completed."""

    def with_shifted_times(self, value: Any) -> Any:
        """Return JSON as it will be stored, with its times shifted. Raises OverflowError if one cannot be."""


def by_creation(cells: list[Any]) -> tuple[Any, ...]:
    """Sort oldest first, then by id; rows without a time come first."""
    return tuple(cell or "" for cell in cells)


def never_changes(row: Row) -> str | None:
    """Return None: the import of a row does not depend on the present."""
    return None


def changes_without_due_time(row: Row) -> str | None:
    """Return an empty text for a row whose time is counted from the present."""
    return "" if row.get("due_at") is None else None


@dataclass(frozen=True)
class StateCollection:
    """One collection of the state document.

    The target of a required link must exist, that of an optional link may be deleted; both must be of the row's team.
    The first required link gives a row its team; without one, the row itself says which team it is of.
    """

    model: type[Record]
    required_links: Links = field(default_factory=dict)
    optional_links: Links = field(default_factory=dict)
    # Column values that all its rows have, and other collections of the same table do not.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    # Columns that the document has and the table lacks, each as an SQL expression.
    computed: Mapping[str, str] = field(default_factory=dict)
    # Rows without an id of their own on the wire get a new one.
    has_id: bool = True
    # Other collections whose ids must differ from this one's.
    shares_ids: tuple[str, ...] = ()
    # Sets the values that a creation would have set, beyond the defaults of columns, once the links are checked.
    # Raises Invalid for a row that cannot be.
    complete: Callable[[Row, ImportContext], object] | None = None
    # The time from which the import of a row, as it is before `complete`, gives something else than before: None if it
    # never does, an empty text if it does at every moment. The moment itself in a column does not count.
    changes_at: Callable[[Row], str | None] = never_changes
    # Called once all rows of an import are inserted.
    after_import: Callable[[], object] | None = None
    # Called with the copy of a snapshot's database that is about to be restored.
    after_restore: Callable[[SqliteDatabase], None] | None = None
    # The columns of the sort key. All must be on the wire, or the order would be lost.
    sorted_by: tuple[str, ...] = ("created_at", "id")
    age: Callable[[list[Any]], Any] = by_creation


# Links of several areas.
WORKER: Links = {"worker_id": ("workers",)}
FLOW: Links = {"flow_id": ("flows",)}
DEPLOYMENTS = ("voiceDeployments", "voicev1Deployments", "chatDeployments", "chatEmbedDeployments")
DEPLOYMENT: Links = {"deployment_id": DEPLOYMENTS}
VOICE_DEPLOYMENT: Links = {"deployment_id": ("voiceDeployments",)}
VERSION: Links = {"flow_version_id": ("flowVersions",)}
