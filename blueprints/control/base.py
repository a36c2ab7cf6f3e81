"""The base of the control plane's areas: plain JSON under /_dryline, and the check of who may use it."""

from typing import Any

from flask import Request, request
from marshmallow import fields, post_load

from dryline.models.teams import Team
from dryline.schemas.base import QuerySchema
from dryline.storage.current_world import current, current_task
from dryline.storage.errors import NoTeam
from dryline.web.base import Area, Parser, require_no_query
from dryline.web.operations import find_operation
from dryline.web.paths import PLANE
from dryline.web.plane import admit_running_request


class TeamQuery(QuerySchema):
    """The team that a request of the control plane is limited to. A route without it refuses `?team=`."""

    team = fields.String(attribute="team_id")

    @post_load
    def check(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Let the request work for the team. Raises NotFound for an unknown one.

        Not by `enter_team`: a change that begins an epoch goes on, whatever has ended since it came.
        """
        current_task().team_id = require_known_team(data.get("team_id"))
        return data


class UndoQuery(QuerySchema):
    """Whether a change can be undone."""

    undo = fields.Boolean(
        metadata={"description": "keep a snapshot for `undoLastChange`, except on a temporary server"}
    )


class LenientQuery(QuerySchema):
    """Whether mistakes of a state document are ignored."""

    lenient = fields.Boolean(metadata={"description": "ignore unknown members, and links to rows that are not there"})


def undo_name(is_wanted: bool | None, change: str) -> str | None:
    """Return the name of a change that keeps a snapshot from before it; None if it keeps none.

    The changes of a temporary world never do.
    """
    return change if is_wanted and not current().settings.ephemeral else None


def require_known_team(team_id: str | None, field: str | None = None) -> str | None:
    """Return the team's id, or None for all teams. Raises NotFound for an unknown team, naming a body's `field`."""
    return None if team_id is None else Team.by_id(team_id, field=field).id


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
            self.before_request(admit_running_request)
        self.before_request(refuse_unused_team)
        self.before_request(require_no_query)


def refuse_unused_team() -> None:
    """Raise NoTeam for `?team=` at an operation of the whole server."""
    team_id = request.args.get("team")
    operation = find_operation(request.endpoint, request.method)
    if team_id is not None and operation is not None:
        query = getattr(operation, "schemas_by_location", {}).get("query")
        if query is None or "team" not in query.fields:
            raise NoTeam(
                f"{request.method} {request.path} is for the whole server and takes no team: its clock, settings and "
                "snapshots are those of all teams. A test that changes them needs a server of its own."
            )
