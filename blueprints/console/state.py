"""State: save points, the state document, scenarios, teams and their keys."""

from __future__ import annotations

from typing import Any

import orjson
from flask import Response, flash, render_template, request
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console.base import Pages, done, form
from dryline.models.teams import ApiKey, Team
from dryline.schemas.snapshots import SnapshotSchema
from dryline.schemas.teams import ApiKeyBody, NewTeamBody
from dryline.state import document, forms, scenarios, snapshots
from dryline.storage.current_world import current

blp = Pages("state", "State", "s", path="/state")


@blp.get("")
def show() -> Any:
    """The page."""
    world = current()
    return render_template(
        "state.html",
        points=snapshots.listing(world),
        scenarios=scenarios.ABOUT,
        started_with=world.settings.scenario,
        owners=Team.everyone(),
        keys=ApiKey.by_team(),
    )


@blp.get("/document.json")
def download() -> Any:
    """The whole state, or that of the team in the address, as a file."""
    text = orjson.dumps(document.export(request.args.get("team")), option=orjson.OPT_INDENT_2)
    headers = {"Content-Disposition": f'attachment; filename="dryline-{current().clock.stamp()[:10]}.json"'}
    return Response(text, mimetype="application/json", headers=headers)


@blp.post("/document")
def load() -> Any:
    """Put a file in the place of everything, or add it."""
    sent = request.files.get("file")
    try:
        read = orjson.loads(sent.read() if sent else b"")
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"The file is not valid JSON: {error}.") from None
    found = forms.read(read, strict=current().runtime_settings.strict)
    if request.form.get("how") == "add":
        document.extend(found)
        return done("The document's rows are added.", "state.show")
    document.replace(found)
    return done("The document is the world now.", "state.show")


@blp.post("/scenario")
def begin() -> Any:
    """Start over with a scenario."""
    name = request.form.get("scenario", "")
    scenarios.reset(current(), name)
    return done(f"The world is the scenario {name}.", "state.show")


@blp.post("/points/remove")
def remove_point() -> Any:
    """Drop a save point."""
    name = form(SnapshotSchema)["name"]
    snapshots.remove(current(), name)
    return done(f"{name} is dropped.", "state.show")


@blp.post("/teams")
def make_team() -> Any:
    """Make a team and its first key, which the next page shows, this once."""
    asked = form(NewTeamBody)
    with current().transaction():
        _, secret = ApiKey.issue(Team.new(asked["name"]), asked.get("key"))
    flash(f"Its key, shown this once: {secret}")
    return done(f"Made the team {asked['name']}.", "state.show")


@blp.post("/teams/<team_id>/remove")
def remove_team(team_id: str) -> Any:
    """Delete a team with all that it has."""
    document.delete_team(current(), team_id)
    return done("The team is gone, with all that it had.", "state.show", team=None)


@blp.post("/teams/<team_id>/keys")
def make_key(team_id: str) -> Any:
    """Make another key, which the next page shows, this once."""
    asked = form(ApiKeyBody)
    with current().transaction():
        _, secret = ApiKey.issue(Team.by_id(team_id), asked.get("key"), name=asked.get("name"))
    return done(f"The key, shown this once: {secret}", "state.show")


@blp.post("/teams/<team_id>/keys/<key_id>/remove")
def revoke_key(team_id: str, key_id: str) -> Any:
    """Revoke a key."""
    with current().transaction():
        ApiKey.fetch(Team.by_id(team_id), key_id).revoke()
    return done("The key opens nothing any more.", "state.show")
