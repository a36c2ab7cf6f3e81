"""Snapshots, the state document, scenarios, teams and their keys."""

from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any
from urllib.parse import quote

from flask import flash, render_template, request
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, form_texts, load_form, wire_values
from dryline.blueprints.console.snippets import plane_curl
from dryline.models.teams import ApiKey, Team
from dryline.schemas.teams import ApiKeyBody, NewTeamBody
from dryline.state import changes, document, parsing, scenarios, snapshots
from dryline.state.snapshots import Snapshot
from dryline.state.undo import undoable
from dryline.storage.current_world import current
from dryline.storage.json_values import loads
from dryline.web.files import written_response
from dryline.world.clock import wire
from dryline.world.world import World

blp = PageBlueprint("state", "State", "s", path="/state")


@blp.get("")
def show() -> Any:
    """Show the snapshots and the forms that reset, export and import the state."""
    world = current()
    return render_template(
        "state.html",
        snapshots=sorted(_snapshots_with_times(world), key=itemgetter(1), reverse=True),
        scenarios=scenarios.ABOUT,
        first_scenario=world.settings.scenario,
        owners=Team.everyone(),
        keys=ApiKey.by_team(),
    )


def _snapshots_with_times(world: World) -> Iterator[tuple[Snapshot, str]]:
    """Yield the snapshots, each with the real time at which it was taken."""
    for snapshot in snapshots.all_snapshots(world):
        yield snapshot, wire(datetime.fromtimestamp(snapshot.path.stat().st_mtime, UTC))


@blp.get("/document.json")
def download() -> Any:
    """Return the state document, with `?team=` that of one team, as a file."""
    response = written_response(lambda file: document.write(file, request.args.get("team")))
    response.headers["Content-Disposition"] = f'attachment; filename="dryline-{current().stamp()[:10]}.json"'
    return response


@blp.post("/document")
def load() -> Any:
    """Replace the state by an uploaded document, or add its rows."""
    file = request.files.get("file")
    try:
        content = loads(file.read() if file else b"")
    except ValueError as error:
        raise BadRequest(f"The file is not valid JSON: {error}.") from None
    rows = parsing.parse_document(content, lenient="lenient" in request.form)
    if request.form.get("how") == "add":
        undo = changes.extend(current(), rows, undo="load")
        return flash_and_redirect("The rows of the document are added.", "state.show", undo=undo)
    undo = changes.replace(current(), rows, undo="load")
    return flash_and_redirect("The state is replaced by the document.", "state.show", undo=undo, team=None)


@blp.post("/scenario")
def load_scenario() -> Any:
    name = request.form.get("scenario", "")
    undo = changes.reset(current(), name, undo="scenario")
    curl = plane_curl("POST", "/reset", {"scenario": name})
    message = f"The world is reset to the scenario {name}."
    return flash_and_redirect(message, "state.show", undo=undo, curl=curl, team=None)


@blp.post("/teams")
def create_team() -> Any:
    """Create a team and its first key, which the next page shows once."""
    body = load_form(NewTeamBody)
    with current().transaction():
        _, secret = ApiKey.issue(Team.new(body["name"]), body.get("key"))
    flash(f"Its key, shown this once: {secret}", "stays")
    curl = plane_curl("POST", "/teams", wire_values(NewTeamBody, form_texts()))
    return flash_and_redirect(f"Created the team {body['name']}.", "state.show", curl=curl)


@blp.post("/teams/<team_id>/remove")
def delete_team(team_id: str) -> Any:
    undo = changes.delete_team(current(), team_id, undo="delete")
    curl = plane_curl("DELETE", f"/teams/{quote(team_id, safe='')}")
    message = "The team and all of its rows are deleted."
    return flash_and_redirect(message, "state.show", undo=undo, curl=curl, team=None)


@blp.post("/teams/<team_id>/keys")
def create_key(team_id: str) -> Any:
    """Create another key, which the next page shows once."""
    body = load_form(ApiKeyBody)
    with current().transaction():
        _, secret = ApiKey.issue(Team.by_id(team_id), body.get("key"), name=body.get("name"))
    curl = plane_curl("POST", f"/teams/{quote(team_id, safe='')}/keys", wire_values(ApiKeyBody, form_texts()))
    return flash_and_redirect(f"The key, shown this once: {secret}", "state.show", curl=curl, kind="stays")


@blp.post("/teams/<team_id>/keys/<key_id>/remove")
def revoke_key(team_id: str, key_id: str) -> Any:
    with undoable(current(), "delete") as undo, current().transaction():
        ApiKey.fetch(Team.by_id(team_id), key_id).revoke()
    curl = plane_curl("DELETE", f"/teams/{quote(team_id, safe='')}/keys/{quote(key_id, safe='')}")
    return flash_and_redirect("The key is revoked.", "state.show", undo=undo, curl=curl)
