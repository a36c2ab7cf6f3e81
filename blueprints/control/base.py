"""The base of the control plane's areas: plain JSON under /_dryline, and the check of who may use it."""

import time
from collections.abc import Callable
from typing import Any

from flask import Request, request
from marshmallow import Schema, ValidationError, fields

from dryline.blueprints.base import Area, Parser, require_no_query
from dryline.blueprints.hosts import require_not_outgoing, require_this_machine
from dryline.blueprints.operations import find_operation
from dryline.blueprints.paths import PLANE, READS
from dryline.models.teams import Team
from dryline.schemas.base import QuerySchema
from dryline.storage.current_world import current, set_current_team
from dryline.storage.errors import Forbidden, NoTeam, NotFound
from dryline.world.world import World


class TeamQuery(QuerySchema):
    """The team that a request of the control plane is limited to. A route without it refuses `?team=`."""

    team = fields.String()


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

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """Return the parameters. Raises ValidationError for one that is sent twice, of which only one would count."""
        repeated = {name: ["Must be sent once."] for name, values in req.args.lists() if len(values) > 1}
        if repeated:
            raise ValidationError(repeated)
        return super().load_querystring(req, schema)


class ControlArea(Area):
    """A blueprint for one part of the control plane. Contract: DESIGN, The control plane."""

    ARGUMENTS_PARSER = StrictParser()

    def __init__(self, name: str, url_prefix: str = PLANE, *, guarded: bool = True, **kwargs: Any) -> None:
        super().__init__(name, url_prefix, key_required=False, **kwargs)
        if guarded:
            self.security = [{}, {"drylineToken": []}]
            self.before_request(guard)
        self.before_request(check_team)
        self.before_request(require_no_query)


def check_team() -> None:
    """Set the current team to that of `?team=`. Raises NoTeam for an operation of the whole server."""
    team_id = request.args.get("team")
    operation = find_operation(request.endpoint, request.method)
    if team_id is not None and operation is not None:
        query = getattr(operation, "forms", {}).get("query")
        if query is None or "team" not in query.fields:
            raise NoTeam(
                f"{request.method} {request.path} is for the whole server and takes no team: its clock, settings and "
                "snapshots are those of all teams. A test that changes them needs a server of its own."
            )
    set_current_team(team_id)


def answer_and_report(world: World, request: Request, view: Callable[[], Any]) -> Any:
    """Return the view's response to a request of the control plane, and log the request if it is a write or failed."""
    start = time.perf_counter()
    response = view()
    status = response.status_code
    if request.method not in READS or status >= 400:
        body = response.get_json(silent=True) if status >= 400 else None
        error = str(body["error"]) if isinstance(body, dict) and "error" in body else ""
        ms = (time.perf_counter() - start) * 1000
        text = f"{request.method:<6} {request.path} {status} {ms:.0f} ms" + (f"  {error}" if error else "")
        members = {"method": request.method, "path": request.path, "status": status, "durationMs": round(ms, 3)}
        world.events.add(text, is_problem=status >= 400, **members, **({"error": error} if error else {}))
    return response


def guard() -> None:
    """Admit requests with the token, or without one those from this machine that no other site's page sent.

    Raises Forbidden.
    """
    settings = current().settings
    require_not_outgoing(request, "control plane")
    if settings.admin_token is not None:
        import hmac

        sent = request.headers.get("x-dryline-token", "")
        if not hmac.compare_digest(sent.encode(), settings.admin_token.encode()):
            raise Forbidden("The control plane needs the header x-dryline-token: the server's --admin-token.")
        return
    require_this_machine(settings, request, "control plane")
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site"):
        raise Forbidden("The control plane does not answer other sites' pages.")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"{request.scheme}://{request.host}":
        raise Forbidden("The control plane does not answer other sites' pages.")
