"""The base of the control plane's areas: plain JSON under /_dryline, and the check of who may use it."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from flask import Request, request
from marshmallow import fields

from dryline.blueprints.base import Area, Parser, require_no_query
from dryline.blueprints.paths import PLANE
from dryline.blueprints.plane import guard
from dryline.models.teams import Team
from dryline.schemas.base import QuerySchema
from dryline.state import undo
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.world.clock import set_current_team


class TeamQuery(QuerySchema):
    """The team that a request of the control plane is limited to."""

    team = fields.String()


class UndoQuery(QuerySchema):
    """Whether a change can be undone."""

    undo = fields.Boolean(
        metadata={
            "description": "keep a snapshot from before the change, for `undoLastChange`; a temporary server keeps none"
        }
    )


class TeamUndoQuery(TeamQuery, UndoQuery):
    """The team that a change is limited to, and whether the change can be undone."""


class LenientQuery(QuerySchema):
    """Whether mistakes of a state document are ignored."""

    lenient = fields.Boolean(
        metadata={"description": "ignore unknown members of a state document, and links to rows that are not there"}
    )


def undoable_if(is_wanted: bool | None, change: str, team_id: str | None = None) -> AbstractContextManager[Any]:
    """Return a context manager that keeps a snapshot of the world or a team, except of a temporary world."""
    keeps = is_wanted and current().durable
    return undo.undoable(current(), change, team_id) if keeps else nullcontext()


def known_team(team_id: str | None, field: str | None = None) -> str | None:
    """Return the team's id, or None for all teams. Raises NotFound for an unknown team, naming a body's `field`."""
    if team_id is not None and Team.find(id=team_id) is None:
        raise NotFound(f"Team {team_id} not found.", field)
    return team_id


class StrictParser(Parser):
    """A parser that refuses unknown fields and parameters. A typing error there would make a test pass wrongly."""

    def is_strict(self, location: str) -> bool:
        """Return whether unknown fields are refused: always."""
        return True

    def requires_body(self, req: Request) -> bool:
        """Return whether a missing body is refused: never, since the schema says what is missing."""
        return False


class ControlArea(Area):
    """A blueprint for one part of the control plane. Contract: DESIGN, The control plane."""

    ARGUMENTS_PARSER = StrictParser()

    def __init__(self, name: str, url_prefix: str = PLANE, *, guarded: bool = True, **kwargs: Any) -> None:
        super().__init__(name, url_prefix, key_required=False, own_transactions=True, **kwargs)
        if guarded:
            self.security = [{}, {"drylineToken": []}]
            self.before_request(guard)
        self.before_request(require_no_query)
        self.before_request(set_team_of_query)


def set_team_of_query() -> None:
    """Set the current team to that of `?team=`."""
    set_current_team(request.args.get("team"))
