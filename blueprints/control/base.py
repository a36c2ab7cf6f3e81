"""The control plane's own blueprint: plain JSON under /_dryline, and the rule of who may use it."""

from __future__ import annotations

from typing import Any

from flask import request
from marshmallow import fields

from dryline.blueprints.base import PLANE, Area
from dryline.blueprints.hosts import is_loopback, name_of
from dryline.models.teams import Team
from dryline.schemas.base import QuerySchema
from dryline.world.errors import Forbidden, NotFound
from dryline.world.world import current


class TeamQuery(QuerySchema):
    """Whose part of the world is meant."""

    team = fields.String(metadata={"description": "only this team, by its id; all teams when left out"})


def known_team(team_id: str | None, field: str | None = None) -> str | None:
    """The team that is meant, None for all. Raises NotFound for one that there is not, naming a body's `field`."""
    if team_id is not None and Team.find(id=team_id) is None:
        raise NotFound(f"Team {team_id} not found.", field)
    return team_id


class ControlArea(Area):
    """A part of the control plane. Contract: DESIGN, The control plane."""

    def __init__(self, name: str, url_prefix: str = PLANE, *, guarded: bool = True, **kwargs: Any) -> None:
        super().__init__(name, url_prefix, key_required=False, **kwargs)
        if guarded:
            self.security = [{}, {"drylineToken": []}]
            self.before_request(guard)


def guard() -> None:
    """Let in who holds the token, or, without one, this machine but no web page of another origin.

    Raises Forbidden.
    """
    settings = current().settings
    # Whoever holds a team's key may have webhooks sent to this machine: that is not the plane's key.
    if "X-Dryline-Event" in request.headers or "X-Dryline-Delivery" in request.headers:
        raise Forbidden("The control plane takes no webhooks.")
    if settings.admin_token is not None:
        import hmac

        sent = request.headers.get("x-dryline-token", "")
        if not hmac.compare_digest(sent.encode(), settings.admin_token.encode()):
            raise Forbidden("The control plane needs the header x-dryline-token.")
        return
    if not settings.loopback:
        raise Forbidden("The control plane is closed: the server is not bound to loopback and has no --admin-token.")
    if not is_loopback(request.host) and name_of(request.host) not in settings.allowed_hosts:
        raise Forbidden(f"The control plane answers this machine only, not the host {request.host!r}.")
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site"):
        raise Forbidden("The control plane does not answer other sites' pages.")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"{request.scheme}://{request.host}":
        raise Forbidden("The control plane does not answer other sites' pages.")
