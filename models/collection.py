"""What the state document must know of an area's rows beside how they look. Contract: state.md.

Each area says it below its record (`STATE` in models/); `state/collections.py` puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dryline.storage.record import Record

Row = dict[str, Any]
# Which collections a column may lead into.
Links = Mapping[str, tuple[str, ...]]


class Neighbours(Protocol):
    """What `complete` may ask of the document that a row is in."""

    def row(self, name: str, id: str) -> Row:
        """The columns of a row, of the document or there already; empty when there is none."""


def by_creation(cells: list[Any]) -> tuple[Any, ...]:
    """Oldest first, then by id. What has no age comes first."""
    return tuple(cell or "" for cell in cells)


@dataclass(frozen=True)
class Collection:
    """One collection. Its rows get their team from what the first of `needs` leads to, or else carry it.

    What `needs` links to must be there, what `may` links to may be gone; both must be of the row's team.
    """

    model: type[Record]
    needs: Links = field(default_factory=dict)
    may: Links = field(default_factory=dict)
    # What every row of it has, and what tells it apart from others in the same table.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    # Rows without an id of their own on the wire get a new one.
    has_id: bool = True
    # The collections whose ids must differ from this one's as well.
    shares_ids: tuple[str, ...] = ()
    # Gives a row what a creation would have given, beyond the columns' own defaults; its links are good by then.
    # Raises Invalid for what cannot be.
    complete: Callable[[Row, Neighbours], None] | None = None
    # Sets in motion rows that came in, once all are there.
    came_in: Callable[[], object] | None = None
    # Mends rows that came back from a save point, all of them (None) or those of one team, whose save point is then
    # attached as `saved`.
    came_back: Callable[[str | None], None] | None = None
    # What makes the order; all of it must be on the wire, or the order would not survive.
    sorted_by: tuple[str, ...] = ("created_at", "id")
    age: Callable[[list[Any]], Any] = by_creation


# Links that several areas have.
WORKER: Links = {"worker_id": ("workers",)}
FLOW: Links = {"flow_id": ("flows",)}
DEPLOYMENTS = ("voiceDeployments", "voicev1Deployments", "chatDeployments", "chatEmbedDeployments")
DEPLOYMENT: Links = {"deployment_id": DEPLOYMENTS}
VOICE_DEPLOYMENT: Links = {"deployment_id": ("voiceDeployments",)}
VERSION: Links = {"flow_version_id": ("flowVersions",)}
